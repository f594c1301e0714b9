import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { FAILURES } from '@burnish/contract';
import {
  CONNECTION_LIMITS,
  limitConnections,
  noteCaller,
  type ConnectionLimitOptions,
} from '../../../src/api/http/connection-limits.ts';
import { testGateway } from '../support/gateway.ts';
import { poll } from '../../support/poll.ts';

const HALF = 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Half:';
const WHOLE = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
/** Addresses of this machine count as well. */
const everyAddress = { isExempt: () => false };
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** A connection with everything that it was answered until it was closed. */
interface Client {
  socket: Socket;
  answer: () => string;
  closed: Promise<void>;
}

function client(port: number, text: string): Client {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString())).on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  // A client that keeps its side open: only the server ends the connection.
  socket.write(text);
  ends.push(() => socket.destroy());
  return { socket, answer: () => answer, closed };
}

interface TestServer {
  http: Server;
  port: number;
  /** How many connections are open */
  open: () => Promise<number>;
}

/** A request to a path has the account of that name, and one to `/slow` has no answer. */
async function server(options: Partial<ConnectionLimitOptions>): Promise<TestServer> {
  const http = createServer((req, res) => {
    const [account = '', speed] = req.url!.slice(1).split('/');
    if (account !== '') noteCaller(req.socket, account);
    if (speed !== 'slow') res.end('served');
  });
  limitConnections(http, { ...CONNECTION_LIMITS, ...options });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    http.closeAllConnections();
    http.close();
  });
  return {
    http,
    port: (http.address() as AddressInfo).port,
    open: () =>
      new Promise((resolve, reject) => http.getConnections((error, n) => (error ? reject(error) : resolve(n)))),
  };
}

const bodyOf = (answer: string): unknown => JSON.parse(answer.split('\r\n\r\n')[1]!);

describe('connections of one address', () => {
  test('are refused with a code and closed above the limit, and admitted again when others end', async () => {
    const limits = { connectionsPerAddress: 3, halfOpenPerAddress: 100, ...everyAddress };
    const { port, open } = await server(limits);
    const first = [1, 2, 3].map(() => client(port, WHOLE));
    await poll(() => first.every(({ answer }) => answer().endsWith('served'))).toBe(true);
    const refused = client(port, WHOLE);
    await poll(refused.answer).toContain('Retry-After: 5');
    expect(refused.answer()).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n/);
    expect(bodyOf(refused.answer())).toMatchObject({
      code: 'RATE_LIMITED',
      status: 429,
      retryable: true,
      detail: expect.stringContaining('parallel connections from one IP address.'),
      remedy: 'Close some first.',
    });
    await poll(open).toBe(3);
    first[0]!.socket.destroy();
    await poll(open).toBe(2);
    const served = client(port, WHOLE);
    await poll(served.answer).toMatch(/served$/);
  });

  test('on the loopback are not limited, with a whole request or without', async () => {
    const clock = { ms: 0 };
    const { port, open } = await server({ connectionsPerAddress: 1, halfOpenPerAddress: 1, now: () => clock.ms });
    const slow = [1, 2, 3].map(() => client(port, HALF));
    await poll(open).toBe(3);
    clock.ms = 5_000;
    const all = [1, 2, 3].map(() => client(port, WHOLE));
    await poll(() => all.every(({ answer }) => answer().endsWith('served'))).toBe(true);
    for (const { socket } of slow) socket.write(' whole\r\n\r\n');
    await poll(() => slow.every(({ answer }) => answer().endsWith('served'))).toBe(true);
  });

  test('without a whole request are closed first, oldest first, and active ones stay', async () => {
    const clock = { ms: 0 };
    const limits = { connectionsPerAddress: 100, halfOpenPerAddress: 2, now: () => clock.ms, ...everyAddress };
    const { port, open } = await server(limits);
    const busy = client(port, WHOLE);
    await poll(busy.answer).toMatch(/served$/);
    const slow: Client[] = [];
    for (let i = 0; i < 2; i += 1) {
      slow.push(client(port, HALF));
      await poll(open).toBe(2 + i);
    }
    // A burst of new ones is no attack: nobody is sent away within the first second.
    const young = client(port, HALF);
    await poll(open).toBe(4);
    clock.ms = 1_001;
    const next = client(port, WHOLE);
    await poll(next.answer).toMatch(/served$/);
    await poll(slow[0]!.answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(bodyOf(slow[0]!.answer())).toMatchObject({ code: 'REQUEST_TIMEOUT', retryable: true });
    expect([slow[1]!.answer(), young.answer()]).toEqual(['', '']);
    await poll(open).toBe(4);
  });
});

describe('connections of all callers at their limit', () => {
  const get = (path: string): string => WHOLE.replace('/', path);
  const clock = { ms: 0 };
  /** Whether the server has closed its side. */
  const isEnded = ({ socket }: Client): boolean => socket.readableEnded;
  const LIMITS = { connectionsInTotal: 6, now: () => clock.ms };

  test('close for a newcomer: the oldest without a caller first, also of this machine', async () => {
    const { port, open } = await server(LIMITS);
    const calm = client(port, get('/calm'));
    await poll(calm.answer).toMatch(/served$/);
    const idle: Client[] = [];
    for (const text of ['', HALF, WHOLE, HALF, '']) {
      idle.push(client(port, text));
      await poll(open).toBe(1 + idle.length);
    }
    clock.ms += 1_000;
    for (const count of [1, 2, 3]) {
      const newcomer = client(port, get('/calm'));
      await poll(newcomer.answer).toMatch(/served$/);
      await poll(() => idle.slice(0, count).every(isEnded)).toBe(true);
    }
    expect([calm, ...idle.slice(3)].some(isEnded)).toBe(false);
  });

  test('close for a newcomer: idle ones of the account with the most, and none with a request in work', async () => {
    const { port } = await server(LIMITS);
    const busy = client(port, get('/hostile/slow'));
    const calm = client(port, get('/calm'));
    const hostile = [1, 2, 3, 4].map(() => client(port, get('/hostile')));
    await poll(() => [calm, ...hostile].every(({ answer }) => answer().endsWith('served'))).toBe(true);
    clock.ms += 1_000;
    const newcomer = client(port, WHOLE);
    await poll(newcomer.answer).toMatch(/served$/);
    await poll(() => hostile.filter(isEnded).length).toBe(1);
    expect([busy, calm].some(isEnded)).toBe(false);
  });

  test('are refused with a code when all are new', async () => {
    const { port, open } = await server(LIMITS);
    for (let count = 1; count <= 6; count += 1) {
      client(port, HALF);
      await poll(open).toBe(count);
    }
    const refused = client(port, HALF);
    await poll(refused.answer).toContain('Retry-After: 5');
    expect(bodyOf(refused.answer())).toMatchObject({ code: 'RATE_LIMITED', status: 429 });
  });
});

test('a request that arrived while the process was busy is served after any delay', async () => {
  const limits = { connectionsPerAddress: 100, halfOpenPerAddress: 1, ...everyAddress };
  const { port, http } = await server(limits);
  // The process takes the first connection, and then does something else for longer than a request may be on its way.
  http.once('connection', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100));
  const all = [1, 2, 3, 4].map(() => client(port, WHOLE));
  await poll(() => all.every(({ answer }) => answer() !== '')).toBe(true);
  expect(all.map(({ answer }) => answer().slice(0, 12))).toEqual(Array(4).fill('HTTP/1.1 200'));
});

describe('the gateway', () => {
  test('answers slow headers with 408 and then closes the connection', async () => {
    await using gateway = await testGateway({}, { headersTimeoutMs: 1_000 });
    const slow = client(gateway.gateway.port, HALF);
    await poll(slow.answer).toContain('HTTP/1.1 408');
    expect(bodyOf(slow.answer())).toMatchObject({
      code: 'REQUEST_TIMEOUT',
      retryable: true,
      detail: expect.stringContaining('too slowly'),
      remedy: FAILURES.REQUEST_TIMEOUT.remedy,
    });
    // The client has not closed its side.
    await poll(() => slow.socket.destroyed || slow.socket.readableEnded).toBe(true);
    const unreadable = client(gateway.gateway.port, 'no http\r\n\r\n');
    await poll(unreadable.answer).toContain('HTTP/1.1 400');
    await poll(() => {
      unreadable.socket.write('x');
      return unreadable.socket.destroyed;
    }).toBe(true);
  });

  test('serves headers that arrived while the process was busy for longer than their timeout', async () => {
    await using gateway = await testGateway({}, { headersTimeoutMs: 1_000 });
    const accepted = new Promise<void>((resolve) => {
      const seen = (): void => (unsubscribe('net.server.socket', seen), resolve());
      subscribe('net.server.socket', seen);
    });
    const { socket, answer } = client(gateway.gateway.port, HALF);
    await accepted;
    // The write goes to the kernel at once. Then the process does something else, past the next check of headers.
    socket.write(' x\r\n\r\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    await poll(answer).toContain('HTTP/1.1 ');
    expect(answer().slice(0, 12)).toBe('HTTP/1.1 200');
  });

  test('serves others while 300 connections send half a request', async () => {
    await using gateway = await testGateway({}, { connections: { halfOpenPerAddress: 50, ...everyAddress } });
    const slow = Array.from({ length: 300 }, () => client(gateway.gateway.port, HALF));
    await poll(() => slow.filter(({ socket }) => socket.connecting).length).toBe(0);
    expect((await gateway.fetch('/v1/credits')).status).toBe(200);
  });

  test('does not limit connections from a trusted proxy', async () => {
    await using gateway = await testGateway(
      { trustedProxies: 1 },
      { connections: { halfOpenPerAddress: 1, ...everyAddress } },
    );
    const slow = [1, 2, 3].map(() => client(gateway.gateway.port, HALF));
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect((await gateway.fetch('/healthz')).status).toBe(200);
    expect(slow.map(({ answer }) => answer())).toEqual(['', '', '']);
  });
});
