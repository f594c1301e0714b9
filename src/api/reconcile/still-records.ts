import type { StillUpload } from '../../database/uploads/reconciliation.ts';
import { uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import { findRun } from './find-run.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import { compareUploads } from './reconcile.ts';

/** Milliseconds without a change after which open work is compared with its workflow. */
const STILL_MS = 60_000;
/** Later comparisons are as far apart as the work has been still, so that work which waits for days costs little. Milliseconds */
const LONGEST_INTERVAL_MS = 3_600_000;
/** Uploads that one run reads. A loss concerns the latest changes, which come first. */
const MOST_READ = 1_000;
/** Uploads that one run looks at. */
const MOST_LOOKED_AT = 50;

interface Look {
  changeSeq: number;
  /** When it was first found, and when it is looked at next, milliseconds since the epoch */
  since: number;
  nextAt: number;
}

/**
 * Compares open work without progress. After a loss of newest seconds it has no workflow, or an older one, or an older record. Work
 * whose workflow has an activity makes progress of its own.
 * @returns a function that looks once, and returns the number of repaired uploads
 */
export function createStillRecords(): (deps: ReconcileDeps, signal: AbortSignal) => Promise<number> {
  let looks = new Map<string, Look>();

  return async (deps, signal) => {
    const now = deps.now();
    const still = await deps.reconciliation.still(new Date(now - STILL_MS).toISOString(), MOST_READ);
    looks = new Map(still.map((each) => [each.id, lookOf(each, now)]));
    const due = still.filter(({ id }) => looks.get(id)!.nextAt <= now).slice(0, MOST_LOOKED_AT);
    const suspect: string[] = [];
    for (const { id } of due) {
      signal.throwIfAborted();
      const look = looks.get(id)!;
      const isFirst = look.nextAt === look.since;
      look.nextAt = now + Math.min(LONGEST_INTERVAL_MS, Math.max(STILL_MS, now - look.since));
      const run = isFirst ? undefined : await findRun(deps, uploadWorkflowId(id));
      if (!run?.isRunning || run.activities.length === 0) suspect.push(id);
    }
    const { revived, recorded } = await compareUploads(deps, suspect, signal);
    return revived + recorded;
  };

  function lookOf({ id, changeSeq }: StillUpload, now: number): Look {
    const known = looks.get(id);
    return known?.changeSeq === changeSeq ? known : { changeSeq, since: now, nextAt: now };
  }
}
