import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countJobs, type JobCounts } from '../../test/support/job-counts.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { startStatementCounter } from '../../test/support/statement-counter.ts';
import { startInstance } from './instance.ts';

/** Counts the requests of the last file to Temporal and to PostgreSQL. The earlier files fill caches. */
export async function countOneJob(files: readonly Buffer[]): Promise<JobCounts> {
  await using postgres = await startPostgres();
  await using counter = await startStatementCounter(postgres.url);
  const dataDir = await mkdtemp(join(tmpdir(), 'burnish-bench-counts-'));
  const instance = await startInstance({ dataDir, env: { DATABASE_URL: counter.url } });
  try {
    const counts = await countJobs({ ...instance, databaseUrl: postgres.url, counter }, files);
    return counts.at(-1)!;
  } finally {
    await instance.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
