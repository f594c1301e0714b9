import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PGlite } from '@electric-sql/pglite';
import { Client, Connection } from '@temporalio/client';
import type { Instance } from '../../support/instance.ts';
import { tidyUp, type HousekeepingDeps } from '../../../src/api/reconcile/housekeeping.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { createStores } from '../../../src/database/stores.ts';
import { testVault } from '../../support/test-vault.ts';
import { openDescriptors, type Part, residentMegabytes, sumByPart } from '../../../bench/lifecycle/processes.ts';

const run = promisify(execFile);

export const FOLDERS = ['database', 'files', 'temporal'] as const;

/** State of an instance at a moment. */
export interface Sample {
  /** Hours since the start */
  hours: number;
  /** Lifecycles so far */
  lifecycles: number;
  /** Resident megabytes */
  memory: Record<Part, number>;
  descriptors: Record<Part, number>;
  /** Megabytes on disk */
  sizes: Record<(typeof FOLDERS)[number], number>;
  histories: { open: number; closed: number };
}

/** @param begunAt start of the run, by the clock of `performance` */
export async function takeSample(
  { pid, temporalAddress, dataDir }: Instance,
  begunAt: number,
  lifecycles: number,
): Promise<Sample> {
  return {
    hours: (performance.now() - begunAt) / 3_600_000,
    lifecycles,
    memory: sumByPart(pid, residentMegabytes),
    descriptors: sumByPart(pid, openDescriptors),
    sizes: Object.fromEntries(
      await Promise.all(FOLDERS.map(async (name) => [name, await megabytesOf(join(dataDir, name))] as const)),
    ) as Sample['sizes'],
    histories: await countHistories(temporalAddress),
  };
}

async function megabytesOf(folder: string): Promise<number> {
  // It ends with an error when a file goes while it counts.
  const { stdout } = await run('du', ['-sk', folder]).catch((error: { stdout: string }) => error);
  return (Number.parseInt(stdout, 10) * 1024) / 1e6;
}

async function countHistories(address: string): Promise<Sample['histories']> {
  const connection = await Connection.connect({ address });
  try {
    const { workflow } = new Client({ connection });
    const count = async (query?: string): Promise<number> => (await workflow.count(query)).count;
    const open = await count('ExecutionStatus="Running"');
    return { open, closed: (await count()) - open };
  } finally {
    await connection.close();
  }
}

/**
 * Counts the rows of each table that has any, in a copy of the embedded database, because only one process can open it. The process
 * stands still during the copy, so PostgreSQL recovers it like a database after a crash.
 */
export async function countRowsOfCopy({ pid, dataDir }: Instance): Promise<Record<string, number>> {
  const copy = await mkdtemp(join(dataDir, '..', 'burnish-proof-database-'));
  try {
    process.kill(pid, 'SIGSTOP');
    try {
      await cp(join(dataDir, 'database'), copy, { recursive: true, mode: constants.COPYFILE_FICLONE });
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    return await countRows(copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** @param folder of an embedded database that no process has open */
async function countRows(folder: string): Promise<Record<string, number>> {
  const database = await PGlite.create(folder);
  try {
    const { rows: tables } = await database.query<{ name: string }>(
      `select relname as name from pg_stat_user_tables where schemaname = 'public' order by relname`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const { rows } = await database.query<{ count: number }>(`select count(*)::int as count from "${name}"`);
      if (rows[0]!.count > 0) counts[name] = rows[0]!.count;
    }
    return counts;
  } finally {
    await database.close();
  }
}

/**
 * Clears away what an ended instance removes by age, as if `days` had passed.
 * @returns the rows of each table that still has any
 */
export async function rowsAfter(days: number, dataDir: string): Promise<Record<string, number>> {
  const now = (): number => Date.now() + days * 86_400_000;
  const database = await openDatabase({ dataDir });
  try {
    const nothing = { delete: () => Promise.resolve(), sweepUnfinished: () => Promise.resolve(0) };
    const log = { warn: (...words: unknown[]) => console.error(...words) };
    // All workflows have ended, so nothing asks Temporal.
    const client = undefined as unknown as HousekeepingDeps['client'];
    await tidyUp({ ...createStores(database, testVault, now), storage: nothing, client, log, now });
  } finally {
    await database.close();
  }
  return await countRows(join(dataDir, 'database'));
}
