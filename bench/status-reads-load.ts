import { Pool } from 'undici';

/** Repeated request of one round. */
export interface Load {
  origin: string;
  path: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
  /** Concurrent requests */
  concurrency: number;
  ms: number;
  /** Required content of each response */
  expected: string;
}

/** Runs the clients in a separate process, so that they take no time from the server's. Returns requests per second. */
process.on('message', (load: Load) => {
  void run(load).then(
    (perSecond) => process.send!(perSecond),
    (error: unknown) => process.send!(String(error)),
  );
});

async function run({ origin, path, method, headers, body, concurrency, ms, expected }: Load): Promise<number> {
  const pool = new Pool(origin, { connections: concurrency });
  const startedAt = performance.now();
  let answered = 0;
  const client = async (): Promise<void> => {
    while (performance.now() - startedAt < ms) {
      const response = await pool.request({ path, method, headers, body: body ?? null });
      const text = await response.body.text();
      if (response.statusCode !== 200 || !text.includes(expected)) throw new Error(`Unexpected answer: ${text}`);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  const seconds = (performance.now() - startedAt) / 1000;
  await pool.close();
  return answered / seconds;
}
