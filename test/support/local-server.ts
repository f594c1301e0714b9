import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface LocalServer {
  /** Such as `http://127.0.0.1:40001` */
  url: string;
  port: number;
  /** Connections that are open now */
  sockets: Set<Socket>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A server on 127.0.0.1 that ends, with all its connections, at the end of the block. @param at port; 0: a free one */
export async function listen(server: Server, at = 0): Promise<LocalServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  server.listen(at, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

export const listenHttp = (listener: RequestListener, at = 0): Promise<LocalServer> =>
  listen(createServer(listener), at);

/** Answers every connection with the same bytes, whatever is asked, and leaves the connection open. */
export const listenRaw = (answer: string, then?: (socket: Socket) => void): Promise<LocalServer> =>
  listen(
    createTcpServer((socket) => {
      socket.once('data', () => {
        socket.write(answer);
        then?.(socket);
      });
    }),
  );
