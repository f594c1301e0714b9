import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Server as HttpServer } from 'node:http';
import type { Server } from 'node:net';

/**
 * Sends each handle back. A copy that came through a channel between processes is a descriptor of its own. Bare handles, not servers:
 * a server that arrives begins to listen at once, and would take connections that nobody answers.
 */
const ECHO = "process.on('message', (_, handle) => process.send('', handle)).on('disconnect', process.exit)";
const COPIES = 15;
const COPY_TIMEOUT_MS = 5_000;

/**
 * Lets a server take up to 16 connections in a turn of the event loop. Node.js takes one for each descriptor that listens (libuv since
 * 1.45, libuv/libuv#3696), so a burst waits for as many turns as it has connections, and each turn can hold the work of others.
 * `SO_REUSEPORT` would do the same, but needs Node.js 22.12, and lets a second gateway listen on the port without an error.
 * @param server listens already
 * @param backlog connections that wait to be taken; each call of listen(2) on a copy sets it for all
 * @returns more listeners on the same address, to be closed with the server; none where no copy can be had
 */
export async function listenMore(server: HttpServer, backlog: number): Promise<Server[]> {
  const copies = await copiesOf(server);
  return Promise.all(
    copies.map(async (copy) => {
      const listener = createServer({ allowHalfOpen: true, noDelay: true });
      listener.on('connection', (socket) => server.emit('connection', socket));
      listener.listen(copy, backlog);
      await once(listener, 'listening');
      return listener;
    }),
  );
}

/** A handle of Node.js's own, as `listen` and `send` take it */
type Handle = Server;

async function copiesOf(server: HttpServer): Promise<Handle[]> {
  const { _handle: original } = server as unknown as { _handle: Handle };
  const child = spawn(process.execPath, ['--eval', ECHO], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env: {} });
  const copies: Handle[] = [];
  try {
    await new Promise<void>((resolve) => {
      setTimeout(resolve, COPY_TIMEOUT_MS).unref();
      child.once('error', () => resolve());
      child.once('exit', () => resolve());
      child.on('message', (_, copy) => {
        copies.push(copy as Handle);
        if (copies.length === COPIES) resolve();
      });
      for (let sent = 0; sent < COPIES; sent += 1) child.send('', original, () => undefined);
    });
    return copies;
  } finally {
    const hasEnded = child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
    if (child.connected) child.disconnect();
    if (!hasEnded) await once(child, 'exit');
  }
}
