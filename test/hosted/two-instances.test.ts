import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EnhancementBody } from '../../src/api/rest/representations.ts';
import { photo } from '../e2e/files.ts';
import { until } from '../e2e/until.ts';
import { type FarSide, type NearSide, startFarSide, startNearSide } from './second-instance.ts';

let far: FarSide;
let near: NearSide;

beforeAll(async () => {
  far = await startFarSide();
});
beforeAll(async () => {
  near = await startNearSide(far);
});
afterAll(async () => {
  // Either may not have come into being.
  await (near as NearSide | undefined)?.[Symbol.asyncDispose]();
  await (far as FarSide | undefined)?.[Symbol.asyncDispose]();
});

test('an upload is served by another instance, and its webhooks wake us', async () => {
  const order = { enhancements: [{ upscalingFactor: 'X2' }] };
  const { body: upload } = await near.instance.api.upload(await photo(3), order);
  const settled = await near.instance.api.settled(upload.id);
  expect(settled).toMatchObject({ status: 'UPLOAD_FINISHED', provider: 'HOSTED' });
  expect(settled.enhancements).toMatchObject([{ status: 'FINISHED', provider: 'HOSTED', width: 800, height: 600 }]);

  expect(far.proxy.acted('CreateEnhancedImage')).toHaveLength(1);
  const { body: there } = await far.instance.api.get<{ items: EnhancementBody[] }>('/v1/enhancements');
  expect(there.items).toHaveLength(1);
  const finished = await until(() =>
    near.webhooks.acted('Webhook').find(({ body }) => body.includes('"FINISHED"') && body.includes(there.items[0]!.id)),
  );
  expect(finished.answered?.status).toBe(204);
  const [ours, theirs] = [await near.instance.api.credits(), await far.instance.api.credits()];
  expect([ours.used, ours.reserved]).toEqual([theirs.used, 0]);

  await near.instance.api.call('POST', '/v1/uploads/delete', { body: { ids: [upload.id] } });
  await until(() => (far.proxy.acted('DeleteUploads').length > 0 ? true : undefined));
});
