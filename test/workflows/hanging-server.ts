import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of files that answers no request below `/hang` before `release`, and each below `/away` with 503. */
export async function startHangingServer() {
  const waiting = new Map<ServerResponse, string>();
  const asked: string[] = [];
  let released = false;
  let most = 0;
  const answer = (response: ServerResponse): void =>
    void response.writeHead(200, { 'content-type': 'image/jpeg' }).end('j'.repeat(20_000));
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    if (url.startsWith('/away')) return void response.writeHead(503).end();
    if (released || !url.startsWith('/hang')) return answer(response);
    waiting.set(response, url);
    most = Math.max(most, waiting.size);
    response.on('close', () => waiting.delete(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Paths of the requests so far */
    asked,
    /** Paths of the requests that wait for an answer */
    waiting: (): string[] => [...waiting.values()],
    /** The largest number that waited at the same time */
    most: (): number => most,
    release(): void {
      released = true;
      for (const response of waiting.keys()) answer(response);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
