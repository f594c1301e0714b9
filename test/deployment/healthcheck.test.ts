import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { testPort } from '../support/test-port.ts';
import { repositoryRoot } from '../support/repository.ts';

/** Where the first process is no gateway: in a worker's container, and where tests run. */
async function check(env: Record<string, string>): Promise<{ code: number | null; said: string }> {
  const child = execFile(process.execPath, [join(repositoryRoot, 'deploy', 'healthcheck.mjs')], { env });
  let said = '';
  child.stdout!.on('data', (piece: string) => (said += piece));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
}

/** What every request of a worker is answered with. */
async function worker(status: number, text: string) {
  const server = createServer((_, res) => res.writeHead(status).end(text)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port: String(port), [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) };
}

it('a ready worker is healthy', async () => {
  await using ready = await worker(200, 'ready');
  const said = `http://127.0.0.1:${ready.port}/readyz answers 200: ready\n`;
  expect(await check({ BURNISH_METRICS_PORT: ready.port })).toEqual({ code: 0, said });
});

it('a worker that is not ready, or does not answer, is unhealthy, and the reason is printed', async () => {
  await using cutOff = await worker(503, 'Temporal does not respond.');
  const { code, said } = await check({ BURNISH_METRICS_PORT: cutOff.port });
  expect([code, said]).toEqual([1, expect.stringContaining('503: Temporal does not respond.')]);
  const port = String(await testPort());
  const silent = await check({ BURNISH_METRICS_PORT: port });
  expect(silent).toEqual({ code: 1, said: `http://127.0.0.1:${port}/readyz does not answer (ECONNREFUSED).\n` });
});
