import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  headers: IncomingHttpHeaders;
  body: string;
}

/** What a receiver answers: a status, and headers if any. */
export type Answer = number | { status: number; headers: Record<string, string> };

/**
 * A webhook receiver on a real port. `answers` are given one after the other, and the last one from then on.
 * @param ready when the answers begin
 */
export async function startReceiver(answers: Answer[], ready = Promise.resolve()) {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const answer = answers[Math.min(requests.length, answers.length - 1)]!;
      requests.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      void ready.then(() => {
        if (typeof answer === 'number') response.writeHead(answer).end(`answer ${answer}`);
        else response.writeHead(answer.status, answer.headers).end();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    requests,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
