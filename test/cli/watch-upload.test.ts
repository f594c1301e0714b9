import { expect, test } from '@jest/globals';
import type { UploadEvent } from '../../src/cli/client/watch-upload.ts';
import { createClient } from '../../src/cli/client/client.ts';
import { API_KEY, END, startFakeApi } from './fake-api.ts';
import { temporaryFolder } from './support.ts';

const state = (id: number, status: string): string =>
  `id: ${id}\nevent: enhancement\ndata: ${JSON.stringify({ status })}\n\n`;

test('the client resumes a broken stream after the last received event', async () => {
  const streams = [state(1, 'QUEUED') + state(2, 'PROCESSING'), 'id: 3\nevent: enhanc', state(3, 'FINISHED') + END];
  await using folder = await temporaryFolder();
  await using api = await startFakeApi(() => ({ streams }));
  const client = createClient({ baseUrl: `${api.baseUrl}/`, apiKey: API_KEY });
  const { id } = await client.upload(await folder.file('photo.jpg'), { enhancements: [{}] });
  const events: UploadEvent[] = [];
  for await (const event of client.watch(id, { pauseMs: 1 })) events.push(event);
  expect(events.map((event) => event.kind === 'enhancement' && event.enhancement.status)).toEqual([
    'QUEUED',
    'PROCESSING',
    'FINISHED',
  ]);
  expect(api.of('/events').map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2', '2']);
});

test('the client reports an instance whose streams break repeatedly', async () => {
  await using folder = await temporaryFolder();
  await using api = await startFakeApi(() => ({ streams: Array<string>(20).fill('') }));
  const client = createClient({ baseUrl: api.baseUrl, apiKey: API_KEY });
  const { id } = await client.upload(await folder.file('photo.jpg'), { enhancements: [{}] });
  const watching = (async () => {
    for await (const event of client.watch(id, { pauseMs: 0 })) void event;
  })();
  await expect(watching).rejects.toThrow(`The connection to ${api.baseUrl} was interrupted.`);
});

test('the client reports an unreachable instance', async () => {
  const api = await startFakeApi();
  await api[Symbol.asyncDispose]();
  const client = createClient({ baseUrl: api.baseUrl, apiKey: API_KEY });
  await expect(client.credits()).rejects.toThrow(`No instance responds at ${api.baseUrl}`);
});
