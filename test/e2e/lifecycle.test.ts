import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { EnhancementRepresentation } from '@burnish/contract';
import type { Api } from './api.ts';
import { readEvents, type StreamEvent } from './events.ts';
import { photo, picture } from './files.ts';
import { sharedInstance, type SharedInstance } from './shared-instance.ts';
import { type WebhookReceiver, webhookReceiver } from './webhook-receiver.ts';

let receiver: WebhookReceiver;
let instance: SharedInstance;
let api: Api;

beforeAll(async () => {
  receiver = await webhookReceiver();
  instance = await sharedInstance({ creditsPerPeriod: 10_000 });
  api = instance.api;
});
afterAll(async () => {
  await instance?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});

/** Enlarged four times and denoised, it keeps a core busy for seconds. */
const slowOrder = { mode: 'ENHANCE', upscalingFactor: 'X4', noiseReductionProfilingMode: 'AUTO' };
const slowPhoto = (seed: number): Promise<Buffer> => picture(1600, 1200, { seed }).jpeg({ quality: 85 }).toBuffer();

const X2 = { upscalingFactor: 'X2' };

describe('the event stream of progress', () => {
  test('is live, and continues after the last received event', async () => {
    const { body: upload } = await api.upload(await slowPhoto(1), { enhancements: [slowOrder] });
    const address = `${instance.url}/v1/uploads/${upload.id}/events?until=settled`;

    const before: StreamEvent[] = [];
    const lost = new AbortController();
    await expect(async () => {
      for await (const event of readEvents(address, instance.apiKey, { signal: lost.signal })) {
        before.push(event);
        const told = before.map(({ event: kind, data }) => (kind === 'progress' ? kind : data['status']));
        if (told.includes('progress') && told.includes('PROCESSING')) lost.abort();
      }
    }).rejects.toThrow('aborted');
    const [enhancementId] = upload.enhancements.map(({ id }) => id);
    const progress = before.find(({ event }) => event === 'progress')!;
    expect(progress.data).toMatchObject({ enhancementId, step: expect.any(String), fraction: expect.any(Number) });
    const seen = before.filter(({ id }) => id !== undefined);
    expect(seen.map(({ data }) => data['status'])).toEqual([
      'UPLOAD_PROCESSING',
      'QUEUED',
      'UPLOAD_FINISHED',
      'PROCESSING',
    ]);

    const after: StreamEvent[] = [];
    const resumed = readEvents(address, instance.apiKey, { lastEventId: seen.at(-1)!.id! });
    for await (const event of resumed) after.push(event);
    const ids = [...seen, ...after.filter(({ id }) => id !== undefined)].map(({ id }) => Number(id));
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect(after.filter(({ id }) => id !== undefined).map(({ data }) => data['status'])).toEqual(['FINISHED']);
    expect(after.at(-1)).toMatchObject({ event: 'end', data: { reason: 'settled' } });

    const whole: StreamEvent[] = [];
    for await (const event of readEvents(address, instance.apiKey)) whole.push(event);
    expect(whole.filter(({ id }) => id !== undefined).map(({ id }) => Number(id))).toEqual(ids);
  });
});

describe('webhooks of a lifecycle', () => {
  test('report every event of an image', async () => {
    const webhookUrl = `${receiver.url}/image?tenant=7`;
    const { body: upload } = await api.upload(await photo(20), { enhancements: [X2], webhookUrl });
    const [{ id: enhancementId }] = upload.enhancements as [EnhancementRepresentation];
    const received = await receiver.received(
      ({ event, data }) => event === 'upload.status_update' && data['id'] === upload.id,
    );
    const finished = await receiver.received(({ data }) => data['id'] === enhancementId);
    const record = await api.settled(upload.id);
    expect(received.event.data).toEqual({
      id: upload.id,
      status: 'UPLOAD_FINISHED',
      subStatus: null,
      metadata: null,
      errorCode: null,
    });
    expect(finished.event).toMatchObject({ event: 'enhanced_image.status_update', id: finished.headers['webhook-id'] });
    expect(finished.event.id).toMatch(/^evt_/);
    expect(new Date(finished.event.created).toISOString()).toBe(finished.event.created);
    expect(finished.event.data).toEqual({
      id: enhancementId,
      uploadId: upload.id,
      status: 'FINISHED',
      filename: record.enhancements[0]!.filename,
      engineDuration: record.enhancements[0]!.engineDuration,
      estimatedCredits: 4,
      chargedCredits: 4,
      errorCode: null,
      unchanged: false,
      destination: null,
    });
  });

  test('that were answered with an error are sent again, as the same event', async () => {
    receiver.answerWith(500);
    const webhookUrl = `${receiver.url}/again`;
    const { body: upload } = await api.upload(await photo(21), { webhookUrl });
    const first = await receiver.received(({ data }) => data['id'] === upload.id);
    receiver.answerWith(204);
    const second = await receiver.received((event) => event !== first.event && event.id === first.event.id);
    expect(second.text).toBe(first.text);
  });
});

describe('commands to a running instance', () => {
  test('cancel running work, charge nothing and leave no result', async () => {
    const before = await api.credits();
    const { body: upload } = await api.upload(await slowPhoto(2), { enhancements: [slowOrder] });
    const [{ id }] = upload.enhancements as [EnhancementRepresentation];
    await api.reached(id, 'PROCESSING');
    expect(await api.credits()).toMatchObject({ reserved: before.reserved + 4 });
    const cancelled = await api.call<EnhancementRepresentation>('POST', `/v1/enhancements/${id}/cancel`);
    expect(cancelled.status).toBe(202);
    expect(await api.reached(id, 'CANCELLED', 'FINISHED', 'ERROR')).toMatchObject({
      status: 'CANCELLED',
      fullUrl: null,
    });
    expect(await api.credits()).toEqual(before);
    expect(await filesOf(upload.id)).toEqual(['original.facts', 'original.object']);
  });

  test('for an equal enhancement return the stored result, free of charge, under the name of the new file', async () => {
    const file = await photo(27);
    const [first] = (await api.settled((await api.upload(file, { filename: 'one.jpg', enhancements: [X2] })).body.id))
      .enhancements;
    const before = await api.credits();
    const [second] = (await api.settled((await api.upload(file, { filename: 'two.jpg', enhancements: [X2] })).body.id))
      .enhancements;
    expect(second).toMatchObject({ status: 'FINISHED', chargedCredits: 0, reusedFrom: first!.id, filename: 'two.jpg' });
    expect(await api.credits()).toEqual(before);
    const [one, two] = await Promise.all([fetch(first!.fullUrl!), fetch(second!.fullUrl!)]);
    expect(Buffer.from(await one.arrayBuffer()).equals(Buffer.from(await two.arrayBuffer()))).toBe(true);
  });
});

/** Names of what lies on disk for an upload. */
async function filesOf(uploadId: string): Promise<string[]> {
  const files = join(instance.dataDir, 'files');
  await access(files);
  const names = await readdir(files, { recursive: true, withFileTypes: true });
  return names
    .filter((each) => each.isFile() && each.parentPath.includes(uploadId))
    .map(({ name }) => name)
    .sort();
}
