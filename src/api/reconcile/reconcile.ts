import pLimit from 'p-limit';
import { uploadState, uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import { uploadPrefix } from '../../domain/files/object-keys.ts';
import { startDelivery } from '../webhooks/start-delivery.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import { isRunning, revive } from './revive.ts';

/** A start that is under way is left alone for this long, milliseconds: longer than one may take. */
const SETTLED_MS = 30_000;
const BATCH = 200;
/** Looks at the workflow service at a time: a sweep must not be felt. */
const LOOKS_AT_ONCE = 4;
const QUERY_WAIT_MS = 10_000;
const RUNNING_UPLOADS = "WorkflowType = 'upload' AND ExecutionStatus = 'Running'";

export interface Reconciled {
  /** Uploads that have a workflow again */
  revived: number;
  /** Uploads that can be read again */
  recorded: number;
}

/**
 * Finds records without a running workflow and running workflows without a record, and brings them together. What cannot be
 * mended now is logged and met again the next time.
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

/** The workflow knows its state; its next steps then find the record that they write to. */
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

/** Takes back the records of starts that failed and that nothing has come of, with their bytes. @returns how many */
export async function withdrawRefused(deps: ReconcileDeps): Promise<number> {
  let withdrawn = 0;
  for (const id of await deps.uploadStarts.refusedBefore(SETTLED_MS)) {
    if (await isRunning(deps, id)) {
      await deps.uploadStarts.refuse(id, false);
      continue;
    }
    const upload = await deps.uploads.find(id);
    if (!(await deps.uploadStarts.withdraw(id)) || upload === undefined) continue;
    await deps.storage.deletePrefix(uploadPrefix(upload.accountId, id));
    withdrawn += 1;
  }
  return withdrawn;
}

/**
 * Starts the deliveries of `webhook.disabled`. The attempt that disables an endpoint records them, in whatever workflow it runs;
 * a delivery that has its workflow already is left as it is.
 * @returns how many
 */
export async function startNotices({ client, deliveries }: ReconcileDeps): Promise<number> {
  const notices = await deliveries.unsentNotices();
  for (const { id: deliveryId, accountId, url, eventKind } of notices) {
    const { host } = new URL(url);
    await startDelivery(client, { deliveryId, accountId, host, eventKind }, 'by itself');
  }
  return notices.length;
}
