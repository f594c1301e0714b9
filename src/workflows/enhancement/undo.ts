import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { resultKey } from '../../domain/files/object-keys.ts';
import { deleteResult } from '../activities.ts';
import { failureReason } from '../step.ts';
import { adoptTrace, findTrace } from '../trace-context.ts';
import type { EnhancementRun } from './enhancement-run.ts';

/** Compensates for the steps so far. Each compensation is a no-op if its step never ran. Nothing cancels them. */
export async function undo(run: EnhancementRun, error: unknown): Promise<void> {
  const scope = new CancellationScope({ cancellable: false });
  adoptTrace(scope, findTrace(run.scope));
  await scope.run(() => compensate(run, error));
}

async function compensate({ tracker, mayHaveResult }: EnhancementRun, error: unknown): Promise<void> {
  const { accountId, uploadId, id } = tracker.state;
  const ending = { announce: true, settle: 'release' } as const;
  if (isCancellation(error)) {
    const changes = { status: 'CANCELLED', finishedAt: new Date().toISOString() } as const;
    await tracker.move(changes, 'Cancelled; reserved credits were released.', ending);
  } else {
    const { code, detail } = failureReason(error);
    await tracker.move(
      { status: 'ERROR', errorCode: code, errorDetail: detail, finishedAt: new Date().toISOString() },
      `Failed with ${code}: ${detail}`,
      ending,
    );
  }
  if (mayHaveResult) await deleteResult({ objectKey: resultKey(accountId, uploadId, id) });
}
