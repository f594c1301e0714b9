import { expect, test } from '@jest/globals';
import { PRESET_LIMITS } from '@burnish/contract';
import { initialEnhancement, type EnhancementRequest } from '../../../src/domain/enhancement/new-enhancement.ts';
import { presets } from '../../../src/database/schema/presets.ts';
import { graphql, refusal } from '../graphql/support.ts';
import { useGateway } from '../support/gateway.ts';
import { storedUpload } from '../support/records.ts';
import { jsonRequests } from '../support/requests.ts';

const gateway = useGateway();
const send = jsonRequests(() => gateway);

const DOUBLE = { upscalingFactor: 'X2' };
const save = async (name: string, parameters: object, once?: string) => {
  const response = await send('PUT', `/v1/presets/${name}`, {
    body: { enhancements: [parameters] },
    ...(once && { once }),
  });
  return { status: response.status, ...(await response.json()) };
};
const read = async (name: string) => {
  const response = await send('GET', `/v1/presets/${name}`);
  return { status: response.status, ...(await response.json()) };
};

/** Orders by URL, and returns the request that its workflow gets. */
async function order(enhancement: object) {
  const body = { source: { url: 'https://example.com/a.jpg' }, enhancements: [enhancement] };
  const response = await send('POST', '/v1/uploads', { body });
  const answer = await response.json();
  const started = gateway.temporal.starts.find(({ options }) => options.workflowId === `upload/${answer.id}`);
  return { status: response.status, answer, request: started?.options.args[0].enhancements[0] };
}

test('a changed preset gets the next version, and an equal one none', async () => {
  const first = await save('web', { upscalingFactor: 'X2', outputFormat: 'WEBP' });
  expect(first).toMatchObject({ status: 200, name: 'web', version: 1, createdAt: expect.any(String) });
  expect(await save('web', { outputFormat: 'WEBP', upscalingFactor: 'X2' })).toEqual(first);
  expect(await save('web', { upscalingFactor: 'X4' })).toMatchObject({ version: 2 });
  expect(await read('web')).toMatchObject({ version: 2, enhancements: [{ upscalingFactor: 'X4' }] });
  expect(await read('web@1')).toEqual(first);
  for (const unknown of ['web@3', 'web@01', 'other', 'web@1@1']) expect((await read(unknown)).status).toBe(404);
});

test('an order completes its parameters from its preset, and records the version', async () => {
  await save('order', { upscalingFactor: 'X2', outputFormat: 'WEBP' });
  await save('order', { upscalingFactor: 'X2', outputFormat: 'PNG' });
  const latest = await order({ preset: 'order', upscalingFactor: 'X4' });
  const parameters = { upscalingFactor: 'X4', outputFormat: 'PNG' };
  expect(latest.answer.enhancements[0]).toMatchObject({ preset: 'order@2', parameters });
  expect(latest.request).toMatchObject({ preset: 'order@2', parameters });
  const { id } = latest.answer.enhancements[0];
  expect(await (await send('GET', `/v1/enhancements/${id}`)).json()).toMatchObject({ preset: 'order@2', parameters });
  const pinned = await order({ preset: 'order@1' });
  expect(pinned.request).toMatchObject({ preset: 'order@1', parameters: { outputFormat: 'WEBP' } });
  expect((await order(DOUBLE)).answer.enhancements[0].preset).toBeNull();
});

test.each([
  [{ targetWidth: 800, fit: 'INSIDE' }, { targetWidthCm: 10 }, { targetWidthCm: 10, fit: 'INSIDE' }],
  [{ targetWidthCm: 10, targetDpi: 72 }, { targetHeight: 600 }, { targetHeight: 600 }],
  [{ targetWidthCm: 10, targetDpi: 72 }, { targetWidthCm: 12.5 }, { targetWidthCm: 12.5, targetDpi: 72 }],
  [{ upscalingFactor: 'X2', mode: 'VIVID' }, { targetWidth: 800 }, { targetWidth: 800, mode: 'VIVID' }],
  [{ targetWidth: 800, targetHeight: 600, fit: 'COVER' }, DOUBLE, DOUBLE],
])('the size of an order replaces the size of its preset: %j with %j', async (saved, given, expected) => {
  await save('sized', saved);
  const { answer } = await order({ preset: 'sized', ...given });
  expect(answer.enhancements[0].parameters).toEqual({ ...expected });
});

test('an order for an upload and an estimate take the preset too', async () => {
  await save('later', { upscalingFactor: 'X4' });
  const upload = await storedUpload(gateway, { width: 400, height: 300 });
  gateway.temporal.onUpdate = ({ args }) =>
    (args[0] as EnhancementRequest[]).map((each) => initialEnhancement(each, upload, new Date().toISOString()));
  const body = { enhancements: [{ preset: 'later' }] };
  const estimated = await send('POST', `/v1/uploads/${upload.id}/estimate`, { body });
  expect(await estimated.json()).toMatchObject({ enhancements: [{ width: 1600, height: 1200 }] });
  const ordered = await send('POST', `/v1/uploads/${upload.id}/enhancements`, {
    body: { enhancements: [{ preset: 'later', outputFormat: 'PNG' }] },
  });
  const parameters = { upscalingFactor: 'X4', outputFormat: 'PNG' };
  expect(await ordered.json()).toMatchObject({ enhancements: [{ preset: 'later@1', parameters }] });
  expect(gateway.temporal.updates.at(-1)?.args[0]).toMatchObject([{ preset: 'later@1', parameters }]);
});

test('a repeated order keeps the version of the first, after the preset has changed', async () => {
  await save('repeated', DOUBLE);
  const body = { source: { url: 'https://example.com/b.jpg' }, enhancements: [{ preset: 'repeated' }] };
  const first = await (await send('POST', '/v1/uploads', { body, once: 'preset-order' })).json();
  await save('repeated', { upscalingFactor: 'X4' });
  const again = await (await send('POST', '/v1/uploads', { body, once: 'preset-order' })).json();
  expect(again.id).toBe(first.id);
  expect(again.enhancements[0]).toMatchObject({ preset: 'repeated@1', parameters: DOUBLE });
});

test('an unknown preset, and parameters that fit no file, are refused with their field', async () => {
  expect(await order({ preset: 'nothing' })).toMatchObject({
    status: 400,
    answer: { code: 'BAD_USER_INPUT', field: 'enhancements[0].preset' },
  });
  expect((await order({ preset: 'not a name' })).answer).toMatchObject({ field: 'enhancements[0].preset' });
  expect(await save('mixed', { upscalingFactor: 'X2', targetResolution: 300 })).toMatchObject({
    status: 400,
    field: expect.stringMatching(/^enhancements\[0\]\./),
  });
  expect(await save('mixed', { upscalingFactor: 'X3' })).toMatchObject({ field: 'enhancements[0].upscalingFactor' });
  for (const name of ['Web', '_web']) {
    const remedy = /^Send 1 to 60 .*, and begin with a letter or a digit\.$/;
    expect(await save(name, {})).toMatchObject({ status: 400, remedy: expect.stringMatching(remedy) });
  }
  expect((await read('mixed')).status).toBe(404);
});

test('another account neither reads, orders with, nor deletes a preset', async () => {
  await save('mine', DOUBLE);
  const foreign = { key: gateway.foreignKey };
  expect((await send('GET', '/v1/presets/mine', foreign)).status).toBe(404);
  expect((await send('DELETE', '/v1/presets/mine', foreign)).status).toBe(404);
  expect((await (await send('GET', '/v1/presets', foreign)).json()).items).toEqual([]);
  const body = { source: { url: 'https://example.com/a.jpg' }, enhancements: [{ preset: 'mine' }] };
  expect((await send('POST', '/v1/uploads', { ...foreign, body })).status).toBe(400);
  expect((await read('mine')).status).toBe(200);
});

test('a preset with the name of a deleted one continues the versions, so that a record stays true', async () => {
  await save('again', DOUBLE);
  await save('again', { upscalingFactor: 'X4' });
  expect((await send('DELETE', '/v1/presets/again')).status).toBe(204);
  expect((await send('DELETE', '/v1/presets/again')).status).toBe(404);
  for (const name of ['again', 'again@1', 'again@2']) expect((await read(name)).status).toBe(404);
  expect((await order({ preset: 'again' })).status).toBe(400);
  expect(await save('again', { upscalingFactor: 'X4' })).toMatchObject({ version: 3 });
  expect((await read('again@2')).status).toBe(404);
});

test('a save that is repeated with its key makes one version, and one of a deleted preset is not made again', async () => {
  const first = await save('keyed', DOUBLE, 'preset-1');
  await save('keyed', { upscalingFactor: 'X4' });
  expect(await save('keyed', DOUBLE, 'preset-1')).toEqual(first);
  expect(await read('keyed')).toMatchObject({ version: 2 });
  await send('DELETE', '/v1/presets/keyed');
  expect((await save('keyed', DOUBLE, 'preset-1')).status).toBe(404);
});

test('concurrent saves make versions without a gap', async () => {
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, index) => save('busy', { targetResolution: 100 + index })),
  );
  expect(made.map(({ version }) => version).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test('presets, versions and names are limited', async () => {
  const row = (name: string, version: number, deletedAt: string | null = null) => ({
    accountId: gateway.account.id,
    name,
    version,
    content: {},
    createdAt: new Date().toISOString(),
    deletedAt,
  });
  const at = new Date().toISOString();
  const { orm } = gateway.database;
  await orm.insert(presets).values(Array.from({ length: PRESET_LIMITS.versions }, (_, k) => row('full', k + 1)));
  expect(await save('full', DOUBLE)).toMatchObject({ status: 400, detail: expect.stringMatching(/100 versions/) });
  const { items } = await (await send('GET', '/v1/presets')).json();
  expect(items.map(({ name }: { name: string }) => name)).toContain('full');
  const left = PRESET_LIMITS.live - items.length;
  await orm.insert(presets).values(Array.from({ length: left }, (_, k) => row(`filler-${k}`, 1)));
  expect(await save('one-more', DOUBLE)).toMatchObject({ status: 400, detail: expect.stringMatching(/100 presets/) });
  expect(await save('filler-0', DOUBLE)).toMatchObject({ status: 200, version: 2 });
  await orm.delete(presets);
  await orm.insert(presets).values(Array.from({ length: PRESET_LIMITS.names }, (_, k) => row(`gone-${k}`, 4, at)));
  expect(await save('new-name', DOUBLE)).toMatchObject({ status: 400, detail: expect.stringMatching(/1,000 names/) });
  expect(await save('gone-7', DOUBLE)).toMatchObject({ status: 200, version: 5 });
  await orm.delete(presets);
});

test('GraphQL saves, reads, orders with and deletes a preset', async () => {
  const saved = await graphql(
    gateway,
    'mutation { savePreset(name: "gql", enhancements: [{ upscalingFactor: X2 }]) { name version enhancements { upscalingFactor } } }',
  );
  expect(saved.data.savePreset).toEqual({ name: 'gql', version: 1, enhancements: [{ upscalingFactor: 'X2' }] });
  const listed = await graphql(gateway, '{ presets { name } preset(name: "gql@1") { version } }');
  expect(listed.data).toMatchObject({ presets: expect.arrayContaining([{ name: 'gql' }]), preset: { version: 1 } });
  const upload = await storedUpload(gateway, { width: 400, height: 300 });
  const estimate = `{ enhancementEstimate(uploadId: "${upload.id}", input: { presetName: "gql" }) { width } }`;
  expect((await graphql(gateway, estimate)).data.enhancementEstimate).toEqual({ width: 800 });
  const unknown = `{ enhancementEstimate(uploadId: "${upload.id}", input: { presetName: "none" }) { width } }`;
  expect(refusal(await graphql(gateway, unknown))).toEqual(['BAD_USER_INPUT', 'input.preset']);
  const gone = await graphql(gateway, 'mutation { deletePreset(name: "gql") { deletedId } }');
  expect(gone.data.deletePreset).toEqual({ deletedId: 'gql' });
});

test('GraphQL saves a preset in centimetres, and an estimate takes its pixels', async () => {
  const parameters = 'targetWidthCm: 5.08, targetHeightCm: 5.08, targetDpi: 254, fit: COVER';
  const saved = await graphql(
    gateway,
    `mutation { savePreset(name: "print", enhancements: [{ ${parameters} }]) { enhancements { targetWidthCm targetHeightCm targetDpi } } }`,
  );
  expect(saved.data.savePreset.enhancements).toEqual([{ targetWidthCm: 5.08, targetHeightCm: 5.08, targetDpi: 254 }]);
  const upload = await storedUpload(gateway, { width: 400, height: 300 });
  const estimate = `{ enhancementEstimate(uploadId: "${upload.id}", input: { presetName: "print" }) { width height } }`;
  expect((await graphql(gateway, estimate)).data.enhancementEstimate).toEqual({ width: 508, height: 508 });
});
