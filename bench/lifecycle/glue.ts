import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { findPostgresBinaries } from '../../test/support/postgres-binaries.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { sendFile } from './floor.ts';
import { inParallel } from './jobs.ts';
import { createTotalCpuReader } from './processes.ts';

export interface GlueCost {
  seconds: number;
  /** Time of each file, from its first byte to the stored result */
  milliseconds: number[];
  /** CPU milliseconds a file of the server and PostgreSQL together, with sharp */
  cpu: number;
}

export interface Glue {
  uploads(files: readonly Buffer[], width: number): Promise<GlueCost>;
  stop(): Promise<void>;
}

/** Starts `glue-server.ts` beside a PostgreSQL that syncs each commit. @param folder takes the files */
export async function startGlue(folder: string): Promise<Glue> {
  const postgres = await startPostgres(findPostgresBinaries, undefined, { durable: true });
  const script = fileURLToPath(new URL('glue-server.ts', import.meta.url));
  const child = fork(script, [postgres.url, folder], { execArgv: ['--import', 'tsx'] });
  const [port] = (await once(child, 'message')) as [number];
  const cpu = createTotalCpuReader([child.pid!, postgres.pid()]);
  return {
    async uploads(files, width) {
      const before = cpu();
      const { seconds, results } = await inParallel(files, width, (file) => sendFile(port, file));
      return { seconds, milliseconds: results, cpu: (cpu() - before) / files.length };
    },
    async stop() {
      child.send('end');
      await once(child, 'exit');
      await postgres[Symbol.asyncDispose]();
    },
  };
}
