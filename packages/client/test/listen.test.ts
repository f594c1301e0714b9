import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Burnish } from '../src/burnish.ts';
import { forwardTo } from '../src/forward-to.ts';
import type { ListenOptions, Receive } from '../src/listen.ts';
import type { WebhookEvent } from '../src/verify-webhook.ts';

interface Step {
  status?: number;
  /** Pieces of the stream; the connection is cut after them, unless they say the end. A cut discards what was not read yet. */
  stream?: string;
}

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const event = (position: number): string =>
  `id: ${position}\nevent: event\ndata: ${JSON.stringify({ id: `evt_${position}`, event: 'upload.deleted' })}\n\n`;
const open = (position: number): string => `id: ${position}\nevent: open\ndata: {}\n\n`;
const FORBIDDEN = { status: 403 };
const EVENT = {
  id: 'evt_1',
  event: 'webhook.test',
  data: { webhookId: 'whk_1', message: 'ä' },
  created: '',
} as WebhookEvent;

/** An instance that plays one step for each stream; then it repeats the last one. */
async function instance(steps: Step[]) {
  const asked: { query: string; after: string | undefined }[] = [];
  const server = await listen((req, res) => {
    const url = new URL(req.url!, 'http://instance');
    asked.push({ query: url.search, after: req.headers['last-event-id'] as string | undefined });
    const { status = 200, stream = '' } = steps.length > 1 ? steps.shift()! : steps[0]!;
    res.writeHead(status, { 'content-type': status === 200 ? 'text/event-stream' : 'application/problem+json' });
    if (status !== 200) return void res.end(JSON.stringify({ code: status === 403 ? 'FORBIDDEN' : 'UNAVAILABLE' }));
    res.write(stream, () => setTimeout(() => res.destroy(), 20));
  });
  return { ...server, asked };
}

async function listen(handler: (req: IncomingMessage, res: ServerResponse) => void | Promise<void>) {
  const server = createServer((req, res) => void handler(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function run(url: string, receive: Receive, options: ListenOptions = {}): Promise<Error & { code?: string }> {
  const burnish = new Burnish({ baseUrl: url, apiKey: 'key', maxRetries: 0 });
  return await burnish.webhooks.listen(options, receive).catch((error: unknown) => error as Error);
}

test('the client continues behind the last event after cut streams and refusals, and handles each once', async () => {
  await using api = await instance([
    { stream: open(4) + event(5) + event(7) + 'event: eve' },
    { status: 503 },
    { stream: open(7) + event(8) },
    FORBIDDEN,
  ]);
  const received: [string, number][] = [];
  const opened: number[] = [];
  let lost = 0;
  const options = { onDisconnect: () => (lost += 1), onOpen: (position: number) => opened.push(position) };
  const error = await run(api.url, ({ id }, position) => void received.push([id, position]), options);
  expect([error.code, lost, opened]).toEqual(['FORBIDDEN', 2, [4, 7]]);
  expect(received).toEqual([
    ['evt_5', 5],
    ['evt_7', 7],
    ['evt_8', 8],
  ]);
  expect(api.asked.map(({ after }) => after)).toEqual([undefined, '7', '7', '8']);
});

test('a stream that is cut before its first event continues where it was opened', async () => {
  await using api = await instance([{ stream: open(4) }, FORBIDDEN]);
  await run(api.url, () => undefined, { events: ['upload.deleted', 'batch.ended'], since: '2026-01-31T09:30:00Z' });
  const [first, second] = api.asked.map(({ query, after }) => [new URLSearchParams(query), after] as const);
  expect([first![0].get('since'), first![1]]).toEqual(['2026-01-31T09:30:00Z', undefined]);
  expect([second![0].get('since'), second![1]]).toEqual([null, '4']);
  for (const [query] of [first!, second!]) expect(query.get('events')).toBe('upload.deleted,batch.ended');
});

test('an error of the function ends the listening, and the event counts as not handled', async () => {
  await using api = await instance([{ stream: open(4) + event(5) + event(6) }, FORBIDDEN]);
  const received: number[] = [];
  const fails = (_: unknown, position: number): void => {
    received.push(position);
    throw new Error('full');
  };
  expect(await run(api.url, fails, { after: 4 })).toMatchObject({ message: 'full' });
  expect([received, api.asked.map(({ after }) => after)]).toEqual([[5], ['4']]);
});

test('an abort ends the listening after the present event', async () => {
  await using api = await instance([{ stream: open(4) + event(5) + event(6) }]);
  const abort = new AbortController();
  const received: number[] = [];
  const receive = (_: unknown, position: number): void => {
    received.push(position);
    abort.abort(new Error('enough'));
  };
  expect(await run(api.url, receive, { signal: abort.signal })).toMatchObject({ message: 'enough' });
  expect(received).toEqual([5]);
});

test('an instance that is away at first is an error', async () => {
  const gone = await instance([{}]);
  await gone[Symbol.asyncDispose]();
  expect(await run(gone.url, () => undefined)).toMatchObject({ code: 'UNREACHABLE' });
});

test('forwardTo signs the event, and reports the beginning of the answer', async () => {
  const seen: unknown[] = [];
  await using receiver = await listen(async (req, res) => {
    const verified = new Webhook(SECRET).verify(await text(req), req.headers as Record<string, string>);
    seen.push([req.method, req.headers['webhook-id'], verified]);
    res.writeHead(500).end('ä'.repeat(2_000));
  });
  const { httpStatus, answer } = await forwardTo(receiver.url, SECRET)(EVENT);
  expect([seen, httpStatus, answer]).toEqual([[['POST', 'evt_1', EVENT]], 500, 'ä'.repeat(500)]);
});

test('forwardTo follows no redirect, and names a receiver that is absent or slow', async () => {
  await using receiver = await listen((req, res) => {
    if (req.url === '/redirect') res.writeHead(302, { location: '/' }).end();
  });
  expect(await forwardTo(`${receiver.url}/redirect`, SECRET)(EVENT)).toMatchObject({ httpStatus: 302 });
  const slow = await forwardTo(receiver.url, SECRET, { timeoutMs: 30 })(EVENT);
  expect(slow).toMatchObject({ httpStatus: null, answer: 'No answer within 0.03 s.' });
  const gone = await listen(() => undefined);
  const { url } = gone;
  await gone[Symbol.asyncDispose]();
  expect(await forwardTo(url, SECRET)(EVENT)).toMatchObject({
    httpStatus: null,
    answer: `Nothing listens at ${new URL(url).host}.`,
  });
});
