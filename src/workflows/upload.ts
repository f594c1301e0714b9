import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  workflowInfo,
} from '@temporalio/workflow';
import type { DeletionReason } from '../domain/upload.ts';
import type { UploadInput } from '../domain/workflow-inputs.ts';
import { deleteUploadFiles } from './activities.ts';
import { analyzePdf } from './analyze-upload.ts';
import { superviseEnhancements, type EnhancementsInCare } from './enhancement-supervisor.ts';
import { listenForProviderEvents } from './provider-events.ts';
import { awaitFile, receive } from './receive-upload.ts';
import { removeRemotely } from './remove-remotely.ts';
import { expectSignedFile } from './signed-file.ts';
import { acceptUploadCommands } from './upload-commands.ts';
import type { UploadParts } from './upload-parts.ts';
import { trackUpload } from './upload-state.ts';

/** Events after which an upload goes on with a fresh history; far below the server's own limit. */
const HISTORY_LIMIT = 1000;

const DAY_MS = 24 * 3_600_000;

/** What an upload takes along into a fresh history. */
interface CarriedUpload {
  timeline: readonly string[];
  care: EnhancementsInCare;
}

/** Owns one upload from its first byte to its deletion: receive → analyze → await commands → retention → delete. */
export async function upload(input: UploadInput, carried?: CarriedUpload): Promise<void> {
  const { initial, source, plan, enhancements, hosted } = input;
  const tracker = trackUpload(initial, carried?.timeline ?? []);
  const care = carried?.care ?? {
    waiting: enhancements.map((request) => ({ request, acceptedAt: initial.createdAt })),
    running: [],
  };
  const supervisor = superviseEnhancements(tracker, input, care);
  const life = new CancellationScope();
  const signedFile = expectSignedFile(tracker, source);
  const providerEvents = listenForProviderEvents();
  const commands = acceptUploadCommands(tracker.state, plan, supervisor, () => life.cancel());

  const parts: UploadParts = { source, hosted, tracker, supervisor, commands, signedFile, providerEvents };
  let reason: DeletionReason = 'user';
  try {
    await life.run(() => live(parts, () => goOnWithFreshHistory(input, parts)));
    reason = 'retention';
  } catch (error) {
    if (!isCancellation(error)) throw error;
  }
  await CancellationScope.nonCancellable(async () => {
    await remove(parts, reason);
    await removeRemotely(parts);
    await condition(allHandlersFinished);
  });
}

/** Until the retention has passed; a deletion cancels it at any await. */
async function live(parts: UploadParts, goOnWithFreshHistory: () => Promise<void>): Promise<void> {
  const { tracker, supervisor, commands } = parts;
  const { state } = tracker;
  const expiresAt = Date.parse(state.createdAt) + state.retentionDays * DAY_MS;
  const historyIsLong = (): boolean => workflowInfo().historyLength > HISTORY_LIMIT;

  if (state.status === 'UPLOAD_PENDING') await awaitFile(parts);
  if (state.status === 'UPLOAD_PROCESSING') await receive(parts);
  for (;;) {
    if (commands.takeAnalysisAsked() || state.subStatus === 'METADATA_ANALYZING') await analyzePdf(parts);
    await supervisor.startWaiting();
    const awake = await condition(
      () => commands.analysisAsked || supervisor.care.waiting.length > 0 || historyIsLong(),
      Math.max(1, expiresAt - Date.now()),
      { summary: 'retention' },
    );
    if (!awake) return;
    if (historyIsLong() && !commands.analysisAsked) await goOnWithFreshHistory();
  }
}

/** Ends running work, removes bytes and results, and leaves a tombstone. */
async function remove({ tracker, supervisor, signedFile }: UploadParts, reason: DeletionReason): Promise<void> {
  const { accountId, id } = tracker.state;
  await supervisor.cancelAll();
  await signedFile.close();
  await deleteUploadFiles({ accountId, uploadId: id });
  await tracker.move(
    { status: 'UPLOAD_DELETED', objectKey: null, deletedAt: new Date().toISOString(), deletionReason: reason },
    reason === 'user' ? 'Deleted on request.' : 'Deleted: its retention has passed.',
    'upload.deleted',
  );
}

/** A long life makes a long history: the same upload goes on with a fresh one, and nothing in flight is lost. */
async function goOnWithFreshHistory(input: UploadInput, { tracker, supervisor }: UploadParts): Promise<void> {
  await condition(allHandlersFinished);
  await continueAsNew<typeof upload>(
    { ...input, initial: { ...tracker.state }, enhancements: [] },
    { timeline: [...tracker.timeline.lines], care: supervisor.care },
  );
}
