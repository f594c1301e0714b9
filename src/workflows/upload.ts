import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  workflowInfo,
} from '@temporalio/workflow';
import { mediaKind } from '../domain/media.ts';
import type { DeletionReason, UploadSource } from '../domain/upload.ts';
import type { UploadInput } from '../domain/workflow-inputs.ts';
import type { SourceFile } from '../activities/provider/provider.ts';
import { analyze, deleteUploadFiles, downloadUpload, inspect } from './activities.ts';
import {
  superviseEnhancements,
  type EnhancementsInCare,
  type EnhancementSupervisor,
} from './enhancement-supervisor.ts';
import { failureReason, type FailureReason } from './failure-reason.ts';
import { acceptUploadCommands, type UploadCommands } from './upload-commands.ts';
import { trackUpload, type UploadTracker } from './upload-state.ts';

/** Events after which an upload goes on with a fresh history; far below the server's own limit. */
const HISTORY_LIMIT = 1000;

const DAY_MS = 24 * 3_600_000;

/** What an upload takes along into a fresh history. */
interface CarriedUpload {
  timeline: readonly string[];
  care: EnhancementsInCare;
}

interface Parts {
  source: UploadSource;
  tracker: UploadTracker;
  supervisor: EnhancementSupervisor;
  commands: UploadCommands;
}

/** Owns one upload from its first byte to its deletion: receive → analyze → await commands → retention → delete. */
export async function upload(input: UploadInput, carried?: CarriedUpload): Promise<void> {
  const { initial, source, plan, enhancements } = input;
  const tracker = trackUpload(initial, carried?.timeline ?? []);
  const care = carried?.care ?? {
    waiting: enhancements.map((request) => ({ request, acceptedAt: initial.createdAt })),
    running: [],
  };
  const supervisor = superviseEnhancements(tracker, plan, care);
  const life = new CancellationScope();
  const commands = acceptUploadCommands(tracker.state, plan, supervisor, () => life.cancel());

  let reason: DeletionReason = 'user';
  try {
    const parts = { source, tracker, supervisor, commands };
    await life.run(() => live(parts, () => goOnWithFreshHistory(input, parts)));
    reason = 'retention';
  } catch (error) {
    if (!isCancellation(error)) throw error;
  }
  await CancellationScope.nonCancellable(async () => {
    await remove({ tracker, supervisor }, reason);
    await condition(allHandlersFinished);
  });
}

/** Until the retention has passed; a deletion cancels it at any await. */
async function live(parts: Parts, goOnWithFreshHistory: () => Promise<void>): Promise<void> {
  const { tracker, supervisor, commands } = parts;
  const { state } = tracker;
  const expiresAt = Date.parse(state.createdAt) + state.retentionDays * DAY_MS;
  const historyIsLong = (): boolean => workflowInfo().historyLength > HISTORY_LIMIT;

  if (state.status === 'UPLOAD_PROCESSING') await receive(parts);
  for (;;) {
    if (commands.takeAnalysisAsked() || state.subStatus === 'METADATA_ANALYZING') await analyzePdf(parts);
    await supervisor.startWaiting();
    const awake = await condition(
      () => commands.analysisAsked || supervisor.care.waiting.length > 0 || historyIsLong(),
      Math.max(1, expiresAt - Date.now()),
    );
    if (!awake) return;
    if (historyIsLong() && !commands.analysisAsked) await goOnWithFreshHistory();
  }
}

/** Gets the bytes into storage and looks at them. */
async function receive({ source: origin, tracker, supervisor }: Parts): Promise<void> {
  const { state } = tracker;
  try {
    if (origin.kind === 'url') {
      const received = await downloadUpload.executeWithOptions({ summary: state.id }, [
        { url: origin.url, accountId: state.accountId, uploadId: state.id },
      ]);
      Object.assign(state, received);
    }
    const source = sourceOf(tracker);
    const isPdf = mediaKind(source.mimetype) === 'pdf';
    const { width, height, notes } = isPdf
      ? { width: 0, height: 0, notes: [] }
      : await inspect.executeWithOptions({ summary: state.originalFilename }, [source]);
    const looks = isPdf ? '' : `, ${width} × ${height} pixels`;
    await tracker.move(
      {
        status: 'UPLOAD_FINISHED',
        subStatus: isPdf ? 'METADATA_ANALYZING' : null,
        width,
        height,
        finishedAt: new Date().toISOString(),
      },
      [`Received ${source.mimetype}, ${state.file?.size} bytes${looks}.`, ...notes].join(' '),
      'upload.status_update',
    );
  } catch (error) {
    if (isCancellation(error)) throw error;
    await fail(tracker, supervisor, failureReason(error));
  }
}

/** Finds out what a PDF holds. Tried again by policy, and by command after that. */
async function analyzePdf({ tracker, supervisor }: Parts): Promise<void> {
  const { state } = tracker;
  if (state.subStatus !== 'METADATA_ANALYZING') {
    await tracker.move({ subStatus: 'METADATA_ANALYZING', errorCode: null, errorDetail: null }, 'Analysing again.');
  }
  try {
    const analysis = await analyze.executeWithOptions({ summary: state.originalFilename }, [sourceOf(tracker)]);
    const { pages, images } = analysis.statistics;
    await tracker.move(
      { subStatus: 'METADATA_ANALYZED_SUCCESSFULLY', analysis },
      `Analysed: ${pages} pages, ${images} images, ${analysis.totalCredits} credits for everything.`,
      'upload.sub_status_update',
    );
  } catch (error) {
    if (isCancellation(error)) throw error;
    const { code, detail } = failureReason(error);
    await tracker.move(
      { subStatus: 'METADATA_ANALYZED_FAILED', errorCode: code, errorDetail: detail },
      `Analysis failed with ${code}: ${detail}`,
      'upload.sub_status_update',
    );
    await supervisor.failWaiting({ code, detail });
  }
}

/** A file that cannot be used leaves its record and its reason behind, but no bytes. */
async function fail(tracker: UploadTracker, supervisor: EnhancementSupervisor, reason: FailureReason): Promise<void> {
  const { accountId, id } = tracker.state;
  await deleteUploadFiles({ accountId, uploadId: id });
  await tracker.move(
    {
      status: 'UPLOAD_FAILED',
      errorCode: reason.code,
      errorDetail: reason.detail,
      objectKey: null,
      finishedAt: new Date().toISOString(),
    },
    `Failed with ${reason.code}: ${reason.detail}`,
    'upload.status_update',
  );
  await supervisor.failWaiting(reason);
}

/** Ends running work, removes bytes and results, and leaves a tombstone. */
async function remove(
  { tracker, supervisor }: Omit<Parts, 'commands' | 'source'>,
  reason: DeletionReason,
): Promise<void> {
  const { accountId, id } = tracker.state;
  await supervisor.cancelAll();
  await deleteUploadFiles({ accountId, uploadId: id });
  await tracker.move(
    { status: 'UPLOAD_DELETED', objectKey: null, deletedAt: new Date().toISOString(), deletionReason: reason },
    reason === 'user' ? 'Deleted on request.' : 'Deleted: its retention has passed.',
    'upload.deleted',
  );
}

/** A long life makes a long history: the same upload goes on with a fresh one, and nothing in flight is lost. */
async function goOnWithFreshHistory(input: UploadInput, { tracker, supervisor }: Parts): Promise<void> {
  await condition(allHandlersFinished);
  await continueAsNew<typeof upload>(
    { ...input, initial: { ...tracker.state }, enhancements: [] },
    { timeline: [...tracker.timeline.lines], care: supervisor.care },
  );
}

function sourceOf({ state }: UploadTracker): SourceFile {
  const { id, objectKey, originalFilename, file } = state;
  if (objectKey === null || file === null) throw new TypeError('An upload that is worked on has a file.');
  return { uploadId: id, objectKey, mimetype: file.mimetype, originalFilename };
}
