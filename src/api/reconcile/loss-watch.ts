import { findRun } from './find-run.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';

export type LossWatchDeps = Pick<ReconcileDeps, 'client' | 'leases' | 'now'>;

/** Time within which a gateway, this one or another, compares after a loss, milliseconds. */
const COMPARED_WITHIN_MS = 120_000;

/** Milliseconds after which Temporal counts as away. The client repeats calls for longer. */
const ANSWER_WAIT_MS = 1_000;

/**
 * Notices that Temporal or the database may have lost writes: it was away and responds again, or the database lacks a renewal of
 * the lease that this process has written.
 * @param lease name of the lease that its holder renews all the time
 */
export function createLossWatch(
  { client, leases, now }: LossWatchDeps,
  { lease, holder }: Record<'lease' | 'holder', string>,
) {
  const away = { temporal: false, database: false };
  let mayHaveHappened = false;
  /** When the last possible loss was noticed, until its comparison; milliseconds since the epoch */
  let noticedAt = -Infinity;

  function notice(): void {
    mayHaveHappened = true;
    noticedAt = now();
  }

  function note(part: keyof typeof away, isAway: boolean): void {
    if (away[part] && !isAway) notice();
    away[part] = isAway;
  }

  return {
    async lookAtTemporal(): Promise<void> {
      try {
        // No workflow has this id, and the answer comes from Temporal's database all the same.
        await client.withDeadline(Date.now() + ANSWER_WAIT_MS, () => findRun({ client }, lease));
        note('temporal', false);
      } catch {
        note('temporal', true);
      }
    },

    /** @throws errors of the database */
    async lookAtDatabase(): Promise<void> {
      try {
        if (await leases.isOlder(lease, holder)) notice();
        note('database', false);
      } catch (error) {
        note('database', true);
        throw error;
      }
    },

    /** Whether writes may be lost since the last call of `forget`. */
    mayHaveHappened: (): boolean => mayHaveHappened,
    forget: (): void => void (mayHaveHappened = false),
    /** Notes that all records are compared with their workflows. */
    compared: (): void => void (noticedAt = -Infinity),
    /**
     * Whether a record may be behind its workflow: a store is away, or a possible loss after its creation is not compared yet.
     * @param createdAt ISO 8601
     */
    mayBeBehind: (createdAt: string): boolean =>
      away.temporal || away.database || (now() < noticedAt + COMPARED_WITHIN_MS && Date.parse(createdAt) <= noticedAt),
  };
}
