import { beforeAll, describe, expect, test } from '@jest/globals';
import { useGateway } from '../support/gateway.ts';
import { storedUpload } from '../support/records.ts';
import { jsonRequests } from '../support/requests.ts';

const gateway = useGateway();
const send = jsonRequests(() => gateway);
const ids = { image: '', pdf: '' };

beforeAll(async () => {
  ids.image = (await storedUpload(gateway)).id;
  const file = { size: 30_000, sha256: 'ab'.repeat(32), mimetype: 'application/pdf' as const };
  ids.pdf = (await storedUpload(gateway, { file })).id;
});

/** Sends an order that is refused. @returns status, code and field. Nothing is sent to the workflow, and no record is written */
async function refused(upload: keyof typeof ids, body: unknown): Promise<unknown[]> {
  const response = await send('POST', `/v1/uploads/${ids[upload]}/enhancements`, { body });
  const { code, field } = await response.json();
  expect(gateway.temporal.updates).toEqual([]);
  expect((await (await send('GET', `/v1/uploads/${ids[upload]}`)).json()).enhancements).toEqual([]);
  return [response.status, code, field];
}

describe('an order for an upload is refused with the field', () => {
  test.each([
    ['image', [{ mode: 'LOUD' }], 'enhancements[0].mode'],
    ['image', [{ blur: 1 }], 'enhancements[0].blur'],
    ['image', [{ targetResolution: 300 }], 'enhancements[0].targetResolution'],
    ['image', [{ creditWait: -1 }], 'enhancements[0].creditWait'],
    ['pdf', [{ upscalingFactor: 'X2' }], 'enhancements[0].upscalingFactor'],
    ['pdf', [{ targetResolution: 71 }], 'enhancements[0].targetResolution'],
    ['image', [{}, { mode: 'VIVID' }, { mode: 'LOUD' }], 'enhancements[2].mode'],
    ['image', [{}, { targetResolution: 300 }], 'enhancements[1].targetResolution'],
    ['image', [{}, { preset: 'none' }, {}], 'enhancements[1].preset'],
    ['image', [], 'enhancements'],
    ['image', {}, 'enhancements'],
    ['image', Array(21).fill({}), 'enhancements'],
  ] as const)('of the %s with %j', async (upload, enhancements, field) => {
    expect(await refused(upload, { enhancements })).toEqual([400, 'BAD_USER_INPUT', field]);
  });

  test.each([
    [{}, 'enhancements'],
    [{ upscalingFactor: 'X2' }, 'upscalingFactor'],
    [{ enhancements: [{}], upscalingFactor: 'X2' }, 'upscalingFactor'],
    [{ enhancements: [{}], reference: 'a' }, 'reference'],
    [[], undefined],
  ])('with the body %j', async (body, field) => {
    expect(await refused('image', body)).toEqual([400, 'BAD_USER_INPUT', field]);
  });

  test.each([1200, 1201])('above the cap of the plan, with %i DPI', async (targetResolution) => {
    const answer = await refused('pdf', { enhancements: [{}, { targetResolution }] });
    expect(answer).toEqual([422, 'TARGET_RESOLUTION_EXCEEDS_PLAN', 'enhancements[1].targetResolution']);
  });

  test('for the destination of a later enhancement', async () => {
    const answer = await refused('image', { enhancements: [{}, { destination: { url: 'http://127.0.0.1/' } }] });
    expect(answer).toEqual([422, 'URL_NOT_ALLOWED', 'enhancements[1].destination.url']);
  });

  test('whose parameters together exceed the input of a workflow', async () => {
    const choices = Array.from({ length: 600 }, (_, index) => [index + 1_000_000, { color: true }]);
    const enhancements = Array(4).fill({ pdf: { images: Object.fromEntries(choices) } });
    expect(await refused('pdf', { enhancements })).toEqual([400, 'BAD_USER_INPUT', 'enhancements']);
  });
});

test.each([[{ upscalingFactor: 'X2' }], [{ enhancements: [{}], upscalingFactor: 'X2' }]])(
  'a parameter outside of the list gets a sentence that says where it stands: %j',
  async (body) => {
    const response = await send('POST', `/v1/uploads/${ids.image}/enhancements`, { body });
    expect(await response.json()).toMatchObject({
      detail: 'Unknown field upscalingFactor.',
      remedy: 'Send it as {"enhancements":[{"upscalingFactor":"X2"}]}.',
    });
  },
);
