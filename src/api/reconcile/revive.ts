import { droppedPages, isPending, isTerminal, type Enhancement, type Labelled, type Upload } from '@burnish/contract';
import { toPlanTerms } from '../../domain/accounts/account-limits.ts';
import { partsComplete, uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import type { UploadSource } from '../../domain/upload/new-upload.ts';
import { startOnce, OWN_WORK } from '../commands/workflow-commands.ts';
import { uploadWorkflow } from '../uploads/start-upload.ts';
import type { StartInput } from '../../database/uploads/upload-starts.ts';
import { findRun } from './find-run.ts';
import { failLost, isFinished } from './fail-lost.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';

export type ReviveDeps = Omit<ReconcileDeps, 'reconciliation' | 'leases' | 'suspects' | 'log'>;

/** The source of an upload that already has its file. */
const NO_SOURCE: UploadSource = { kind: 'url', url: '' };

/**
 * Starts a workflow from the record of an upload without one. Work that needs a lost file is failed first. Concurrent
 * calls start one workflow.
 * @returns whether a workflow exists now; false for a deleted and for an unknown upload, and for a refused start
 * @throws Failure while Temporal, storage or the database is unavailable
 */
export async function revive(deps: ReviveDeps, uploadId: string): Promise<boolean> {
  if ((await findRun(deps, uploadWorkflowId(uploadId)))?.isRunning) return true;
  // Reads the start before the record: a sweep withdraws both at once, and a record without its refused start looks lost.
  const start = await deps.uploadStarts.find(uploadId);
  // Reads the record after the check of the workflow, which writes the tombstone before it ends.
  const upload = await deps.uploads.find(uploadId);
  if (upload === undefined || upload.status === 'UPLOAD_DELETED') return false;
  const plan = await deps.accounts.getPlanOfAccount(upload.accountId);
  if (plan === undefined) return false;

  // A sweep withdraws the records, and their file may be gone already.
  if (start?.refused === true && upload.revision === 0) return false;
  const noted = start?.input;
  if (noted !== undefined && upload.revision === 0 && (await hasWhatItNeeds(deps, upload, [], noted.source))) {
    await startFrom(deps, upload, noted);
    return true;
  }
  const all = await deps.enhancements.listForUpload(upload.accountId, uploadId);
  const open = all.filter(({ status }) => !isTerminal(status));
  const delivering = all.filter(({ status, destination }) => status === 'FINISHED' && isPending(destination));
  const source = findSource(upload, noted);
  const complete = source !== undefined && (await hasWhatItNeeds(deps, upload, open, source));
  const initial = complete ? upload : await failLost(deps, upload, open);
  const resume = [...(complete ? open : []), ...delivering];
  const policy = upload.provider === 'hosted' ? (noted?.hosted ?? deps.hosted?.policy) : undefined;
  await startFrom(deps, initial, {
    source: source ?? NO_SOURCE,
    plan: toPlanTerms(plan),
    enhancements: [],
    ...(resume.length > 0 ? { resume, approved: await findApproved(deps, upload, open) } : {}),
    ...(policy === undefined ? {} : { hosted: policy }),
  });
  return true;
}

/** Enhancements with an approval: the audit log has the decision, or they have come further than it. */
async function findApproved(
  { audit }: Pick<ReviveDeps, 'audit'>,
  { accountId }: Upload,
  open: readonly Enhancement[],
): Promise<string[]> {
  const ids = open.map(({ id }) => id);
  const decided = new Set(await audit.subjectsOf(accountId, 'enhancement.approve', ids));
  const needsApproval = ({ parameters, estimatedCredits, maxCredits }: Enhancement): boolean =>
    droppedPages(parameters.pages).length > 0 || (estimatedCredits ?? 0) > (maxCredits ?? Infinity);
  const isFurther = (each: Enhancement): boolean =>
    (each.status === 'PROCESSING' || each.status === 'AWAITING_CREDITS') && needsApproval(each);
  return open.filter((each) => decided.has(each.id) || isFurther(each)).map(({ id }) => id);
}

async function startFrom(
  { client, searchNames }: ReviveDeps,
  initial: Labelled<Upload>,
  input: StartInput,
): Promise<void> {
  // A terminated or failed workflow may exist under this id.
  await startOnce(client, OWN_WORK, 'upload', uploadWorkflow({ ...input, initial }, { searchNames, again: true }));
  // The lost workflow may have had this signal.
  if (input.source.kind === 'resumable')
    await client.workflow.getHandle(uploadWorkflowId(initial.id)).signal(partsComplete);
}

/** The location or source of the bytes; undefined if unknown. */
function findSource(upload: Upload, noted: StartInput | undefined): UploadSource | undefined {
  const { status, objectKey, file } = upload;
  if (status === 'UPLOAD_PENDING') return noted?.source;
  if (objectKey !== null && file !== null) return { kind: 'stored', objectKey, file };
  if (isFinished(upload)) return NO_SOURCE;
  const { kind } = noted?.source ?? {};
  return kind === 'url' || kind === 'bucket' ? noted?.source : undefined;
}

/** Whether the file that the next step needs exists. */
async function hasWhatItNeeds(
  { storage }: Pick<ReviveDeps, 'storage'>,
  upload: Upload,
  open: readonly Enhancement[],
  source: UploadSource,
): Promise<boolean> {
  if (isFinished(upload) && open.length === 0) return true;
  if (source.kind === 'stored') return (await storage.head(source.objectKey)) !== undefined;
  return !isFinished(upload);
}
