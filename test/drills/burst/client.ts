import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { photo } from '../../e2e/files.ts';
import type { BurstAnswer, Flood } from './flood.ts';

/**
 * A process of `flood`. It receives a `Flood`, reports that it is ready, sends all requests at once on command, and reports the
 * responses.
 */
const [flood] = (await once(process, 'message')) as [Flood];
const file = await photo(1);
// Bytes appended to the JPEG make each file unique.
const bodies = Array.from({ length: flood.count }, (_, index) =>
  Buffer.concat([file, Buffer.from(`burst ${flood.first + index}`)]),
);
process.send!('ready');
await once(process, 'message');
const agent = new Agent({ maxSockets: Infinity });
const startedAt = performance.now();
const answers = await Promise.all(bodies.map((body) => send(flood, body)));
agent.destroy();
process.send!(answers, () => process.disconnect());

/** Every request has a connection of its own. */
function send({ url, apiKey }: Flood, body: Buffer): Promise<BurstAnswer> {
  return new Promise((resolve) => {
    const reject = ({ message }: Error): void => resolve({ ms: performance.now() - startedAt, error: message });
    const headers = { 'x-api-key': apiKey, 'content-type': 'image/jpeg', 'content-length': body.byteLength };
    const sent = request(`${url}/v1/uploads`, { method: 'POST', agent, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('error', reject);
      response.once('end', () =>
        resolve({
          status: response.statusCode!,
          ms: performance.now() - startedAt,
          body: JSON.parse(Buffer.concat(parts).toString()) as BurstAnswer['body'],
          retryAfter: response.headers['retry-after'],
          key: response.headers['idempotency-key'] as string | undefined,
        }),
      );
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
