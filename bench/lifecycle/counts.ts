import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { uploadWorkflowId } from '../../src/domain/messages.ts';
import { connectToHistories, type HistoryCounts } from '../../test/support/history-counts.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { startStatementCounter } from '../../test/support/statement-counter.ts';
import { startInstance } from './instance.ts';

export interface Counts extends HistoryCounts {
  /** Statements that the database executed, `begin` and `commit` with them */
  statements: string[];
}

/** What one small image asks of Temporal and of the database, ordered with its upload and read by nobody. */
export async function countOneJob(files: readonly Buffer[]): Promise<Counts> {
  await using postgres = await startPostgres();
  await using counter = await startStatementCounter(postgres.url);
  const dataDir = await mkdtemp(join(tmpdir(), 'burnish-bench-counts-'));
  const instance = await startInstance({ dataDir, env: { DATABASE_URL: counter.url } });
  const database = new Client({ connectionString: postgres.url });
  try {
    await database.connect();
    await using histories = await connectToHistories(instance.temporalAddress);
    let statements: string[] = [];
    let counts: HistoryCounts | undefined;
    // The last of them counts: the first ones find caches empty.
    for (const file of files) {
      counter.take();
      const { status, body } = await instance.api.upload(file, { enhancements: [{}] });
      if (status !== 202) throw new Error(`An upload was answered with ${status}: ${JSON.stringify(body)}`);
      await untilFinished(database, body.enhancements[0]!.id);
      statements = counter.take();
      counts = await histories.count(uploadWorkflowId(body.id));
    }
    return { ...counts!, statements };
  } finally {
    await database.end();
    await instance.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Asks the database itself, so that the instance is asked nothing. */
async function untilFinished(database: Client, enhancementId: string): Promise<void> {
  for (;;) {
    const { rows } = await database.query<{ status: string }>('select status from enhancements where id = $1', [
      enhancementId,
    ]);
    if (rows[0]?.status === 'FINISHED') break;
    await delay(20);
  }
  // What follows the last change belongs to the job.
  await delay(1_000);
}
