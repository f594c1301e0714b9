import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

export interface BurstAnswer {
  /** Milliseconds from the first byte of the burst to the complete response */
  ms: number;
  /** Absent without a response */
  status?: number;
  body?: { id: string; code?: string } | undefined;
  retryAfter?: string | undefined;
  key?: string | undefined;
  /** The fault of the connection, without a response */
  error?: string;
}

/** Requests of one process of the flood. */
export interface Flood {
  url: string;
  apiKey: string;
  count: number;
  /** Index of its first file; all files of a burst differ */
  first: number;
}

/** Value for nice(2): the servers have priority over the flood, as if it came from another machine. */
export const NICE = 10;
const CLIENT = fileURLToPath(new URL('client.ts', import.meta.url));

/** Sends many uploads at once, each on its own connection. One process per URL sends its share. */
export async function burst(urls: readonly string[], apiKey: string, count: number): Promise<BurstAnswer[]> {
  const each = Math.ceil(count / urls.length);
  const clients = await Promise.all(
    urls.map(async (url, index) => {
      const client = fork(CLIENT, { execArgv: ['--import', 'tsx'], serialization: 'advanced' });
      setPriority(client.pid!, NICE);
      const first = index * each;
      client.send({ url, apiKey, first, count: Math.min(each, count - first) } satisfies Flood);
      await told(client);
      return client;
    }),
  );
  const bursts = clients.map(told);
  for (const client of clients) client.send('go');
  return ((await Promise.all(bursts)) as BurstAnswer[][]).flat();
}

/**
 * Waits for the next message of a script.
 * @throws Error if the script ends without one
 */
export async function told(script: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const end = (): void => ended.abort(new Error(`${script.spawnfile} of a drill ended without an answer.`));
  script.once('exit', end);
  try {
    const [message] = (await once(script, 'message', { signal: ended.signal })) as [unknown];
    return message;
  } finally {
    script.off('exit', end);
  }
}
