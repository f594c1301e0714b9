import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

export interface BurstAnswer {
  status: number;
  /** Milliseconds from the first byte of the burst to the complete response */
  ms: number;
  body: { id: string; code?: string; detail?: string };
  retryAfter: string | undefined;
  key: string | undefined;
}

/** Requests of one process of the flood. */
export interface Flood {
  url: string;
  apiKey: string;
  count: number;
  /** Index of its first file; all files of a burst differ */
  first: number;
}

export interface Burst {
  /** Milliseconds since the epoch */
  startedAt: number;
  answers: BurstAnswer[];
}

/** Value for nice(2): the servers have priority over the flood, as if it came from another machine. */
const NICE = 10;

/** Starts a script of this folder in a separate process with a message channel. */
export function startScript(name: string, env: NodeJS.ProcessEnv = process.env): ChildProcess {
  const script = fileURLToPath(new URL(name, import.meta.url));
  return fork(script, { execArgv: ['--import', 'tsx'], env, serialization: 'advanced' });
}

/** Sends many uploads at once, each on its own connection. One process per URL sends its share. */
export async function burst(urls: readonly string[], apiKey: string, count: number): Promise<Burst> {
  const each = Math.ceil(count / urls.length);
  const clients = await Promise.all(
    urls.map(async (url, index) => {
      const client = startScript('client.ts');
      setPriority(client.pid!, NICE);
      const first = index * each;
      client.send({ url, apiKey, first, count: Math.min(each, count - first) } satisfies Flood);
      await told(client);
      return client;
    }),
  );
  const bursts = clients.map(told);
  for (const client of clients) client.send('go');
  const done = (await Promise.all(bursts)) as Burst[];
  return {
    startedAt: Math.min(...done.map(({ startedAt }) => startedAt)),
    answers: done.flatMap(({ answers }) => answers),
  };
}

/**
 * Waits for the next message of a script.
 * @throws Error if the script ends without one
 */
export async function told(script: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const end = (): void => ended.abort(new Error(`${script.spawnfile} of the burst ended without an answer.`));
  script.once('exit', end);
  try {
    const [message] = (await once(script, 'message', { signal: ended.signal })) as [unknown];
    return message;
  } finally {
    script.off('exit', end);
  }
}
