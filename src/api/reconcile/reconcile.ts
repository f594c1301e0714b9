import { isGrpcDeadlineError } from '@temporalio/client';
import pLimit from 'p-limit';
import { shownStatus } from '../../domain/upload/upload.ts';
import {
  enhancementIdAttribute,
  statusAttribute,
  uploadIdAttribute,
  uploadWorkflowId,
} from '../../domain/temporal/workflow-interface.ts';
import { uploadPrefix } from '../../domain/files/object-keys.ts';
import type { OpenUpload } from '../../database/uploads/reconciliation.ts';
import { startDelivery } from '../webhooks/start-delivery.ts';
import { bringTogether } from './bring-together.ts';
import type { TemporalClient } from '../commands/command-types.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import { isRunning } from './revive.ts';

/** Minimum age in milliseconds of a checked start or deletion: longer than each may take. */
const SETTLED_MS = 30_000;
const BATCH = 200;
/** Maximum number of concurrent requests to the workflow service, which keeps the load of a sweep low. */
const LOOKS_AT_ONCE = 4;
/** A sweep ends after as many questions in a row without an answer: no worker is running. */
const MAX_SILENCE = 8;
const RUNNING_UPLOADS = "WorkflowType = 'upload' AND ExecutionStatus = 'Running'";

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
 * records are open. It logs failures, and the next run retries them.
 */
export async function reconcile(
  deps: ReconcileDeps,
  signal: AbortSignal,
  progress: SweepProgress = { afterId: '' },
): Promise<Reconciled> {
  const counts: Reconciled = { revived: 0, recorded: 0, failed: 0 };
  const turns = pLimit(LOOKS_AT_ONCE);
  let silence = 0;

  const repair = (ids: readonly string[]): Promise<unknown> =>
    Promise.all(
      ids.map((id) =>
        turns(async () => {
          signal.throwIfAborted();
          try {
            const outcome = await bringTogether(deps, id);
            silence = 0;
            if (outcome === 'revived' || outcome === 'recorded') counts[outcome] += 1;
          } catch (error) {
            counts.failed += 1;
            deps.log.warn({ err: error, uploadId: id }, 'an upload and its workflow could not be compared');
            silence = isGrpcDeadlineError(error) ? silence + 1 : 0;
            if (silence >= MAX_SILENCE) throw error;
          }
        }),
      ),
    );

  for (;;) {
    const rows = await deps.reconciliation.openUploads(progress.afterId, BATCH);
    if (rows.length === 0) break;
    await repair(await doubtful(deps, rows, signal));
    progress.afterId = rows.at(-1)!.id;
  }
  for await (const ids of runningUploads(deps, signal)) {
    const before = new Date(deps.now() - SETTLED_MS).toISOString();
    await repair(await deps.reconciliation.withoutUse(ids, before));
  }
  progress.afterId = '';
  if (counts.revived > 0 || counts.recorded > 0) deps.log.warn(counts, 'uploads were brought together again');
  return counts;
}

/** Those of the given uploads without a running workflow, with open records, or that a list of workflows contradicts. */
async function doubtful(deps: ReconcileDeps, rows: readonly OpenUpload[], signal: AbortSignal): Promise<string[]> {
  const settled = rows.filter(
    ({ revision, createdAt }) => revision > 0 || deps.now() - Date.parse(createdAt) > SETTLED_MS,
  );
  if (settled.length === 0) return [];
  const shown = new Map<string, string | undefined>();
  const owners = new Map<string, string>();
  const wanted = settled.map(({ id }) => `'${uploadWorkflowId(id)}'`).join(', ');
  const query = `WorkflowId IN (${wanted}) AND ExecutionStatus = 'Running'`;
  for await (const { typedSearchAttributes: attributes } of deps.client.workflow.list({ query, pageSize: BATCH })) {
    signal.throwIfAborted();
    const id = attributes.get(uploadIdAttribute) ?? '';
    shown.set(id, attributes.get(statusAttribute));
    for (const enhancementId of attributes.get(enhancementIdAttribute) ?? []) owners.set(enhancementId, id);
  }
  const unrecorded = await deps.reconciliation.unknownEnhancements([...owners.keys()]);
  const contradicted = new Set(unrecorded.map((id) => owners.get(id)));
  const isOpen = ({ status, hasOpen }: OpenUpload): boolean =>
    hasOpen || status === 'UPLOAD_PENDING' || status === 'UPLOAD_PROCESSING';
  return settled
    .filter((row) => isOpen(row) || contradicted.has(row.id) || shown.get(row.id) !== shownStatus(row))
    .map(({ id }) => id);
}

async function* runningUploads(deps: ReconcileDeps, signal: AbortSignal): AsyncGenerator<string[]> {
  const ids: string[] = [];
  const listed = deps.client.workflow.list({ query: RUNNING_UPLOADS, pageSize: BATCH });
  for await (const { workflowId, startTime } of listed) {
    signal.throwIfAborted();
    if (deps.now() - startTime.getTime() < SETTLED_MS) continue;
    ids.push(workflowId.slice(uploadWorkflowId('').length));
    if (ids.length >= BATCH) yield ids.splice(0);
  }
  if (ids.length > 0) yield ids;
}

/** Removes the records and files of failed starts without a workflow. @returns their number */
export async function withdrawRefused(deps: ReconcileDeps): Promise<number> {
  let withdrawn = 0;
  for (const id of await deps.uploadStarts.refusedBefore(SETTLED_MS)) {
    if (await isRunning(deps, id)) {
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

/**
 * Starts the deliveries of `webhook.disabled`. The attempt that disables an endpoint records them, in any workflow; a
 * delivery with a workflow is not changed.
 * @returns their number
 */
export async function startNotices({
  client,
  deliveries,
}: Pick<ReconcileDeps, 'deliveries'> & { client: TemporalClient }): Promise<number> {
  const notices = await deliveries.unsentNotices();
  for (const { id: deliveryId, accountId, url, eventKind } of notices) {
    const { host } = new URL(url);
    await startDelivery(client, { deliveryId, accountId, host, eventKind }, 'by itself');
  }
  return notices.length;
}
