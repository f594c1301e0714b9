import sharp from 'sharp';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { LookTrialRepresentation, Upload } from '@burnish/contract';
import { toned, tonedPhotographs } from '../../../packages/engine/test/support/toned-photographs.ts';
import { graphql, refusal } from '../graphql/support.ts';
import { uploadOf } from '../previews/stored-files.ts';
import { useGateway } from '../support/gateway.ts';
import { jsonRequests } from '../support/requests.ts';
import { pngOf, storedPhotographs } from '../support/stored-photographs.ts';

const gateway = useGateway();
const send = jsonRequests(() => gateway);
const answerOf = async (...call: Parameters<typeof send>) => {
  const response = await send(...call);
  const text = await response.text();
  return { status: response.status, ...JSON.parse(text === '' ? '{}' : text) };
};

const WARM = { warm: 1 };
const plain = tonedPhotographs(17, () => ({}));
let finished: Upload[];
let originals: Upload[];

const ids = (uploads: readonly Upload[]) => uploads.map(({ id }) => ({ finished: id }));
const build = (name: string, pictures: object[], more: { once?: string; key?: string } = {}) =>
  answerOf('PUT', `/v1/looks/${name}`, { body: { pictures }, ...more });

/** Orders by URL, and returns the request that its workflow gets. */
async function order(enhancement: object, key?: string) {
  const body = { source: { url: 'https://example.com/a.jpg' }, enhancements: [enhancement] };
  const answer = await answerOf('POST', '/v1/uploads', { body, ...(key !== undefined && { key }) });
  const started = gateway.temporal.starts.find(({ options }) => options.workflowId === `upload/${answer.id}`);
  return { answer, mode: started?.options.args[0].enhancements[0]?.parameters.mode };
}

beforeAll(async () => {
  originals = await storedPhotographs(gateway, plain);
  finished = await storedPhotographs(
    gateway,
    plain.map((picture) => toned(picture, WARM)),
  );
}, 120_000);

describe('a look of sixteen warm pictures', () => {
  test('is tried without being saved, with samples that it makes warmer', async () => {
    const body = { pictures: ids(finished.slice(0, 16)), samples: [originals[16]!.id] };
    const trial: LookTrialRepresentation & { status: number } = await answerOf('POST', '/v1/look-trials', { body });
    expect(trial).toMatchObject({ status: 200, refusal: null, proof: { pictures: 16, pairs: 0 } });
    expect(trial.proof.gain).toBeGreaterThan(0.3);
    const [sample] = trial.samples;
    expect(sample!.uploadId).toBe(originals[16]!.id);
    const [, base64] = /^data:image\/webp;base64,(.+)$/.exec(sample!.picture)!;
    const { channels } = await sharp(Buffer.from(base64!, 'base64')).stats();
    const before = await sharp(await pngOf(plain[16]!)).stats();
    const warmth = (of: typeof channels): number => of[0]!.mean / of[2]!.mean;
    expect(warmth(channels)).toBeGreaterThan(1.03 * warmth(before.channels));
    expect((await answerOf('GET', '/v1/looks')).items).toEqual([]);
  }, 120_000);

  test('is saved with its figures, and an equal build makes no version', async () => {
    const first = await build('warm', ids(finished.slice(0, 16)), { once: 'first' });
    expect(first).toMatchObject({ status: 200, name: 'warm', version: 1, proof: { pictures: 16 } });
    expect(await build('warm', ids(finished.slice(0, 16)))).toEqual(first);
    expect(await build('warm', ids(finished.slice(0, 16)), { once: 'first' })).toEqual(first);
    expect(await answerOf('GET', '/v1/looks/warm@1')).toEqual(first);
  }, 120_000);

  test('built twice at once gets two versions', async () => {
    const [one, two] = await Promise.all([
      build('twice', ids(finished.slice(0, 16))),
      build('twice', ids(finished.slice(1, 17))),
    ]);
    expect([one.version, two.version].sort()).toEqual([1, 2]);
  }, 120_000);

  test('is ordered by name, and its workflow gets the version and its values', async () => {
    const { answer, mode } = await order({ mode: { look: 'warm' } });
    expect(answer).toMatchObject({ enhancements: [{ parameters: { mode: { look: 'warm@1' } } }] });
    expect(answer.enhancements[0].parameters.mode).toEqual({ look: 'warm@1' });
    expect(mode).toMatchObject({ look: 'warm@1', values: { localLight: expect.any(Number) } });
  });

  test('is ordered by a preset, and by GraphQL beside the mode', async () => {
    await answerOf('PUT', '/v1/presets/house', { body: { enhancements: [{ mode: { look: 'warm' } }] } });
    expect((await order({ preset: 'house' })).mode).toMatchObject({ look: 'warm@1' });
    expect((await order({ preset: 'house', mode: 'OFF' })).mode).toBe('OFF');
    const saved = await graphql(
      gateway,
      'mutation { savePreset(name: "g", enhancements: [{ look: "warm" }]) { enhancements { mode look } } }',
    );
    expect(saved.data.savePreset.enhancements).toEqual([{ mode: null, look: 'warm' }]);
    const { data } = await graphql(gateway, '{ looks { name version proof { pictures } } }');
    expect(data.looks).toContainEqual({ name: 'warm', version: 1, proof: { pictures: 16 } });
  });

  test('belongs to its account alone', async () => {
    const foreign = { key: gateway.foreignKey };
    expect((await answerOf('GET', '/v1/looks', foreign)).items).toEqual([]);
    expect((await answerOf('GET', '/v1/looks/warm', foreign)).status).toBe(404);
    const { answer } = await order({ mode: { look: 'warm' } }, gateway.foreignKey);
    expect(answer).toMatchObject({ status: 400, field: 'enhancements[0].mode.look' });
    const stolen = await build('mine', ids(finished.slice(0, 16)), foreign);
    expect(stolen).toMatchObject({ status: 404, field: 'pictures[0].finished' });
  });

  test('that is deleted is refused in an order with a remedy, and its name continues the versions', async () => {
    expect((await answerOf('DELETE', '/v1/looks/twice')).status).toBe(204);
    const { answer } = await order({ mode: { look: 'twice@1' } });
    expect(answer).toMatchObject({
      status: 400,
      code: 'BAD_USER_INPUT',
      field: 'enhancements[0].mode.look',
      detail: 'The account has no look twice@1.',
      remedy: 'Choose one of GET /v1/looks, or build it.',
    });
    expect((await answerOf('DELETE', '/v1/looks/twice')).status).toBe(404);
    expect((await build('twice', ids(finished.slice(0, 16)))).version).toBe(3);
  }, 120_000);
});

describe('a build is refused', () => {
  test('with figures when the look does not prove itself, and nothing is saved', async () => {
    const pictures = originals.slice(0, 16).map(({ id }, index) => ({
      finished: id,
      original: finished[index]!.id,
    }));
    const useless = pictures.map(({ finished: own }, index) => ({
      finished: index % 2 === 0 ? own : finished[index]!.id,
      original: originals[index]!.id,
    }));
    const refused = await build('useless', useless);
    expect(refused).toMatchObject({ status: 400, field: 'pictures' });
    expect(refused.detail).toMatch(/Of 16 pictures, the mean difference is [\d.]+ with the look, [\d.]+ with ENHANCE/);
    expect((await answerOf('GET', '/v1/looks/useless')).status).toBe(404);
  }, 120_000);

  test('for too few pictures, the same file twice, a PDF, an unknown id, and values from outside', async () => {
    expect(await build('few', ids(finished.slice(0, 15)))).toMatchObject({ status: 400, field: 'pictures' });
    const twice = [...finished.slice(0, 15), finished[3]!];
    expect(await build('twin', ids(twice))).toMatchObject({ status: 400, field: 'pictures[15].finished' });
    const pdf = await uploadOf(gateway, Buffer.from('%PDF-1.4'), 'application/pdf');
    expect(await build('pdf', ids([pdf, ...finished.slice(0, 15)]))).toMatchObject({
      status: 400,
      field: 'pictures[0].finished',
    });
    const missing = [{ finished: 'upl_01jh2p5w8k3v9x6m4c7r1t0q9z' }, ...ids(finished.slice(0, 15))];
    expect(await build('missing', missing)).toMatchObject({ status: 404, field: 'pictures[0].finished' });
    const { answer } = await order({ mode: { look: 'warm', values: { ranges: {}, localLight: 1 } } });
    expect(answer).toMatchObject({ status: 400 });
  });

  test('for a drawing, which says nothing about tone', async () => {
    const drawing = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#c00' } })
      .png()
      .toBuffer();
    const upload = await uploadOf(gateway, drawing, 'image/png', { width: 300, height: 200 });
    expect(await build('drawn', ids([...finished.slice(0, 15), upload]))).toMatchObject({
      status: 400,
      field: 'pictures[15].finished',
    });
  }, 120_000);

  test('in GraphQL by the same rules', async () => {
    const query =
      'mutation ($pictures: [FinishedPictureInput!]!) { saveLook(name: "g", pictures: $pictures) { name } }';
    const answer = await graphql(gateway, query, { variables: { pictures: ids(finished.slice(0, 2)) } });
    expect(refusal(answer)).toEqual(['BAD_USER_INPUT', 'pictures']);
  });
});
