import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import type { Instance } from '../../test/support/instance.ts';
import { inParallel } from './jobs.ts';
import { cpuOf, sumByPart } from './processes.ts';

export interface Reads {
  perSecond: number;
  /** CPU milliseconds per request in the server process */
  cpu: number;
}

const CONNECTIONS = 16;
const WARM_UP = 200;
/** Below the rate limit of a key per minute. */
const READS = 2_000;
const LISTS = 600;
const BARE_READS = 10_000;

/** Measures reads of one upload, of the list, and of the same JSON from bare Express. */
export async function measureReads(
  instance: Instance,
  uploadId: string,
): Promise<{ read: Reads; list: Reads; bare: Reads }> {
  const burnishCpu = (): number => sumByPart(instance.pid, cpuOf).burnish;
  // A separate key, because the rate limit applies per key.
  const newKey = async (): Promise<string> => {
    const made = await instance.api.call<{ key: string }>('POST', '/v1/api-keys', { body: { name: 'bench' } });
    return made.body.key;
  };
  const read = await load(instance.url, `/v1/uploads/${uploadId}`, READS, burnishCpu, await newKey());
  const list = await load(instance.url, '/v1/uploads', LISTS, burnishCpu, await newKey());
  const server = fork(fileURLToPath(new URL('static-server.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  });
  try {
    server.send((await instance.api.get<object>(`/v1/uploads/${uploadId}`)).body);
    const [port] = (await once(server, 'message')) as [number];
    const bareCpu = (): number => cpuOf(server.pid!);
    return { read, list, bare: await load(`http://127.0.0.1:${port}`, '/static', BARE_READS, bareCpu) };
  } finally {
    server.kill();
  }
}

async function load(origin: string, path: string, count: number, cpu: () => number, apiKey?: string): Promise<Reads> {
  const pool = new Pool(origin, { connections: CONNECTIONS });
  const headers = apiKey === undefined ? {} : { 'x-api-key': apiKey };
  const ask = async (): Promise<void> => {
    const { statusCode, body } = await pool.request({ path, method: 'GET', headers });
    await body.dump();
    if (statusCode !== 200) throw new Error(`${path} was answered with ${statusCode}.`);
  };
  await inParallel(Array.from({ length: WARM_UP }), CONNECTIONS, ask);
  const before = cpu();
  const { seconds } = await inParallel(Array.from({ length: count }), CONNECTIONS, ask);
  const taken = cpu() - before;
  await pool.close();
  return { perSecond: count / seconds, cpu: taken / count };
}
