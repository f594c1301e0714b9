import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  patched,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { type DeletionReason, DAY_MS } from '@burnish/contract';
import type { UploadInput } from '../../domain/temporal/workflow-interface.ts';
import { fileNameAttribute, referenceAttribute } from '../../domain/temporal/search-attributes.ts';
import { followClock, waitUntil } from '../account-clock.ts';
import { deleteUploadFiles } from '../activities.ts';
import { createEnhancements, type CarriedEnhancement } from '../enhancement/enhancements.ts';
import type { Progress } from '../enhancement/enhancement-run.ts';
import { removeAtHosted } from '../hosted/send-upload.ts';
import { analyzePdf } from './analyze.ts';
import { acceptUploadCommands, listenForSignals } from './upload-commands.ts';
import type { UploadContext } from './context.ts';
import { awaitFile, receive } from './receive.ts';
import { expectSignedFile, refuseSignedFile } from './signed-file.ts';
import { trackUpload } from './upload-state.ts';

/** Number of events after which an upload continues as new once nothing is in flight; far below the server's own limit. */
const HISTORY_LIMIT = 1_000;
/** Number of events after which new enhancements wait until the running ones end, so that the workflow can continue as new. */
const DRAIN_LIMIT = 2_000;

interface CarriedUpload {
  timeline: readonly string[];
  enhancements: readonly CarriedEnhancement[];
}

/** Owns one upload from its first byte to its deletion: receive → analyze → enhance on command → retention → delete. */
export async function upload(input: UploadInput, carried: CarriedUpload = initialState(input)): Promise<void> {
  const { initial, source, plan, hosted } = input;
  const tracker = trackUpload(initial, carried.timeline);
  const signals = listenForSignals();
  followClock();
  const enhancements = createEnhancements({
    upload: tracker,
    plan,
    hosted,
    carried: carried.enhancements,
    getWakeUps: signals.about,
  });
  const lifecycle = new CancellationScope();
  const signedFile = source.kind === 'signed' ? expectSignedFile(tracker, source) : null;
  if (signedFile === null) refuseSignedFile();
  const commands = acceptUploadCommands(tracker.state, source, plan, enhancements, () => lifecycle.cancel());

  const context = { source, hosted, tracker, enhancements, commands, signedFile, hostedEvents: signals.hosted };
  let reason: DeletionReason = 'user';
  try {
    await lifecycle.run(() => runLifecycle(input, context));
    reason = 'retention';
  } catch (error) {
    if (!isCancellation(error)) throw error;
  }
  await CancellationScope.nonCancellable(async () => {
    await remove(context, reason);
    await removeAtHosted(context);
    await tracker.notifications.settled();
    await condition(allHandlersFinished);
    forgetNames();
  });
}

/** Enhancements requested with the upload, and enhancements to resume after the loss of their workflow. */
function initialState({ initial, enhancements, resume = [], approved = [] }: UploadInput): CarriedUpload {
  const ordered = enhancements.map((request) => ({
    request,
    acceptedAt: initial.createdAt,
    changes: {},
    progress: {},
  }));
  const resumed = resume.map((recorded) => {
    const { id, parameters, maxCredits, creditWaitMs, createdAt, revision, provider, remoteId, destination } = recorded;
    const request = { id, parameters, maxCredits, creditWaitMs, ...(destination && { destination }) };
    // Only its destination is left to reach.
    if (recorded.status === 'FINISHED') return { request, acceptedAt: createdAt, changes: recorded, progress: {} };
    const changes = { revision, provider, remoteId };
    // The hosted service may have begun it, so the workflow looks for a sign of it before it begins again.
    const progress: Progress =
      provider === 'hosted' && remoteId === null ? { lost: { sinceMs: Date.parse(createdAt), attempt: 1 } } : {};
    const { estimatedCredits, startedAt, status, waitingFor } = recorded;
    return {
      request,
      acceptedAt: createdAt,
      changes: {
        ...changes,
        estimatedCredits,
        startedAt,
        ...(status === 'AWAITING_APPROVAL' || status === 'AWAITING_CREDITS' ? { status, waitingFor } : {}),
      },
      progress: approved.includes(id) ? { ...progress, approved: true } : progress,
    };
  });
  return { timeline: [], enhancements: [...ordered, ...resumed] };
}

/** Runs until the retention period ends. A deletion cancels it at any await, together with every enhancement. */
async function runLifecycle(input: UploadInput, context: UploadContext): Promise<void> {
  const { tracker, enhancements, commands } = context;
  const { state } = tracker;
  const expiresAt = Date.parse(state.createdAt) + state.retentionDays * DAY_MS;

  if (state.status === 'UPLOAD_PENDING') await awaitFile(context);
  if (state.status === 'UPLOAD_PROCESSING') {
    await receive(context);
    await enhancements.received();
  }
  for (;;) {
    if (commands.takeAnalysisAsked() || state.subStatus === 'METADATA_ANALYZING') await analyzePdf(context);
    if (!isTooLong()) enhancements.startWaiting();
    const awake = await waitUntil(
      expiresAt,
      () => commands.analysisAsked || (enhancements.waiting && !isTooLong()) || mayContinueAsNew(context),
      { summary: 'retention' },
    );
    if (!awake) return;
    if (mayContinueAsNew(context)) await continueAsNewUpload(input, context);
  }
}

const isTooLong = (): boolean => workflowInfo().historyLength > DRAIN_LIMIT;

/** Whether the history is long enough, and nothing is in flight that continue-as-new would lose. */
function mayContinueAsNew({ tracker, enhancements, commands }: UploadContext): boolean {
  return (
    workflowInfo().historyLength > HISTORY_LIMIT &&
    enhancements.idle &&
    !tracker.notifications.busy &&
    !commands.analysisAsked &&
    allHandlersFinished()
  );
}

async function continueAsNewUpload(input: UploadInput, { tracker, enhancements }: UploadContext): Promise<void> {
  const { resume: _resume, approved: _approved, ...kept } = input;
  await continueAsNew<typeof upload>(
    { ...kept, initial: { ...tracker.state }, enhancements: [] },
    { timeline: [...tracker.timeline.lines], enhancements: enhancements.carry() },
  );
}

/**
 * Removes the references and the file name of the caller, which lists of workflows show. A workflow without them has nothing to remove,
 * so its history stays as it was before this step.
 */
function forgetNames(): void {
  const { typedSearchAttributes } = workflowInfo();
  const names = [referenceAttribute, fileNameAttribute].filter((key) => typedSearchAttributes.get(key) !== undefined);
  if (names.length === 0 || !patched('references forgotten')) return;
  upsertSearchAttributes(names.map((key) => ({ key, value: null }) as SearchAttributeUpdatePair));
}

async function remove({ tracker, enhancements, signedFile }: UploadContext, reason: DeletionReason): Promise<void> {
  const { accountId, id } = tracker.state;
  await enhancements.cancelAll();
  await signedFile?.close();
  await deleteUploadFiles({ accountId, uploadId: id });
  await tracker.move(
    { status: 'UPLOAD_DELETED', objectKey: null, deletedAt: new Date().toISOString(), deletionReason: reason },
    reason === 'user' ? 'Deleted on request.' : 'Deleted: its retention has passed.',
  );
}
