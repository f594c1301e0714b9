import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EnhancementProgress } from '@burnish/contract';
import { testGateway, type TestGateway } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';
import { poll } from '../../support/poll.ts';

let gateway: TestGateway;
const fractions = new Map<string, EnhancementProgress>();
const reads = new Map<string, number>();

beforeAll(async () => {
  gateway = await testGateway({
    readProgress: async ({ id }) => {
      reads.set(id, (reads.get(id) ?? 0) + 1);
      return fractions.get(id);
    },
    limits: { streamsPerKey: 2, progressIntervalMs: 10, streamHeartbeatMs: 50, changePollMs: 60_000 },
  });
});
afterAll(async () => await gateway[Symbol.asyncDispose]());

interface StreamEvent {
  id?: string;
  event: string;
  data: { [name: string]: unknown };
}

interface Stream {
  next(): Promise<StreamEvent | undefined>;
  comments: number;
  close(): void;
}

async function follow(
  id: string,
  { query = '', lastEventId, key }: { query?: string; lastEventId?: string; key?: string } = {},
): Promise<Stream> {
  const abort = new AbortController();
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
  const response = await gateway.fetch(`/v1/uploads/${id}/events${query}`, {
    headers,
    signal: abort.signal,
    ...(key === undefined ? {} : { key }),
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const chunks = response.body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  let text = '';
  const stream: Stream = {
    comments: 0,
    close: () => abort.abort(),
    async next() {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end < 0) {
          const { value, done } = await chunks.next();
          if (done === true) return undefined;
          text += value;
          continue;
        }
        const lines = text
          .slice(0, end)
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]);
        text = text.slice(end + 2);
        const fields = Object.fromEntries(lines) as Record<string, string>;
        if (fields['event'] === undefined) stream.comments += '' in fields ? 1 : 0;
        else return { ...fields, data: JSON.parse(fields['data']!) } as StreamEvent;
      }
    },
  };
  return stream;
}

async function rest(stream: Stream): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for (let event = await stream.next(); event !== undefined; event = await stream.next()) events.push(event);
  return events;
}
const gist = ({ id, event, data }: StreamEvent): unknown[] => [id, event, data['status'] ?? data['reason']];

test('an event stream sends past events, then new events, and ends with the deletion', async () => {
  const upload = await storedUpload(gateway);
  const enhancement = await storedEnhancement(gateway, upload);
  const stream = await follow(upload.id);
  expect(gist((await stream.next())!)).toEqual(['1', 'upload', 'UPLOAD_FINISHED']);
  expect(gist((await stream.next())!)).toEqual(['2', 'enhancement', 'QUEUED']);
  await gateway.records.enhancements.project({ ...enhancement, revision: 1, status: 'AWAITING_CREDITS' });
  expect(gist((await stream.next())!)).toEqual(['3', 'enhancement', 'AWAITING_CREDITS']);
  await gateway.records.uploads.project({ ...upload, revision: 1, status: 'UPLOAD_DELETED' });
  expect((await rest(stream)).map(gist)).toEqual([
    ['4', 'upload', 'UPLOAD_DELETED'],
    [undefined, 'end', 'deleted'],
  ]);
});

test('an event stream continues after the last received event', async () => {
  const upload = await storedUpload(gateway);
  for (let revision = 1; revision <= 120; revision += 1) await gateway.records.uploads.project({ ...upload, revision });
  await gateway.records.uploads.project({ ...upload, revision: 121, status: 'UPLOAD_DELETED' });
  const whole = await rest(await follow(upload.id));
  expect(whole.map(({ id }) => id)).toEqual([...Array.from({ length: 122 }, (_, i) => String(i + 1)), undefined]);
  const resumed = await rest(await follow(upload.id, { lastEventId: '60' }));
  expect(resumed.map(gist)).toEqual(whole.slice(60).map(gist));
});

test('until=settled ends the stream when nothing runs or waits, and not before', async () => {
  const upload = await storedUpload(gateway);
  const enhancement = await storedEnhancement(gateway, upload);
  const stream = await follow(upload.id, { query: '?until=settled' });
  await stream.next();
  await stream.next();
  await gateway.records.enhancements.project({
    ...enhancement,
    revision: 1,
    status: 'ERROR',
    errorCode: 'CORRUPT_FILE',
  });
  expect((await rest(stream)).map(gist)).toEqual([
    ['3', 'enhancement', 'ERROR'],
    [undefined, 'end', 'settled'],
  ]);
});

test('until=settled ends the stream of an upload that fails', async () => {
  const upload = await storedUpload(gateway, { status: 'UPLOAD_PROCESSING' });
  const stream = await follow(upload.id, { query: '?until=settled' });
  await stream.next();
  await gateway.records.uploads.project({ ...upload, revision: 1, status: 'UPLOAD_FAILED', errorCode: 'CORRUPT_FILE' });
  expect((await rest(stream)).map(gist)).toEqual([
    ['2', 'upload', 'UPLOAD_FAILED'],
    [undefined, 'end', 'settled'],
  ]);
});

test('progress of running work is sent to all clients, read once for all, and not after its end', async () => {
  const upload = await storedUpload(gateway);
  const enhancement = await storedEnhancement(gateway, upload, { status: 'PROCESSING' });
  const streams = [await follow(upload.id), await follow(upload.id)];
  fractions.set(enhancement.id, { step: 'upscale', fraction: 0.25 });
  // The second watcher gets progress at once, which may come before earlier events.
  const nextOf = async (stream: Stream, isWanted: (event: StreamEvent) => boolean): Promise<StreamEvent> => {
    for (;;) {
      const event = await stream.next();
      if (event === undefined) throw new Error('The stream ended before the event.');
      if (isWanted(event)) return event;
    }
  };
  const nextProgress = (stream: Stream) => nextOf(stream, ({ event }) => event === 'progress');
  for (const stream of streams) await nextProgress(stream);
  fractions.set(enhancement.id, { step: 'encode', fraction: 0.5 });
  const shown = await Promise.all(streams.map(nextProgress));
  const expected = { event: 'progress', data: { enhancementId: enhancement.id, step: 'encode', fraction: 0.5 } };
  expect(shown).toEqual([expected, expected]);
  await gateway.records.enhancements.project({ ...enhancement, revision: 1, status: 'FINISHED' });
  for (const stream of streams)
    await nextOf(stream, ({ event, data }) => event === 'enhancement' && data['status'] === 'FINISHED');
  const count = reads.get(enhancement.id)!;
  await gateway.records.uploads.project({ ...upload, revision: 1, status: 'UPLOAD_DELETED' });
  for (const stream of streams) await rest(stream);
  expect(reads.get(enhancement.id)).toBeLessThanOrEqual(count + 1);
});

test('comments keep an idle event stream open', async () => {
  const upload = await storedUpload(gateway);
  const stream = await follow(upload.id);
  await stream.next();
  const next = stream.next();
  await poll(() => stream.comments).toBeGreaterThan(1);
  stream.close();
  await expect(next).rejects.toThrow();
});

test('the number of streams of a key is limited, and a closed one frees its slot', async () => {
  const upload = await storedUpload(gateway);
  const [first] = [await follow(upload.id), await follow(upload.id)];
  const path = `/v1/uploads/${upload.id}/events`;
  const refused = await gateway.fetch(path);
  expect([refused.status, (await refused.json()).code, refused.headers.get('retry-after')]).toEqual([
    429,
    'RATE_LIMITED',
    '5',
  ]);
  first.close();
  await poll(async () => (await gateway.fetch(path, { signal: AbortSignal.timeout(500) })).status).toBe(200);
});

// A stream that was open went on for as long as the upload lived, and handed out fresh addresses of its files.
test('an event stream ends when its key is deleted', async () => {
  const upload = await storedUpload(gateway);
  const { key, apiKey } = await gateway.records.apiKeys.create(gateway.account.id, 'Short-lived');
  const stream = await follow(upload.id, { key });
  expect(gist((await stream.next())!)).toEqual(['1', 'upload', 'UPLOAD_FINISHED']);
  expect((await gateway.fetch(`/v1/api-keys/${apiKey.id}`, { method: 'DELETE' })).status).toBe(204);
  expect(await rest(stream)).toEqual([]);
});

test('a client that does not read its stream is disconnected', async () => {
  await using stalling = await testGateway({ limits: { streamStallMs: 300 } });
  const upload = await storedUpload(stalling);
  const socket = connect(stalling.gateway.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`GET /v1/uploads/${upload.id}/events HTTP/1.1\r\nHost: x\r\nx-api-key: ${stalling.key}\r\n\r\n`);
  socket.once('data', () => socket.pause());
  const errorDetail = 'x'.repeat(200_000);
  let revision = 1;
  await poll(
    async () => {
      for (let i = 0; i < 10; i += 1)
        await stalling.records.uploads.project({ ...upload, revision: (revision += 1), errorDetail });
      return stalling.logged();
    },
    { timeout: 30_000 },
  ).toMatch(/\/events","status":200.*"aborted":true/);
  socket.destroy();
});

test('closing the gateway ends its streams, and clients reconnect to the next one', async () => {
  const closing = await testGateway();
  const upload = await storedUpload(closing);
  const response = await closing.fetch(`/v1/uploads/${upload.id}/events`);
  const text = response.text();
  await closing[Symbol.asyncDispose]();
  expect(await text).toContain('retry: 1000');
});
