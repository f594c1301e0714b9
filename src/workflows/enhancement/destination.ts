import { isCancellation } from '@temporalio/workflow';
import { cancelledDestination, isPending, type Destination } from '@burnish/contract';
import { DESTINATION_RETRIES } from '../../domain/temporal/retry-policies.ts';
import { accountNow, waitUntil } from '../../test-accounts/workflow-clock.ts';
import { DESTINATION_ATTEMPTS, writeToDestination } from '../activities.ts';
import { failureReason } from '../step.ts';
import { transferStep } from '../transfer-step.ts';
import type { EnhancementRun } from './enhancement-run.ts';

/**
 * Writes the result of a finished enhancement to its destination: the last step of its lifecycle. Attempts continue for a day.
 * No outcome changes the result or its charge. A cancellation, also by the deletion of the upload, ends the attempts.
 */
export async function deliver({ tracker, ...open }: EnhancementRun): Promise<void> {
  const { destination, status } = tracker.state;
  if (status !== 'FINISHED' || !isPending(destination)) return;
  try {
    await open.scope.run(() => attempts({ tracker, ...open }, destination));
  } catch (error) {
    if (isCancellation(error)) {
      const cancelled = cancelledDestination(destination);
      await tracker.noteDestination(cancelled, null, 'The result was not written to its destination: cancelled.');
      return;
    }
    const { code, detail } = failureReason(error);
    const failed: Destination = { ...destination, status: 'FAILED', errorCode: code, errorDetail: detail };
    await tracker.noteDestination(failed, null, `The result was not written to its destination. ${code}: ${detail}`);
  }
}

async function attempts({ tracker, progress, whileIdle }: EnhancementRun, destination: Destination): Promise<void> {
  const { id, accountId, uploadId, result } = tracker.state;
  if (result === null) throw new TypeError('A finished enhancement has a result.');
  const since = (progress.destinationSince ??= accountNow());
  for (;;) {
    try {
      const waits = (machinery: Parameters<typeof tracker.waits>[0], sentence: string): Promise<void> =>
        tracker.noteDestination(destination, machinery, sentence);
      const { key } = await transferStep(waits, {
        activity: writeToDestination,
        attempts: DESTINATION_ATTEMPTS,
        summary: toLocation(destination),
        order: { accountId, uploadId, enhancementId: id, destination, result },
        whileIdle,
      });
      const delivered = { ...destination, key, status: 'DELIVERED', deliveredAt: new Date().toISOString() } as const;
      await tracker.noteDestination(delivered, null, 'Written to its destination.');
      return;
    } catch (error) {
      const elapsed = accountNow() - since;
      if (isCancellation(error) || failureReason(error).code !== 'DESTINATION_UNAVAILABLE') throw error;
      if (elapsed >= DESTINATION_RETRIES.giveUpMs) throw error;
      if (tracker.state.waitingFor !== 'destination') {
        const sentence = 'The destination does not answer. Burnish tries again for a day.';
        await tracker.noteDestination(destination, 'destination', sentence);
      }
      // A share of the elapsed time: the intervals grow, also over continue-as-new.
      const { firstMs, longestMs } = DESTINATION_RETRIES;
      const next = Math.min(
        accountNow() + Math.min(Math.max(elapsed, firstMs), longestMs),
        since + DESTINATION_RETRIES.giveUpMs,
      );
      await whileIdle(() => waitUntil(next, () => false, { summary: `destination of ${id}` }));
    }
  }
}

const toLocation = ({ url, bucket, key }: Destination): string => url ?? `${bucket}/${key}`;
