import { countJobs, type JobCounts } from '../../test/support/job-counts.ts';
import { startInstance } from '../../test/support/instance.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { startStatementCounter } from '../../test/support/statement-counter.ts';

/** Counts the requests of the last file to Temporal and to PostgreSQL. The earlier files fill caches. */
export async function countOneJob(files: readonly Buffer[]): Promise<JobCounts> {
  await using postgres = await startPostgres();
  await using counter = await startStatementCounter(postgres.url);
  await using instance = await startInstance({ env: { DATABASE_URL: counter.url } });
  const counts = await countJobs({ ...instance, databaseUrl: postgres.url, counter }, files);
  return counts.at(-1)!;
}
