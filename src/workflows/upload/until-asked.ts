import { allHandlersFinished, continueAsNew, workflowInfo } from '@temporalio/workflow';
import { DAY_MS } from '@burnish/contract';
import type { UploadInput } from '../../domain/temporal/workflow-interface.ts';
import { waitUntil } from '../../test-accounts/workflow-clock.ts';
import { isHistoryLong } from '../long-history.ts';
import type { CarriedUpload } from './carried-upload.ts';
import type { UploadContext } from './open-upload.ts';

/** Number of events after which new enhancements wait until the running ones end, so that the workflow can continue as new. */
const DRAIN_LIMIT = 2_000;

/** Whether new orders wait, so that the workflow can continue as new. */
export const isTooLong = (): boolean => workflowInfo().historyLength > DRAIN_LIMIT;

/**
 * Waits for an order, or for the command to analyze again. A long history continues as new here.
 * @returns false at the end of the retention
 */
export async function untilAsked(context: UploadContext): Promise<boolean> {
  const { tracker, enhancements, commands } = context;
  const { createdAt, retentionDays } = tracker.state;
  const isAwake = await waitUntil(
    Date.parse(createdAt) + retentionDays * DAY_MS,
    () => commands.analysisAsked || (enhancements.waiting && !isTooLong()) || mayContinueAsNew(context),
    { summary: 'retention' },
  );
  if (isAwake && mayContinueAsNew(context)) await continueUploadAsNew(context);
  return isAwake;
}

/** Whether the history is long enough, and nothing is in flight that continue-as-new would lose. */
function mayContinueAsNew({ tracker, enhancements, commands }: UploadContext): boolean {
  return (
    isHistoryLong() &&
    enhancements.idle &&
    !tracker.notifications.busy &&
    !commands.analysisAsked &&
    allHandlersFinished()
  );
}

async function continueUploadAsNew({ input, tracker, enhancements }: UploadContext): Promise<void> {
  const { resume: _resume, approved: _approved, ...kept } = input;
  await continueAsNew<(input: UploadInput, carried: CarriedUpload) => Promise<void>>(
    { ...kept, initial: { ...tracker.state }, enhancements: [] },
    { timeline: [...tracker.timeline.lines], enhancements: enhancements.carry() },
  );
}
