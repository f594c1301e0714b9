import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createCaller } from './caller.ts';
import { readInput, runUntilEnd } from './program.ts';

/** Does what needs no key: unfinished bodies and headers, wrong keys, forged addresses, deep queries. */

const { urls } = await readInput<{ urls: string[] }>();
const guesser = createCaller(urls, 'burnish_not-a-key');
const nobody = createCaller(urls);
const counts: Record<string, number> = {};
let serial = 0;

/** Opens a connection, sends text, and keeps it for a time; ms. */
function keepOpen(text: string, keptMs: number): void {
  const { hostname, port } = new URL(urls[serial++ % urls.length]!);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined).on('data', () => undefined);
  socket.write(text);
  setTimeout(() => socket.destroy(), keptMs).unref();
}

const head = (path: string, more = ''): string => `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${more}`;
const LENGTH = 'content-type: application/json\r\ncontent-length: 5000000\r\n\r\n';

async function everySoOften(signal: AbortSignal, ms: number, work: () => unknown): Promise<void> {
  while (!signal.aborted) {
    await work();
    await pause(ms);
  }
}

await runUntilEnd(async (signal) => {
  const call = async (asked: Promise<{ status: number }>): Promise<void> => {
    const { status } = await asked;
    counts[status] = (counts[status] ?? 0) + 1;
  };
  const acts = [
    // 50 unfinished bodies a second, without a key and with a wrong one.
    everySoOften(signal, 40, () => keepOpen(`${head('/v1/uploads', LENGTH)}xxx`, 60_000)),
    everySoOften(signal, 40, () => keepOpen(`${head('/v1/uploads', `x-api-key: wrong\r\n${LENGTH}`)}xxx`, 60_000)),
    everySoOften(signal, 100, () => keepOpen(`${head('/graphql', LENGTH)}{`, 60_000)),
    everySoOften(signal, 100, () => keepOpen('GET /v1/uploads HTTP/1.1\r\nhost: x\r\nx-', 60_000)),
    everySoOften(signal, 100, () =>
      keepOpen(head('/v1/uploads/upl_x/file?expires=9999999999&signature=x', LENGTH), 60_000),
    ),
    everySoOften(signal, 20, () => call(guesser({ path: '/v1/uploads' }))),
    everySoOften(signal, 50, () => call(nobody({ method: 'POST', path: '/graphql', body: { query: '{__typename}' } }))),
    everySoOften(signal, 50, () => call(nobody({ path: '/v1/files/forged-token' }))),
    everySoOften(signal, 200, () => call(nobody({ path: '/openapi.json' }))),
  ];
  await Promise.race([Promise.all(acts), once(signal, 'abort')]);
  return counts;
});
