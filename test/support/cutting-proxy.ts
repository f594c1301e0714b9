import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface CuttingProxy extends AsyncDisposable {
  url: string;
  /** Connections that were cut */
  cuts: number;
  /** Bytes from clients, with headers */
  received: number;
}

export interface CuttingProxyOptions {
  /** Port of the server behind it, asked for each connection */
  port: () => number;
  /** Bytes from the client after which a connection is cut; undefined: no cut. Asked whenever bytes arrive */
  cutAfter: () => number | undefined;
}

/** A network whose connections break: both sides lose theirs without a goodbye. */
export async function cuttingProxy({ port, cutAfter }: CuttingProxyOptions): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const behind = connect(port(), '127.0.0.1');
    let passed = 0;
    const end = (): void => {
      client.destroy();
      behind.destroy();
    };
    for (const socket of [client, behind]) {
      open.add(socket);
      socket.on('error', end).on('close', () => {
        open.delete(socket);
        end();
      });
    }
    client.on('data', (bytes: Buffer) => {
      proxy.received += bytes.byteLength;
      const limit = cutAfter();
      if (limit !== undefined && passed + bytes.byteLength >= limit) {
        proxy.cuts += 1;
        // What was passed on has arrived before the cut.
        behind.write(bytes.subarray(0, limit - passed), () => setTimeout(end, 100));
        client.removeAllListeners('data').pause();
        return;
      }
      passed += bytes.byteLength;
      if (!behind.write(bytes)) client.pause();
    });
    behind.on('drain', () => client.resume()).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: CuttingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: 0,
    received: 0,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
