import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { Burnish } from '../src/burnish.ts';
import { forwardTo } from '../src/forward-to.ts';
import type { ListenOptions, Receive } from '../src/listen.ts';

interface Step {
  status?: number;
  /** Pieces of the stream; the connection is cut after them, unless they say the end. A cut discards what was not read yet. */
  stream?: string;
}

const delivery = (id: string): string =>
  `event: delivery\ndata: ${JSON.stringify({ id, headers: { 'webhook-id': id }, body: JSON.stringify({ id }) })}\n\n`;
const END = 'event: end\ndata: {"reason":"deleted"}\n\n';

/** An instance that plays one step for each stream and for each answer; then it repeats the last one. */
async function instance({ streams, answers = [{ status: 204 }] }: { streams: Step[]; answers?: Step[] }) {
  const calls: string[] = [];
  const answered: { deliveryId: string; httpStatus: number | null; answer: string }[] = [];
  const next = (steps: Step[]): Step => (steps.length > 1 ? steps.shift()! : steps[0]!);
  const server = await listen(async (req, res) => {
    const name = req.method === 'GET' ? 'stream' : req.url!.endsWith('/answers') ? 'answer' : 'open';
    calls.push(name);
    if (name === 'open') return void res.end(JSON.stringify({ id: 'lsn_1', secret: 'whsec_1', waiting: 0 }));
    if (name === 'answer') {
      const { status = 204 } = next(answers);
      const body = (await json(req)) as (typeof answered)[number];
      if (status === 204) answered.push(body);
      return void res.writeHead(status).end();
    }
    const { status = 200, stream = '' } = next(streams);
    res.writeHead(status, { 'content-type': status === 200 ? 'text/event-stream' : 'application/problem+json' });
    if (status !== 200) return void res.end(JSON.stringify({ code: status === 404 ? 'NOT_FOUND' : 'UNAVAILABLE' }));
    if (stream.endsWith(END)) return void res.end(stream);
    res.write(stream, () => setTimeout(() => res.destroy(), 20));
  });
  return { ...server, calls, answered };
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

test('the client continues after cut streams and refusals, and handles each delivery once', async () => {
  const streams = [
    { stream: delivery('dlv_1') + 'event: deliv' },
    { status: 503 },
    { stream: delivery('dlv_1') + delivery('dlv_2') },
    { stream: END },
  ];
  await using api = await instance({ streams });
  const received: string[] = [];
  let lost = 0;
  const error = await run(api.url, ({ id }) => void received.push(id), { onDisconnect: () => (lost += 1) });
  expect([error.code, received, lost]).toEqual(['CANCELLED', ['dlv_1', 'dlv_2'], 2]);
  expect(api.answered).toMatchObject([{ deliveryId: 'dlv_1', httpStatus: 204 }, { deliveryId: 'dlv_2' }]);
});

test('the client repeats an answer until the instance has it, before the next delivery, and reports the loss once', async () => {
  const answers = [{ status: 503 }, { status: 502 }, { status: 204 }];
  await using api = await instance({ streams: [{ stream: delivery('dlv_1') + delivery('dlv_2') + END }], answers });
  const order: string[] = [];
  const onDisconnect = (): void => void order.push(`lost after ${api.answered.length}`);
  await run(api.url, ({ id }) => void order.push(`${id} after ${api.answered.length}`), { onDisconnect });
  expect(order).toEqual(['dlv_1 after 0', 'lost after 0', 'dlv_2 after 1']);
});

test('the client opens a listener again that the instance has forgotten', async () => {
  await using api = await instance({ streams: [{ stream: delivery('dlv_1') }, { status: 404 }, { stream: END }] });
  const opened: string[] = [];
  await run(api.url, () => undefined, { onOpen: ({ secret }) => opened.push(secret) });
  expect(opened).toEqual(['whsec_1', 'whsec_1']);
  expect(api.calls).toEqual(['open', 'stream', 'answer', 'stream', 'open', 'stream']);
});

test('an abort ends the listening after the answer to the present delivery', async () => {
  await using api = await instance({ streams: [{ stream: delivery('dlv_1') + delivery('dlv_2') }] });
  const abort = new AbortController();
  const receive = (): void => abort.abort(new Error('enough'));
  expect(await run(api.url, receive, { signal: abort.signal })).toMatchObject({ message: 'enough' });
  expect(api.answered).toMatchObject([{ deliveryId: 'dlv_1' }]);
});

test('an instance that is away at first is an error', async () => {
  const gone = await instance({ streams: [{}] });
  await gone[Symbol.asyncDispose]();
  expect(await run(gone.url, () => undefined)).toMatchObject({ code: 'UNREACHABLE' });
});

test('forwardTo sends body and headers unchanged, and reports the beginning of the answer', async () => {
  const seen: unknown[] = [];
  await using receiver = await listen(async (req, res) => {
    seen.push([req.method, req.headers['webhook-id'], await json(req)]);
    res.writeHead(500).end('ä'.repeat(2_000));
  });
  const request = { headers: { 'webhook-id': 'evt_1' }, body: '{"a":1}' };
  const { httpStatus, answer } = await forwardTo(receiver.url)(request);
  expect([seen, httpStatus, answer]).toEqual([[['POST', 'evt_1', { a: 1 }]], 500, 'ä'.repeat(500)]);
});

test('forwardTo follows no redirect, and names a receiver that is absent or slow', async () => {
  await using receiver = await listen((req, res) => {
    if (req.url === '/redirect') res.writeHead(302, { location: '/' }).end();
  });
  const request = { headers: {}, body: '{}' };
  expect(await forwardTo(`${receiver.url}/redirect`)(request)).toMatchObject({ httpStatus: 302 });
  const slow = await forwardTo(receiver.url, { timeoutMs: 30 })(request);
  expect(slow).toMatchObject({ httpStatus: null, answer: 'No answer within 0.03 s.' });
  const gone = await listen(() => undefined);
  const { url } = gone;
  await gone[Symbol.asyncDispose]();
  expect(await forwardTo(url)(request)).toMatchObject({
    httpStatus: null,
    answer: `Nothing listens at ${new URL(url).host}.`,
  });
});
