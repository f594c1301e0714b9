import { randomUUID } from 'node:crypto';
import { OUTAGES } from '@burnish/contract';
import type { Leases } from '../database/leases.ts';
import { isDiskFull } from '../domain/failed-machinery.ts';
import { problemsWithin, type Probe } from './storage-probe.ts';

/** A probe writes to the database, so its result is reused for this long, in milliseconds. */
const DATABASE_PROBE_MS = 10_000;
/** The row is removed at once. After a crash in between, it means nothing. */
const LEASE_MS = 1_000;
const AWAY = [OUTAGES.database.sentence];
const FULL = ['The disk of the database is full.'];

/**
 * Probes the database with a write, since one that only answers reads accepts no upload.
 * @param now milliseconds of a monotonic clock
 */
export function createDatabaseProbe(leases: Pick<Leases, 'take' | 'release'>, now = () => performance.now()): Probe {
  let last: { problems: Promise<string[]>; until: number } | undefined;

  async function write(): Promise<string[]> {
    // Each probe has its own row, because processes probe concurrently.
    const name = `readiness ${randomUUID()}`;
    try {
      await leases.take(name, name, LEASE_MS);
      await leases.release(name, name);
      return [];
    } catch (error) {
      return isDiskFull(error) ? FULL : AWAY;
    }
  }

  return () => {
    if (last === undefined || now() >= last.until) {
      last = { problems: problemsWithin(write(), AWAY), until: now() + DATABASE_PROBE_MS };
    }
    return last.problems;
  };
}
