import { once } from 'node:events';
import { connect, createServer, type Socket, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { startNetworkProxy } from '../support/network-proxy.ts';

/** A server that answers each byte with the same, and a proxy before it. */
async function echoBehindProxy() {
  const server = createServer((socket) => void socket.on('error', () => undefined).pipe(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const proxy = await startNetworkProxy({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  return {
    proxy,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      server.close();
    },
  };
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

async function echoed(socket: Socket, bytes: number): Promise<number> {
  let received = 0;
  socket.on('data', (piece: Buffer) => (received += piece.length));
  socket.write(Buffer.alloc(bytes));
  while (received < bytes && !socket.closed) await delay(5);
  return received;
}

test('a network without trouble carries bytes in both directions', async () => {
  await using parts = await echoBehindProxy();
  const socket = await open(parts.proxy.port);
  expect(await echoed(socket, 300_000)).toBe(300_000);
  socket.destroy();
});

test('a refusing network ends open connections and admits none until it recovers', async () => {
  await using parts = await echoBehindProxy();
  const socket = await open(parts.proxy.port);
  const closed = once(socket, 'close');
  await parts.proxy.trouble('refuse');
  await closed;
  await expect(open(parts.proxy.port)).rejects.toThrow();
  await parts.proxy.trouble(undefined);
  const again = await open(parts.proxy.port);
  expect(await echoed(again, 10)).toBe(10);
  again.destroy();
});

test('a stalled network delivers nothing, and everything after it recovers', async () => {
  await using parts = await echoBehindProxy();
  const socket = await open(parts.proxy.port);
  expect(await echoed(socket, 10)).toBe(10);
  await parts.proxy.trouble('hold');
  const late = echoed(socket, 1000);
  expect(await Promise.race([late, delay(200, 'nothing')])).toBe('nothing');
  await parts.proxy.trouble(undefined);
  expect(await late).toBe(1000);
  socket.destroy();
});

test('a cutting network breaks a connection in the middle', async () => {
  await using parts = await echoBehindProxy();
  await parts.proxy.trouble('cut');
  const socket = await open(parts.proxy.port);
  expect(await echoed(socket, 100_000)).toBeLessThan(100_000);
});
