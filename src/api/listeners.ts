import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Server as HttpServer } from 'node:http';
import type { Server } from 'node:net';

/**
 * Echoes each handle. A copy from a channel between processes has a descriptor of its own. The channel carries bare
 * handles instead of servers: a received server begins to listen at once, and would accept connections without
 * serving them.
 */
const ECHO = "process.on('message', (_, handle) => process.send('', handle)).on('disconnect', process.exit)";
const COPIES = 15;
const COPY_TIMEOUT_MS = 5_000;

/**
 * Lets a server accept up to 16 connections in a turn of the event loop. Node.js accepts one for each listening
 * descriptor (libuv since 1.45, libuv/libuv#3696). Without this, a burst needs one turn for each connection, and each
 * turn can wait for other work. `SO_REUSEPORT` would have the same effect, but needs Node.js 22.12, and lets a second
 * gateway listen on the port without an error.
 * @param server already listening
 * @param backlog length of the accept queue; each call of listen(2) on a copy sets it for all
 * @returns more listeners on the same address, to be closed with the server; none if no copy can be made
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

/** Node.js's own handle, an argument of `listen` and `send` */
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
