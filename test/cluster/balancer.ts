import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Balancer {
  port: number;
  /** Loopback ports of the targets */
  targets: number[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a TCP balancer. It passes connections to the ports of its targets in turn, and skips ports that do not answer. */
export async function startBalancer(port: number): Promise<Balancer> {
  const targets: number[] = [];
  const open = new Set<Socket>();
  let turn = 0;

  const server = createServer((caller) => {
    open.add(caller);
    caller.once('close', () => open.delete(caller));
    caller.on('error', () => undefined);
    turn += 1;
    const inTurn = targets.map((_, index) => targets[(turn + index) % targets.length]!);
    void join(caller, inTurn);
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    port,
    targets,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}

async function join(caller: Socket, ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    const target = connect({ port, host: '127.0.0.1' });
    try {
      await once(target, 'connect');
    } catch {
      continue;
    }
    target.on('error', () => caller.destroy());
    target.once('close', () => caller.destroy());
    caller.once('close', () => target.destroy());
    caller.pipe(target).pipe(caller);
    return;
  }
  caller.destroy();
}
