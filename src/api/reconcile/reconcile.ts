import pLimit from 'p-limit';
import { uploadState, uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import { uploadPrefix } from '../../domain/files/object-keys.ts';
import { startDelivery } from '../webhooks/start-delivery.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import { isRunning, revive } from './revive.ts';

/** Minimum age in milliseconds of a checked start: longer than a start may take. */
const SETTLED_MS = 30_000;
const BATCH = 200;
/** Maximum number of concurrent requests to the workflow service, which keeps the load of a sweep low. */
const LOOKS_AT_ONCE = 4;
const QUERY_WAIT_MS = 10_000;
const RUNNING_UPLOADS = "WorkflowType = 'upload' AND ExecutionStatus = 'Running'";

export interface Reconciled {
  /** Uploads with a restarted workflow */
  revived: number;
  /** Uploads with a restored record */
  recorded: number;
}

/**
 * Finds records without a running workflow and running workflows without a record, and repairs both. It logs
 * failures, and the next run retries them.
 */
export async function reconcile(deps: ReconcileDeps, signal: AbortSignal): Promise<Reconciled> {
  const revived = await reviveRecords(deps, signal);
  const recorded = await recordWorkflows(deps, signal);
  if (revived > 0 || recorded > 0) deps.log.warn({ revived, recorded }, 'uploads were brought together again');
  return { revived, recorded };
}

async function reviveRecords(deps: ReconcileDeps, signal: AbortSignal): Promise<number> {
  const turns = pLimit(LOOKS_AT_ONCE);
  let revived = 0;
  for (let afterId = ''; ;) {
    const rows = await deps.reconciliation.openUploads(afterId, BATCH);
    if (rows.length === 0) return revived;
    afterId = rows.at(-1)!.id;
    const settled = rows.filter(
      ({ revision, createdAt }) => revision > 0 || deps.now() - Date.parse(createdAt) > SETTLED_MS,
    );
    await Promise.all(
      settled.map(({ id }) =>
        turns(async () => {
          signal.throwIfAborted();
          if (await isRunning(deps, id)) return;
          await revive(deps, id).then(
            (done) => (revived += done ? 1 : 0),
            (error: unknown) => deps.log.warn({ err: error, uploadId: id }, 'an upload could not be started again'),
          );
        }),
      ),
    );
  }
}

async function recordWorkflows(deps: ReconcileDeps, signal: AbortSignal): Promise<number> {
  let recorded = 0;
  let ids: string[] = [];
  const look = async (): Promise<void> => {
    signal.throwIfAborted();
    const unknown = ids.length === 0 ? [] : await deps.reconciliation.unknown(ids.splice(0));
    for (const id of unknown) recorded += (await record(deps, id)) ? 1 : 0;
  };
  for await (const { workflowId, startTime } of deps.client.workflow.list({ query: RUNNING_UPLOADS })) {
    if (deps.now() - startTime.getTime() < SETTLED_MS) continue;
    ids.push(workflowId.slice(uploadWorkflowId('').length));
    if (ids.length >= BATCH) await look();
  }
  await look();
  ids = [];
  return recorded;
}

/** Writes the record from the state of its workflow, so that the workflow's next steps can update it. */
async function record(deps: ReconcileDeps, id: string): Promise<boolean> {
  try {
    const ask = () => deps.client.workflow.getHandle(uploadWorkflowId(id)).query(uploadState);
    const upload = await deps.client.withDeadline(Date.now() + QUERY_WAIT_MS, ask);
    await deps.uploads.project(upload, 'Its record was lost and has been written again.');
    return true;
  } catch (error) {
    deps.log.warn({ err: error, uploadId: id }, 'an upload without a record could not be recorded');
    return false;
  }
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
export async function startNotices({ client, deliveries }: ReconcileDeps): Promise<number> {
  const notices = await deliveries.unsentNotices();
  for (const { id: deliveryId, accountId, url, eventKind } of notices) {
    const { host } = new URL(url);
    await startDelivery(client, { deliveryId, accountId, host, eventKind }, 'by itself');
  }
  return notices.length;
}
