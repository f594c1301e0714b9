import { isGrpcDeadlineError } from '@temporalio/client';
import pLimit from 'p-limit';
import { shownStatus } from '@burnish/contract';
import { uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import { enhancementIdAttribute, statusAttribute } from '../../domain/temporal/search-attributes.ts';
import { uploadPrefix } from '../../domain/files/object-keys.ts';
import type { OpenUpload } from '../../database/uploads/reconciliation.ts';
import { reconcileUpload } from './reconcile-upload.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import { findRun } from './find-run.ts';

/** Minimum age in milliseconds of a checked start or deletion: longer than each may take. */
const SETTLED_MS = 30_000;
const BATCH = 200;
/** Workflows of one page of a list; Temporal allows no more. */
const PAGE = 1_000;
/** Maximum number of concurrent requests to the workflow service, which keeps the load of a sweep low. */
const LOOKS_AT_ONCE = 4;
/** A sweep ends after as many questions in a row without an answer: no worker is running. */
const MAX_SILENCE = 8;

export interface Reconciled {
  revived: number;
  recorded: number;
  failed: number;
}

/** The position of a sweep. A sweep that was interrupted continues from it. */
export interface SweepProgress {
  /** The last upload of the last completed batch; empty at the beginning */
  afterId: string;
}

/**
 * Compares all records with their workflows, and repairs lost and older states on either side. Lists of workflows show
 * the status of an upload and its enhancements. A workflow is asked only if they differ from the records, or if its
 * records are open. A start of the last seconds without a workflow or
 * without a record is compared half a minute later. It logs failures, and
 * the next run retries them.
 */
export async function reconcile(
  deps: ReconcileDeps,
  signal: AbortSignal,
  progress: SweepProgress = { afterId: '' },
): Promise<Reconciled> {
  const { counts, repair, report } = createRepair(deps, signal);
  for (;;) {
    const rows = await deps.reconciliation.openUploads(progress.afterId, BATCH);
    for await (const ids of suspects(deps, progress, rows, signal)) await repair(ids);
    const last = rows.at(-1);
    if (last === undefined) break;
    progress.afterId = last.id;
  }
  progress.afterId = '';
  report();
  return counts;
}

/**
 * Compares the uploads that commands reported, young ones that an earlier sweep found without a workflow, and those whose
 * workflow an earlier comparison found to be older.
 * @returns as `reconcile`
 */
export const compareSuspects = (deps: ReconcileDeps, signal: AbortSignal): Promise<Reconciled> =>
  compareUploads(deps, deps.suspects.takeDue(deps.now()), signal);

/** Compares uploads. @returns as `reconcile` */
export async function compareUploads(
  deps: ReconcileDeps,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Reconciled> {
  const { counts, repair, report } = createRepair(deps, signal);
  await repair(ids);
  report();
  return counts;
}

/** Reconciles uploads with their workflows, a few at a time, and counts the outcomes. */
function createRepair(deps: ReconcileDeps, signal: AbortSignal) {
  const counts: Reconciled = { revived: 0, recorded: 0, failed: 0 };
  const limit = pLimit(LOOKS_AT_ONCE);
  let silence = 0;

  async function repairOne(id: string): Promise<void> {
    signal.throwIfAborted();
    try {
      const outcome = await reconcileUpload(deps, id);
      silence = 0;
      if (outcome === 'revived' || outcome === 'recorded') counts[outcome] += 1;
    } catch (error) {
      counts.failed += 1;
      deps.suspects.clear(id);
      deps.log.warn({ err: error, uploadId: id }, 'an upload and its workflow could not be compared');
      silence = isGrpcDeadlineError(error) ? silence + 1 : 0;
      if (silence >= MAX_SILENCE) throw error;
    }
  }

  return {
    counts,
    repair: (ids: readonly string[]): Promise<unknown> => Promise.all(ids.map((id) => limit(repairOne, id))),
    report(): void {
      if (counts.revived > 0 || counts.recorded > 0)
        deps.log.warn(counts, 'uploads and their workflows were reconciled');
    },
  };
}

/**
 * Compares a batch of records with the running workflows of the same interval of ids. Temporal's databases find an interval by an
 * index, but read all workflows for a list of ids. The interval after the last record has no end.
 * @returns ids of uploads to repair: without a running workflow, with open records, that the list contradicts, and workflows
 * without a record
 */
async function* suspects(
  deps: ReconcileDeps,
  { afterId }: SweepProgress,
  rows: readonly OpenUpload[],
  signal: AbortSignal,
): AsyncGenerator<string[]> {
  const recorded = new Set(rows.map(({ id }) => id));
  const shown = new Map<string, string | undefined>();
  const owners = new Map<string, string>();
  const strangers: string[] = [];
  const before = new Date(deps.now() - SETTLED_MS).toISOString();
  const query = runningBetween(afterId, rows.at(-1)?.id);
  for await (const workflow of deps.client.workflow.list({ query, pageSize: PAGE })) {
    signal.throwIfAborted();
    const { typedSearchAttributes: attributes, workflowId, startTime } = workflow;
    const id = workflowId.slice(uploadWorkflowId('').length);
    if (recorded.has(id)) {
      shown.set(id, attributes.get(statusAttribute));
      for (const enhancementId of attributes.get(enhancementIdAttribute) ?? []) owners.set(enhancementId, id);
    } else if (deps.now() - startTime.getTime() >= SETTLED_MS) strangers.push(id);
    else deps.suspects.postpone(id, startTime.getTime() + SETTLED_MS);
    if (strangers.length === BATCH) yield await deps.reconciliation.withoutUse(strangers.splice(0), before);
  }
  yield await deps.reconciliation.withoutUse(strangers, before);

  const unrecorded = await deps.reconciliation.unknownEnhancements([...owners.keys()]);
  const contradicted = new Set(unrecorded.map((id) => owners.get(id)));
  const settledAt = ({ revision, createdAt }: OpenUpload): number =>
    revision > 0 ? -Infinity : Date.parse(createdAt) + SETTLED_MS;
  const isSettled = (row: OpenUpload): boolean => settledAt(row) < deps.now();
  for (const row of rows) if (!isSettled(row) && !shown.has(row.id)) deps.suspects.postpone(row.id, settledAt(row));
  const isOpen = ({ status, hasOpen }: OpenUpload): boolean =>
    hasOpen || status === 'UPLOAD_PENDING' || status === 'UPLOAD_PROCESSING';
  yield rows
    .filter(isSettled)
    .filter((row) => isOpen(row) || contradicted.has(row.id) || shown.get(row.id) !== shownStatus(row))
    .map(({ id }) => id);
}

/** The first text after all ids of workflows of uploads: `0` follows the slash. */
const AFTER_UPLOADS = uploadWorkflowId('').replace(/.$/, '0');

/** @param lastId absent: to the end of all uploads */
function runningBetween(afterId: string, lastId: string | undefined): string {
  const end = lastId === undefined ? `< '${AFTER_UPLOADS}'` : `<= '${uploadWorkflowId(lastId)}'`;
  return `WorkflowId > '${uploadWorkflowId(afterId)}' AND WorkflowId ${end} AND ExecutionStatus = 'Running'`;
}

/** Removes the records and files of failed starts without a workflow. @returns their number */
export async function withdrawRefused(deps: ReconcileDeps): Promise<number> {
  let withdrawn = 0;
  for (const id of await deps.uploadStarts.refusedBefore(SETTLED_MS)) {
    if ((await findRun(deps, uploadWorkflowId(id)))?.isRunning) {
      await deps.uploadStarts.refuse(id, false);
      continue;
    }
    const upload = await deps.uploads.find(id);
    const objectKey = upload?.objectKey ?? null;
    // While storage is away, this row makes the deletion due: the sweep repeats it.
    if (objectKey !== null) await deps.stagedFiles.add(id, objectKey);
    if (!(await deps.uploadStarts.withdraw(id)) || upload === undefined) continue;
    await deps.storage.deletePrefix(uploadPrefix(upload.accountId, id));
    if (objectKey !== null) await deps.stagedFiles.remove(id);
    withdrawn += 1;
  }
  return withdrawn;
}
