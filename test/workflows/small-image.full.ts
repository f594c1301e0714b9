import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Failure } from '@burnish/contract';
import { cancelEnhancement, deleteUpload } from '../../src/domain/temporal/workflow-interface.ts';
import { webhookReceiver, type WebhookReceiver } from '../e2e/webhook-receiver.ts';
import { untilStopped } from './scripted-provider.ts';
import { useLifecycle } from './use-lifecycle.ts';

/* A small image with one order is inspected by the activity that enhances it, and everyone is told the same as otherwise. */

const lifecycle = useLifecycle();
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await webhookReceiver();
});
afterAll(() => receiver[Symbol.asyncDispose]());
beforeEach(() => {
  lifecycle.provider.script.together = true;
});

/** Activities of the engine, in the order of the history. */
async function engineWork({ handle }: { handle: { fetchHistory(): Promise<{ events?: unknown[] | null }> } }) {
  const { events } = await handle.fetchHistory();
  const names = (events as { activityTaskScheduledEventAttributes?: { activityType: { name: string } } }[]).map(
    (event) => event.activityTaskScheduledEventAttributes?.activityType.name,
  );
  return names.filter((name) => name !== undefined && /inspect|enhance/i.test(name));
}

test('one activity does both, after the credits are reserved; the upload is told before the result', async () => {
  const before = await lifecycle.balance();
  let reserved = 0;
  lifecycle.provider.script.inspect = async () => {
    reserved = (await lifecycle.balance()).reserved;
    return { width: 800, height: 533, hasAlpha: true, notes: ['Animated: 12 frames.'] };
  };
  const webhookUrl = `${receiver.url}/told`;
  const started = await lifecycle.start({ enhancements: [{ parameters: { upscalingFactor: 'X2' } }], webhookUrl });
  const { id, enhancementIds } = started;
  const enhancement = await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
  expect([reserved, enhancement.estimatedCredits, enhancement.chargedCredits]).toEqual([4, 4, 4]);
  expect(await engineWork(started)).toEqual(['inspectAndEnhance']);
  const upload = (await lifecycle.findUpload(id))!;
  expect(upload).toMatchObject({ status: 'UPLOAD_FINISHED', width: 800, height: 533, file: { hasAlpha: true } });
  const details = JSON.stringify(await started.handle.query('__temporal_workflow_metadata'));
  expect(details).toMatch(/800 × 533 pixels\. Animated: 12 frames\..*Finished: /);
  const { used } = await lifecycle.balance();
  expect(used).toBe(before.used + 4);
  const revisions = await lifecycle.stores.enhancements.get(lifecycle.account.id, enhancementIds[0]!);
  expect(Date.parse(revisions!.finishedAt!)).toBeGreaterThanOrEqual(Date.parse(upload.finishedAt!));
});

test('two orders, or a size to reach, have their inspection before', async () => {
  const two = await lifecycle.start({ enhancements: [{}, { parameters: { upscalingFactor: 'X2' } }] });
  for (const id of two.enhancementIds) await lifecycle.enhancementReaches(id, 'FINISHED');
  expect(await engineWork(two)).toEqual(['inspectImage', 'enhance', 'enhance']);
  const sized = await lifecycle.start({ enhancements: [{ parameters: { targetWidth: 2000 } }] });
  await lifecycle.enhancementReaches(sized.enhancementIds[0]!, 'FINISHED');
  expect(await engineWork(sized)).toEqual(['inspectImage', 'enhance']);
});

test('an order above its limit waits for the approval of a finished upload', async () => {
  const parameters = { upscalingFactor: 'X2' } as const;
  const { id, enhancementIds } = await lifecycle.start({ enhancements: [{ parameters, maxCredits: 1 }] });
  await lifecycle.enhancementReaches(enhancementIds[0]!, 'AWAITING_APPROVAL');
  expect(await lifecycle.findUpload(id)).toMatchObject({ status: 'UPLOAD_FINISHED', width: 640 });
});

test('an order without enough credits waits for them with a finished upload', async () => {
  lifecycle.provider.script.enhance = untilStopped;
  const parameters = { upscalingFactor: 'X2' } as const;
  const { remaining } = await lifecycle.balance();
  const others = await lifecycle.start({
    enhancements: Array.from({ length: Math.floor(remaining / 4) }, () => ({ parameters })),
  });
  for (const id of others.enhancementIds) await lifecycle.enhancementReaches(id, 'PROCESSING');
  const { id, enhancementIds } = await lifecycle.start({ enhancements: [{ parameters }] });
  await lifecycle.enhancementReaches(enhancementIds[0]!, 'AWAITING_CREDITS');
  expect(await lifecycle.findUpload(id)).toMatchObject({ status: 'UPLOAD_FINISHED', width: 640 });
  await lifecycle.command(cancelEnhancement, enhancementIds[0]!);
  await others.handle.executeUpdate(deleteUpload);
});

test('a damaged file fails its upload and its order, and releases the credits', async () => {
  lifecycle.provider.script.inspect = () => Promise.reject(new Failure('CORRUPT_FILE', { detail: 'It ends early.' }));
  const before = await lifecycle.balance();
  const started = await lifecycle.start({ enhancements: [{}] });
  const enhancement = await lifecycle.enhancementReaches(started.enhancementIds[0]!, 'ERROR');
  expect(enhancement).toMatchObject({ errorCode: 'CORRUPT_FILE', errorDetail: 'It ends early.', chargedCredits: null });
  expect(await lifecycle.findUpload(started.id)).toMatchObject({ status: 'UPLOAD_FAILED', errorCode: 'CORRUPT_FILE' });
  expect(await engineWork(started)).toEqual(['inspectAndEnhance', 'inspectImage']);
  expect(await lifecycle.balance()).toEqual(before);
});

test('an order that does not fit its image fails with its upload finished, and leaves no result', async () => {
  lifecycle.provider.script.inspect = async () => ({ width: 19_000, height: 19_000, hasAlpha: false, notes: [] });
  const before = await lifecycle.balance();
  const { id, enhancementIds } = await lifecycle.start({ enhancements: [{ parameters: { upscalingFactor: 'X4' } }] });
  const enhancement = await lifecycle.enhancementReaches(enhancementIds[0]!, 'ERROR');
  expect(enhancement).toMatchObject({ errorCode: 'TOO_MANY_PIXELS', estimatedCredits: null, startedAt: null });
  expect(await lifecycle.findUpload(id)).toMatchObject({ status: 'UPLOAD_FINISHED', width: 19_000 });
  expect(await lifecycle.balance()).toEqual(before);
  await lifecycle.untilMainRests();
  expect(await lifecycle.filesOf(id)).toEqual(['original.object']);
});

test('a cancelled order leaves an upload that is inspected by itself, and a deletion leaves nothing', async () => {
  lifecycle.provider.script.enhance = untilStopped;
  const before = await lifecycle.balance();
  const cancelled = await lifecycle.start({ enhancements: [{}] });
  await lifecycle.untilCalled('enhance', cancelled.enhancementIds[0]!);
  await lifecycle.command(cancelEnhancement, cancelled.enhancementIds[0]!);
  expect(await lifecycle.uploadReaches(cancelled.id, 'UPLOAD_FINISHED')).toMatchObject({ width: 640 });
  expect(await lifecycle.findEnhancement(cancelled.enhancementIds[0]!)).toMatchObject({ status: 'CANCELLED' });
  const deleted = await lifecycle.start({ enhancements: [{}] });
  await lifecycle.untilCalled('enhance', deleted.enhancementIds[0]!);
  await deleted.handle.executeUpdate(deleteUpload);
  expect(await lifecycle.findUpload(deleted.id)).toMatchObject({ status: 'UPLOAD_DELETED' });
  expect(await lifecycle.findEnhancement(deleted.enhancementIds[0]!)).toMatchObject({ status: 'CANCELLED' });
  expect(await lifecycle.filesOf(deleted.id)).toEqual([]);
  expect(await lifecycle.balance()).toEqual(before);
});
