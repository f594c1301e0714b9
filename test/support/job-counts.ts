import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { uploadWorkflowId } from '../../src/domain/temporal/workflow-interface.ts';
import type { Api } from '../e2e/api.ts';
import { connectToHistories, type HistoryCounts } from './history-counts.ts';
import type { StatementCounter } from './statement-counter.ts';

export interface JobCounts extends HistoryCounts {
  /** Statements that the database executed, in order, without what begins and ends transactions */
  statements: string[];
  transactions: number;
}

export interface CountedInstance {
  api: Api;
  temporalAddress: string;
  /** Of the database itself; the instance reaches it through `counter` */
  databaseUrl: string;
  counter: StatementCounter;
}

/** What follows the last change of a record belongs to the job too. */
const QUIET_AFTER_MS = 1_000;

/** What each of some files, one after the other, asks of Temporal and of the database: ordered with its upload, read by nobody. */
export async function countJobs(
  { api, temporalAddress, databaseUrl, counter }: CountedInstance,
  files: readonly Uint8Array[],
): Promise<JobCounts[]> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    await using histories = await connectToHistories(temporalAddress);
    const counts: JobCounts[] = [];
    for (const file of files) {
      counter.take();
      const { status, body } = await api.upload(file, { enhancements: [{}] });
      if (status !== 202) throw new Error(`An upload was answered with ${status}: ${JSON.stringify(body)}`);
      await untilFinished(database, body.enhancements[0]!.id);
      const executed = counter.take();
      const statements = executed.filter((each) => !/^\s*(begin|commit|rollback)/i.test(each));
      const transactions = executed.filter((each) => /^\s*begin/i.test(each)).length;
      counts.push({ ...(await histories.count(uploadWorkflowId(body.id))), statements, transactions });
    }
    return counts;
  } finally {
    await database.end();
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
  await delay(QUIET_AFTER_MS);
}
