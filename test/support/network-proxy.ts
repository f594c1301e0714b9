import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** `refuse`: connections are refused, and open ones closed; `hold`: connections stall; `cut`: each breaks within some kilobytes. */
export type NetworkTrouble = 'refuse' | 'hold' | 'cut';

export interface NetworkProxy {
  port: number;
  /** Starts a fault, or ends it */
  trouble(kind: NetworkTrouble | undefined): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Maximum number of bytes before a connection is cut; the minimum is one. */
const CUT_WITHIN_BYTES = 8_000;

/** A TCP proxy between a process and its dependency, which simulates network faults and forwards bytes unchanged. */
export async function startNetworkProxy(target: { host: string; port: number }): Promise<NetworkProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let kind: NetworkTrouble | undefined;
  const server = createServer({ pauseOnConnect: true }, (caller) => {
    const far = connect(target);
    const pair = [caller, far] as const;
    pairs.add(pair);
    let left = 1 + Math.floor(Math.random() * CUT_WITHIN_BYTES);
    for (const [from, to] of [pair, [far, caller] as const]) {
      from.on('error', () => undefined);
      from.once('close', () => {
        pairs.delete(pair);
        to.destroy();
      });
      from.on('data', (piece: Buffer) => {
        if (kind === 'cut' && (left -= piece.length) < 0) {
          to.write(piece.subarray(0, Math.max(0, piece.length + left)));
          for (const each of pair) each.destroy();
          return;
        }
        if (!to.write(piece)) from.pause();
      });
      to.on('drain', () => kind !== 'hold' && from.resume());
      from.once('end', () => to.end());
      if (kind === 'hold') from.pause();
      else from.resume();
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  const closeAll = (): void => {
    for (const pair of pairs) for (const each of pair) each.destroy();
  };
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    closeAll();
    await closed;
  };
  return {
    port,
    async trouble(next) {
      kind = next;
      if (next === 'refuse') return close();
      if (!server.listening) await once(server.listen(port, '127.0.0.1'), 'listening');
      for (const pair of pairs) for (const each of pair) each[next === 'hold' ? 'pause' : 'resume']();
    },
    [Symbol.asyncDispose]: close,
  };
}
