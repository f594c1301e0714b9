import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { listenMore } from '../../../src/api/listeners.ts';

const BACKLOG = 2_000;

describe('additional listeners of a server', () => {
  const server = createServer((req, res) => void req.resume().once('end', () => res.end('read')));
  let listeners: Server[];
  let port: number;

  beforeEach(async () => {
    server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG });
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
    listeners = await listenMore(server, BACKLOG);
  });

  afterEach(async () => {
    server.closeAllConnections();
    await Promise.all([...listeners, server].map((each) => new Promise((resolve) => each.close(resolve))));
  });

  test('accept many connections in each turn of the event loop', async () => {
    let turns = 0;
    let taken = 0;
    const turnsAt: number[] = [];
    server.on('connection', () => turnsAt.push((taken += 1) && turns));
    const sockets = Array.from({ length: 160 }, () => connect({ port, host: '127.0.0.1' }));
    // All of them wait before the first turn that takes one.
    block(100);
    while (taken < 160) {
      await new Promise(setImmediate);
      turns += 1;
      block(2);
    }
    for (const socket of sockets) socket.destroy();
    expect(turnsAt.at(-1)! - turnsAt[0]!).toBeLessThan(40);
  });

  test('answer requests on every connection, also after the client half-closed it', async () => {
    const bodies = await Promise.all(Array.from({ length: 40 }, () => answerOf(port)));
    expect(new Set(bodies)).toEqual(new Set(['read']));
  });

  test('answer requests on connections that arrive during their creation', async () => {
    let areMade = false;
    const making = listenMore(server, BACKLOG).then((more) => (listeners.push(...more), (areMade = true)));
    const answers: Promise<string>[] = [];
    while (!areMade) {
      answers.push(answerOf(port));
      await pause(2);
    }
    await making;
    expect(answers.length).toBeGreaterThan(10);
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['read']));
  });

  test('keep the backlog of the server', async () => {
    const client = fork(fileURLToPath(new URL('support/connect-many.mjs', import.meta.url)), [String(port), '1000']);
    await once(client, 'message');
    const counted = once(client, 'message');
    client.send('go');
    block(2_500);
    expect((await counted)[0]).toBe(1000);
    client.kill();
  });

  test('free the port when they are closed', async () => {
    await Promise.all([...listeners, server].map((each) => new Promise((resolve) => each.close(resolve))));
    listeners = [];
    const [error] = (await once(connect({ port, host: '127.0.0.1' }), 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
  });
});

/** The body of an answer, or why there is none. */
async function answerOf(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.setTimeout(5_000, () => socket.destroy(new Error('no answer')));
  socket.end('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\nab');
  let text = '';
  try {
    for await (const part of socket) text += String(part);
  } catch (error) {
    return (error as Error).message;
  }
  return text.slice(-4);
}

/** Keeps the event loop of this process from turning. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
