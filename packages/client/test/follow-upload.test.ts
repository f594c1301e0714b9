import { expect, test } from '@jest/globals';
import { Burnish } from '../src/burnish.ts';
import type { UploadEvent } from '../src/follow-upload.ts';
import { API_KEY, END, startFakeApi } from '../../../test/support/fake-api.ts';

const state = (id: number, status: string): string =>
  `id: ${id}\nevent: enhancement\ndata: ${JSON.stringify({ status })}\n\n`;

async function collect(events: AsyncIterable<UploadEvent>): Promise<string[]> {
  const states: string[] = [];
  for await (const event of events) {
    if (event.kind === 'enhancement') states.push(event.enhancement.status);
    else if (event.kind === 'upload') states.push(event.upload.status);
  }
  return states;
}

test('the client resumes a broken stream after the last received event', async () => {
  const streams = [state(1, 'QUEUED') + state(2, 'PROCESSING'), 'id: 3\nevent: enhanc', state(3, 'FINISHED') + END];
  await using api = await startFakeApi(() => ({ streams }));
  const burnish = new Burnish({ baseUrl: api.baseUrl, apiKey: API_KEY });
  const { id } = await burnish.uploads.create(new Blob(['bytes']), { filename: 'photo.jpg' });
  expect(await collect(burnish.uploads.follow(id, { pauseMs: 1 }))).toEqual(['QUEUED', 'PROCESSING', 'FINISHED']);
  expect(api.of('/events').map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2', '2']);
});

test('the client polls an upload whose event streams break again and again', async () => {
  await using api = await startFakeApi(() => ({ streams: Array<string>(20).fill('') }));
  const burnish = new Burnish({ baseUrl: api.baseUrl, apiKey: API_KEY });
  const { id } = await burnish.uploads.create(new Blob(['bytes']), { filename: 'photo.jpg' });
  expect(await collect(burnish.uploads.follow(id, { pauseMs: 0, pollMs: 1 }))).toEqual(['UPLOAD_FINISHED', 'FINISHED']);
  expect(api.of('/events')).toHaveLength(4);
});

test('the client reports a refused event stream at once', async () => {
  await using api = await startFakeApi();
  const burnish = new Burnish({ baseUrl: api.baseUrl, apiKey: 'another key' });
  await expect(collect(burnish.uploads.follow('upl_0'))).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
    status: 401,
  });
  expect(api.of('/events')).toHaveLength(1);
});

test('the client reports an instance that dies after the retries of one connection', async () => {
  const attempts: string[] = [];
  const burnish = new Burnish({
    apiKey: API_KEY,
    maxRetries: 1,
    fetch: (url) => {
      attempts.push(new URL(url).pathname);
      if (attempts.length > 1) return Promise.reject(new TypeError('fetch failed'));
      return Promise.resolve(new Response(state(1, 'QUEUED'), { headers: { 'content-type': 'text/event-stream' } }));
    },
  });
  await expect(collect(burnish.uploads.follow('upl_1', { pauseMs: 1 }))).rejects.toMatchObject({ code: 'UNREACHABLE' });
  expect(attempts).toEqual(Array<string>(3).fill('/v1/uploads/upl_1/events'));
});

test('the client polls where a proxy replaces the event stream', async () => {
  await using api = await startFakeApi();
  const burnish = new Burnish({
    baseUrl: api.baseUrl,
    apiKey: API_KEY,
    fetch: (url, init) =>
      (url as string).includes('/events?') ? Promise.resolve(new Response('<html>')) : fetch(url, init),
  });
  const { id } = await burnish.uploads.create(new Blob(['bytes']), { filename: 'photo.jpg' });
  expect(await collect(burnish.uploads.follow(id, { pauseMs: 0, pollMs: 1 }))).toEqual(['UPLOAD_FINISHED', 'FINISHED']);
});

test('the client reports an unreachable instance', async () => {
  const api = await startFakeApi();
  await api[Symbol.asyncDispose]();
  const burnish = new Burnish({ baseUrl: api.baseUrl, apiKey: API_KEY, maxRetries: 1 });
  await expect(burnish.credits()).rejects.toThrow(`No instance responds at ${api.baseUrl}.`);
});
