import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LocalServer {
  port: number;
  url: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A web server of the tests' own on the loopback. */
export async function localServer(
  answer: (req: IncomingMessage, res: ServerResponse) => void,
  port = 0,
): Promise<LocalServer> {
  const server = createServer(answer);
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
