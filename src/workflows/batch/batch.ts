import { allHandlersFinished, condition, continueAsNew } from '@temporalio/workflow';
import { countEnded, countPending, hasEnded, type Batch, counted } from '@burnish/contract';
import type { Input } from '../../activities/inputs/schemas.ts';
import type { BatchAdvance } from '../../activities/batches.ts';
import { hasManyFailures } from '../../domain/batch/batch-rules.ts';
import { BATCH_WAITS } from '../../domain/temporal/waits.ts';
import type { BatchInput } from '../../domain/temporal/workflow-interface.ts';
import { isHistoryLong } from '../long-history.ts';
import { advanceBatch, chooseBatchSamples, predictBatch } from '../activities.ts';
import { acceptBatchCommands } from './batch-commands.ts';
import { trackBatch, type BatchTracker } from './batch-state.ts';

/**
 * Runs one batch to its end: samples → approval → all items in a sliding window. The items live in the database, and the
 * workflow of each upload owns the work on it. This workflow learns their ends from the records, so it loses none.
 */
export async function batch({ initial }: BatchInput, timeline: readonly string[] = []): Promise<void> {
  const tracker = trackBatch(initial, timeline);
  const { state } = tracker;
  const wakeUp = { due: false };
  acceptBatchCommands(tracker, () => (wakeUp.due = true));
  // A workflow that starts after the end of its batch expects the command to try failed items again.
  if (hasEnded(state)) await condition(() => !hasEnded(state), BATCH_WAITS.retryMs);

  let exists = true;
  do {
    exists = await run(tracker, wakeUp);
    // A command may try failed items again at the same moment, so one condition covers commands and notifications.
    await condition(() => allHandlersFinished() && !tracker.notifications.busy);
  } while (exists && !hasEnded(state));
}

/** Runs until the batch ends, or its account is deleted. @returns whether the batch still exists */
async function run(tracker: BatchTracker, wakeUp: { due: boolean }): Promise<boolean> {
  const { state } = tracker;
  let pauseMs: number = BATCH_WAITS.usualMs;
  while (!hasEnded(state)) {
    wakeUp.due = false;
    const stage = currentStage(state);
    const progress = await advance(state, stage);
    if (progress === null) return false;
    // A command may have begun another stage, which these numbers say nothing about.
    if (currentStage(state) === stage) await react(tracker, stage, progress);
    if (hasEnded(state)) break;
    pauseMs = nextPauseMs(state, progress, pauseMs);
    if (await condition(() => wakeUp.due, pauseMs)) pauseMs = BATCH_WAITS.usualMs;
    if (isHistoryLong() && allHandlersFinished() && !tracker.notifications.busy) {
      await continueAsNew<typeof batch>({ initial: { ...state } }, [...tracker.timeline.lines]);
    }
  }
  return true;
}

/**
 * The pause before the next step: shorter while most items end between two steps, since ended ones leave engines idle, and growing
 * while none starts or ends.
 */
function nextPauseMs(state: Batch, progress: BatchAdvance, lastMs: number): number {
  const isResting = currentStage(state) === 'none';
  if (isResting && progress.running === 0) return BATCH_WAITS.restMs;
  const { moved, running } = progress;
  // An item that ends lets another one start, so both count.
  if (moved > running) return Math.max(BATCH_WAITS.shortestMs, lastMs / 2);
  if (moved > 0) return Math.min(BATCH_WAITS.usualMs, moved < running / 2 ? lastMs * 2 : lastMs);
  const hasWork = progress.running > 0 || countPending(progress) > 0;
  return Math.min(hasWork ? BATCH_WAITS.longestMs : BATCH_WAITS.idleMs, lastMs * 2);
}

type Stage = Input<'advanceBatch'>['stage'];

function currentStage({ status }: Batch): Stage {
  if (status === 'CANCELLING') return 'cancel';
  if (status === 'SAMPLING') return 'samples';
  return status === 'RUNNING' ? 'all' : 'none';
}

async function advance(state: Batch, stage: Stage): Promise<BatchAdvance | null> {
  const { id: batchId, accountId, parameters, preset, destination, maxCredits, samples } = state;
  if (stage === 'samples') await chooseBatchSamples({ batchId, samples });
  const summary = `${stage} of ${state.reference ?? batchId}`;
  return advanceBatch.executeWithOptions({ summary }, [
    { batchId, accountId, parameters, preset, destination, maxCredits, stage },
  ]);
}

/** Draws the conclusions from the numbers of items. */
async function react(tracker: BatchTracker, stage: Stage, progress: BatchAdvance): Promise<void> {
  const { state, move } = tracker;
  const ended = countEnded(progress);
  const isDone = progress.closed && ended === progress.items;
  if (stage === 'none') return;
  if (isDone && stage === 'cancel') {
    await move({ status: 'CANCELLED', finishedAt: now() }, `Cancelled: ${toWords(progress)}.`, 'batch.ended');
    return;
  }
  if (stage === 'cancel') return;
  if (!state.halfReported && progress.closed && ended > 0 && 2 * ended >= progress.items) {
    await move({ halfReported: true }, `Half of the items have ended: ${toWords(progress)}.`, 'batch.half_done');
  }
  if (isDone) {
    // The last items may end between two looks, as all items of a small batch do.
    if (hasTrouble(state, progress)) await reportTrouble(tracker, progress);
    await move({ status: 'FINISHED', finishedAt: now() }, `Finished: ${toWords(progress)}.`, 'batch.ended');
    return;
  }
  if (progress.pause !== null) {
    const why =
      progress.pause === 'budget'
        ? `its budget of ${counted(state.maxCredits ?? 0, 'credit')} is used`
        : 'the account has too few credits';
    await move({ status: 'PAUSED', pauseReason: progress.pause }, `Paused: ${why}.`, 'batch.trouble');
    return;
  }
  if (hasTrouble(state, progress)) await reportTrouble(tracker, progress);
  if (stage === 'samples' && progress.running === 0 && !progress.samplesLeft) {
    const prediction = await predictBatch({ accountId: state.accountId, batchId: state.id });
    if (currentStage(state) !== 'samples') return;
    const sentence = `The samples have ended: ${toWords(progress)}. The rest waits for approval.`;
    await move({ status: 'APPROVAL_NEEDED', prediction }, sentence, 'batch.approval_needed');
  }
}

const hasTrouble = (state: Batch, progress: BatchAdvance): boolean =>
  !state.troubleReported && hasManyFailures(progress);

const reportTrouble = ({ move }: BatchTracker, progress: BatchAdvance): Promise<void> =>
  move({ troubleReported: true }, `Many items fail: ${toWords(progress)}.`, 'batch.trouble');

function toWords({ finished, failed, cancelled }: BatchAdvance): string {
  return `${finished} finished, ${failed} failed, ${cancelled} cancelled`;
}

const now = (): string => new Date().toISOString();
