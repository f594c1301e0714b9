import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { uploadWorkflowId } from '../../src/domain/temporal/workflow-interface.ts';
import type { Api } from '../e2e/api.ts';
import { connectToHistories, type HistoryCounts } from './history-counts.ts';
import type { StatementCounter } from './statement-counter.ts';
import { until } from './until.ts';

export interface JobCounts extends HistoryCounts {
  /** Statements that the database executed, in order, without those that begin and end transactions */
  statements: string[];
  transactions: number;
}

export interface CountedInstance {
  api: Api;
  temporalAddress: string;
  /** URL of the database itself; the instance connects through `counter` */
  databaseUrl: string;
  counter: StatementCounter;
}

/** Statements after the last change of a record belong to the job too. */
const QUIET_AFTER_MS = 1_000;

/**
 * Counts the requests of each file to Temporal and to the database, one file after the other. Each enhancement is requested
 * with its upload, and no client reads it.
 */
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

/** Polls the database directly, so that the instance gets no requests. */
async function untilFinished(database: Client, enhancementId: string): Promise<void> {
  const query = 'select status from enhancements where id = $1';
  await until(
    async () => (await database.query<{ status: string }>(query, [enhancementId])).rows[0]?.status,
    (status) => status === 'FINISHED',
    { pauseMs: 20 },
  );
  await delay(QUIET_AFTER_MS);
}
