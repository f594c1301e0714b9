import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { describe, expect, jest, test } from '@jest/globals';
import type { TrialEngine } from '../../../src/api/trials/trials.ts';
import type { Trial } from '../../../packages/client/src/types.ts';
import { nestedForms } from '../../../packages/engine/test/pdf/hostile-files.ts';
import { pdfWithPhoto, picture } from '../../e2e/files.ts';
import { onTestFinished } from '../../support/running-test.ts';
import { testGateway, useGateway, type TestGateway, type TestResponse } from '../support/gateway.ts';
import { uploadOf } from '../previews/stored-files.ts';

const gateway = useGateway();

/** A dark photograph of 240 × 160 pixels. */
const dark = (): Promise<Buffer> =>
  sharp(fileURLToPath(new URL('../../../samples/dark-room.jpg', import.meta.url)))
    .resize(240, 160)
    .jpeg()
    .toBuffer();
const SIZE = { width: 240, height: 160 };

const send = ({ fetch }: Pick<TestGateway, 'fetch'>, id: string, body: object, key?: string): Promise<TestResponse> =>
  fetch(`/v1/uploads/${id}/trial`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(key !== undefined && { key }),
  });

const shown = (base64: string) => sharp(Buffer.from(base64, 'base64')).metadata();

const credits = { color: 1, resize: 4, colorAndResize: 4 };
const statistics = { pages: 1, images: 1, colorEligible: 1, resizeEligible: 1, credits };
const ANALYZED = {
  subStatus: 'METADATA_ANALYZED_SUCCESSFULLY',
  analysis: { totalCredits: 4, statistics },
} as const;

/** An upload of the second account. */
const foreignUpload = (of: TestGateway, bytes: Buffer) =>
  uploadOf({ ...of, account: { ...of.account, id: `acc_${'0'.repeat(26)}` } }, bytes, 'image/jpeg');

describe('a trial', () => {
  test('shows modes beside the original, says what they do, and leaves nothing behind', async () => {
    const upload = await uploadOf(gateway, await dark(), 'image/jpeg', SIZE);
    const stored = (['put', 'putFile'] as const).map((name) => jest.spyOn(gateway.storage, name));
    onTestFinished(() => stored.forEach((spy) => spy.mockRestore()));
    const response = await send(gateway, upload.id, { enhancements: [{ mode: 'NATURAL' }, { mode: 'OFF' }] });
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const trial = (await response.json()) as Trial;
    expect(trial.area).toEqual({ left: 0, top: 0, width: 1, height: 1 });
    expect(trial.enhancements.map(({ changed }) => changed)).toEqual([true, false]);
    expect(trial.enhancements[0]!.notes.join(' ')).toMatch(/light/i);
    for (const each of [trial.original, ...trial.enhancements.map(({ picture: own }) => own)])
      expect(await shown(each)).toMatchObject({ format: 'webp', width: 240 });
    expect(stored.map(({ mock }) => mock.calls)).toEqual([[], []]);
    const { items } = (await (await gateway.fetch('/v1/credits/ledger')).json()) as { items?: unknown[] };
    expect(items ?? []).toEqual([]);
  });

  test('shows a part with all its pixels, and GraphQL has the same', async () => {
    const upload = await uploadOf(gateway, await dark(), 'image/jpeg', SIZE);
    const input = { enhancements: [{ upscalingFactor: 'X4' }], part: { x: 0.5, y: 0.5 } };
    const trial = (await (await send(gateway, upload.id, input)).json()) as Trial;
    expect(trial.area.width).toBeCloseTo(128 / 240, 3);
    expect(await shown(trial.enhancements[0]!.picture)).toMatchObject({ width: 512, height: 512 });
    const query = `query ($id: ID!, $input: CreateTrialInput!) {
      enhancementTrial(id: $id, input: $input) { area { left width } original enhancements { picture changed notes } } }`;
    const response = await gateway.fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { id: upload.id, input } }),
    });
    const { data } = (await response.json()) as { data: { enhancementTrial: Trial } };
    expect(data.enhancementTrial.enhancements).toEqual(trial.enhancements);
    expect(data.enhancementTrial.original).toBe(trial.original);
  });

  test('of a PDF shows one page of it', async () => {
    const upload = await uploadOf(gateway, await pdfWithPhoto(), 'application/pdf', ANALYZED);
    const response = await send(gateway, upload.id, { enhancements: [{}], page: 1 });
    expect(response.status).toBe(200);
    const trial = (await response.json()) as Trial;
    expect(Math.max((await shown(trial.original)).width, (await shown(trial.original)).height)).toBe(1024);
    expect(trial.enhancements).toHaveLength(1);
    const beyond = await send(gateway, upload.id, { enhancements: [{}], page: 2 });
    expect([beyond.status, ((await beyond.json()) as { code: string }).code]).toEqual([404, 'NOT_FOUND']);
  });

  test.each([
    ['no enhancement', { enhancements: [] }, 'enhancements'],
    ['five of them', { enhancements: [{}, {}, {}, {}, {}] }, 'enhancements'],
    ['parameters of PDFs', { enhancements: [{}, { targetResolution: 300 }] }, 'enhancements[1].targetResolution'],
    ['a part outside', { enhancements: [{}], part: { x: 1.2, y: 0 } }, 'part.x'],
    ['a page of an image', { enhancements: [{}], page: 1 }, 'page'],
  ])('refuses %s, and names the field', async (_, body, field) => {
    const upload = await uploadOf(gateway, await picture(64, 64).jpeg().toBuffer(), 'image/jpeg');
    const response = await send(gateway, upload.id, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'BAD_USER_INPUT', field, remedy: expect.any(String) });
  });

  test('of a hostile file ends with its code, and the next one works', async () => {
    const cut = await uploadOf(gateway, (await dark()).subarray(0, 4000), 'image/jpeg');
    const forms = await uploadOf(gateway, nestedForms(), 'application/pdf', ANALYZED);
    const answers = [];
    for (const { id } of [cut, forms]) {
      const response = await send(gateway, id, { enhancements: [{}] });
      answers.push([response.status, ((await response.json()) as { code: string }).code]);
    }
    expect(answers).toEqual([
      [422, 'CORRUPT_FILE'],
      [422, 'PROCESSING_LIMIT'],
    ]);
    const good = await uploadOf(gateway, await picture(64, 64).jpeg().toBuffer(), 'image/jpeg');
    expect((await send(gateway, good.id, { enhancements: [{}] })).status).toBe(200);
  });

  test('of a file of another account, of the hosted service or not analyzed is refused', async () => {
    const bytes = await picture(64, 64).jpeg().toBuffer();
    const foreign = await foreignUpload(gateway, bytes);
    expect((await send(gateway, foreign.id, { enhancements: [{}] })).status).toBe(404);
    const hosted = await uploadOf(gateway, bytes, 'image/jpeg', { provider: 'hosted' });
    const answer = await send(gateway, hosted.id, { enhancements: [{}] });
    expect(await answer.json()).toMatchObject({ code: 'CONFLICT', remedy: expect.stringContaining('maxCredits 0') });
    const pdf = await uploadOf(gateway, await pdfWithPhoto(), 'application/pdf');
    expect(await (await send(gateway, pdf.id, { enhancements: [{}] })).json()).toMatchObject({
      code: 'PDF_NOT_ANALYZED',
    });
  });
});

/** Requests of one account at once. */
const FLOOD = 40;

describe('many trials', () => {
  let held: string | undefined;

  /** A gateway with the accounts of its trials, in order. Those of the held account run until they are let go. */
  async function heldGateway(trialsPerMinute = 1_000) {
    const turns: string[] = [];
    const waiting: (() => void)[] = [];
    const image: TrialEngine['image'] = async (account, { orders }) => {
      turns.push(account);
      if (account === held) await new Promise<void>((resolve) => waiting.push(resolve));
      const area = { left: 0, top: 0, width: 1, height: 1 };
      const tried = orders.map(() => ({ steps: [], notes: [] }));
      return { area, pictures: [Buffer.of(1), ...orders.map(() => Buffer.of(2))], tried };
    };
    const trialEngine: TrialEngine = { children: 2, image, pdfPage: () => Promise.reject(new Error('no PDF')) };
    const own = await testGateway({ trialEngine, limits: { trialsPerMinute } });
    onTestFinished(() => own[Symbol.asyncDispose]());
    const letGo = (): void => waiting.splice(0).forEach((resume) => resume());
    return { own, turns, letGo };
  }

  test('dozens of one account run one by one, most are refused, and a calm account waits for none of them', async () => {
    const { own, turns, letGo } = await heldGateway();
    const bytes = await picture(64, 64).jpeg().toBuffer();
    const upload = await uploadOf(own, bytes, 'image/jpeg');
    const calm = await foreignUpload(own, bytes);
    held = upload.accountId;
    let answered = 0;
    const flood = Array.from({ length: FLOOD }, (_, i) =>
      send(own, upload.id, { enhancements: [{}], part: { x: i / FLOOD, y: 0 } }).finally(() => (answered += 1)),
    );
    // One runs and four wait.
    while (answered < FLOOD - 5) await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await send(own, calm.id, { enhancements: [{}] }, own.foreignKey)).status).toBe(200);
    expect([answered, turns]).toEqual([FLOOD - 5, [upload.accountId, calm.accountId]]);
    held = undefined;
    letGo();
    const answers = await Promise.all(flood);
    const refused = answers.filter(({ status }) => status === 429);
    expect([refused.length, answers.filter(({ status }) => status === 200).length]).toEqual([FLOOD - 5, 5]);
    expect(refused[0]!.headers.get('retry-after')).toMatch(/^\d+$/);
    const detail = 'Too many trials were requested at once.';
    expect(await refused[0]!.json()).toMatchObject({ code: 'RATE_LIMITED', detail });
  });

  test('above the limit of a minute an account waits, and another one does not', async () => {
    const { own } = await heldGateway(2);
    const bytes = await picture(64, 64).jpeg().toBuffer();
    const upload = await uploadOf(own, bytes, 'image/jpeg');
    const statuses = [];
    for (const x of [0, 0.5, 1]) statuses.push(await send(own, upload.id, { enhancements: [{}], part: { x, y: 0 } }));
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(Number(statuses[2]!.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(((await statuses[2]!.json()) as { detail: string }).detail).toBe(
      'An account has at most 2 trials per minute.',
    );
    const calm = await foreignUpload(own, bytes);
    expect((await send(own, calm.id, { enhancements: [{}] }, own.foreignKey)).status).toBe(200);
  });
});
