import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { isTerminal, type Enhancement } from '@burnish/contract';
import { uploadPrefix } from '../../domain/files/object-keys.ts';
import {
  deleteUpload,
  endedEnhancements,
  openEnhancements,
  uploadState,
  uploadWorkflowId,
} from '../../domain/temporal/workflow-interface.ts';
import { sendUpdate, OWN_WORK } from '../commands/workflow-commands.ts';
import { areEqual, compare, lasting, type UploadRecords, type WorkflowState } from './compare.ts';
import { findRun, type Run } from './find-run.ts';
import { revive, type ReviveDeps } from './revive.ts';
import type { Suspects } from './suspects.ts';

const ANSWER_WAIT_MS = 10_000;
/** The default of `stepMs`. */
const STEP_MS = 1_000;
/** Ended enhancements of one query, so that its answer stays small. */
const ENDED_AT_ONCE = 20;
const SENTENCE = 'Its record was older than its workflow and has been written again.';

/**
 * `equal`: nothing was different. `recorded`: the records follow the workflow now. `revived`: a workflow runs from the
 * records. `gone`: the upload is deleted or unknown. `behind`: the running workflow is older, and a later comparison
 * decides.
 */
export type ReconciledUpload = 'equal' | 'recorded' | 'revived' | 'gone' | 'behind';

export type CompareDeps = ReviveDeps & { suspects: Pick<Suspects, 'confirm' | 'clear'> };

/**
 * Starts the workflow of an upload from its records, unless one runs. A deletion that a completed workflow has carried
 * out is recorded again.
 * @returns whether a workflow exists now; false for a deleted and for an unknown upload
 * @throws Failure while Temporal, storage or the database is unavailable
 */
export async function reviveLost(deps: ReviveDeps, uploadId: string): Promise<boolean> {
  const run = await findRun(deps, uploadWorkflowId(uploadId));
  if (run?.isRunning) return true;
  if (run?.isComplete && (await recordDeletion(deps, uploadId))) return false;
  return await revive(deps, uploadId);
}

/**
 * Compares an upload's records with its workflow. The newer side wins for each record. A workflow that is older than a
 * record is replaced by one that starts from the records, if an earlier comparison found the same and no workflow task
 * is under way. The ledger decides about credits in both directions.
 * @throws Failure while Temporal, storage or the database is unavailable; an error of the client without a worker
 */
export async function reconcileUpload(deps: CompareDeps, uploadId: string): Promise<ReconciledUpload> {
  const outcome = await compareOnce(deps, uploadId);
  if (outcome !== 'behind') deps.suspects.clear(uploadId);
  return outcome;
}

async function compareOnce(deps: CompareDeps, uploadId: string): Promise<ReconciledUpload> {
  const records = await readRecords(deps, uploadId);
  const run = await findRun(deps, uploadWorkflowId(uploadId));
  if (run === undefined || !run.isRunning) return (await reviveLost(deps, uploadId)) ? 'revived' : 'gone';
  if (records?.upload.status === 'UPLOAD_DELETED') {
    await deleteAgain(deps, uploadId);
    return 'gone';
  }
  // In this order: a record that was there before the look at the run is in its state, unless a workflow task was under way.
  const first = compare(records, await readState(deps, uploadId, run));
  if (areEqual(first)) return 'equal';

  await pause(deps.stepMs ?? STEP_MS);
  const later = await readRecords(deps, uploadId);
  const state = await readState(deps, uploadId, run);
  const { behind, ahead, missing, unrecorded } = lasting(first, compare(later, state));
  const accountId = state.upload.accountId;
  if (ahead.has(uploadId)) await deps.steps.recordUpload({ upload: state.upload, sentence: SENTENCE, announce: null });
  const ended = await readEnded(deps, uploadId, run, [...missing, ...unrecorded]);
  const newer = [...state.open.filter(({ id }) => ahead.has(id)), ...ended].filter(
    (each) => each.accountId === accountId,
  );
  for (const each of newer) await record(deps, each);

  const lost = [...missing].filter((id) => !ended.some((each) => each.id === id));
  if (behind.size + lost.length === 0) return ahead.size + ended.length > 0 ? 'recorded' : 'equal';
  const found = { firstRunId: run.firstRunId, ids: new Set([...behind, ...lost]), atMs: deps.now() };
  if (!deps.suspects.confirm(uploadId, found) || !(await isAtRest(deps, uploadId, run))) return 'behind';
  if (!(await terminate(deps, uploadId, run))) return 'behind';
  return (await revive(deps, uploadId)) ? 'revived' : 'gone';
}

/** Whether a run had and has no workflow task. Its history may have grown: a caller may repeat commands all the time. */
async function isAtRest(deps: ReviveDeps, uploadId: string, { runId, isBusy }: Run): Promise<boolean> {
  if (isBusy) return false;
  const now = await findRun(deps, uploadWorkflowId(uploadId));
  return now?.isBusy === false && now.runId === runId;
}

async function readRecords(
  { uploads, enhancements }: ReviveDeps,
  uploadId: string,
): Promise<UploadRecords | undefined> {
  const upload = await uploads.find(uploadId);
  return upload && { upload, enhancements: await enhancements.listForUpload(upload.accountId, uploadId) };
}

async function readState({ client }: ReviveDeps, uploadId: string, { listed }: Run): Promise<WorkflowState> {
  const handle = client.workflow.getHandle(uploadWorkflowId(uploadId));
  return client.withDeadline(Date.now() + ANSWER_WAIT_MS, async () => {
    const [upload, open] = await Promise.all([handle.query(uploadState), handle.query(openEnhancements)]);
    return { upload, open, listed };
  });
}

/** Ended enhancements that the workflow remembers. A result counts only while storage has it unchanged. */
async function readEnded(
  { client, storage }: ReviveDeps,
  uploadId: string,
  { runId }: Run,
  ids: readonly string[],
): Promise<Enhancement[]> {
  const handle = client.workflow.getHandle(uploadWorkflowId(uploadId), runId);
  const found: Enhancement[] = [];
  for (let from = 0; from < ids.length; from += ENDED_AT_ONCE) {
    const some = ids.slice(from, from + ENDED_AT_ONCE);
    const ask = () => handle.query(endedEnhancements, some);
    const ended = await client.withDeadline(Date.now() + ANSWER_WAIT_MS, ask);
    for (const each of ended) {
      const { result } = each;
      if (result === null || (await storage.head(result.objectKey))?.sha256 === result.sha256) found.push(each);
    }
  }
  return found;
}

/** Writes the state of an enhancement. At its end, the ledger settles the reservation, or charges the credits left. */
async function record({ steps, enhancements, now }: ReviveDeps, enhancement: Enhancement): Promise<void> {
  if (!isTerminal(enhancement.status)) {
    await enhancements.project(enhancement, null, SENTENCE);
    return;
  }
  const { chargedCredits } = enhancement;
  const settle = chargedCredits === null || chargedCredits === 0 ? 'release' : { capture: chargedCredits };
  await steps.recordEnhancement({ enhancement, facts: null, sentence: SENTENCE, settle, nowMs: now(), announce: null });
}

/** Terminates the compared run only. @returns false if it has ended or continued as new meanwhile */
async function terminate({ client }: ReviveDeps, uploadId: string, { runId }: Run): Promise<boolean> {
  try {
    await client.workflow.getHandle(uploadWorkflowId(uploadId), runId).terminate('It is older than its records.');
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** Repeats in the records a deletion that its workflow has completed. @returns whether there was one */
async function recordDeletion(deps: ReviveDeps, uploadId: string): Promise<boolean> {
  const { client, uploads, storage, steps } = deps;
  const ask = () => client.workflow.getHandle(uploadWorkflowId(uploadId)).query(uploadState);
  const upload = await client.withDeadline(Date.now() + ANSWER_WAIT_MS, ask);
  if (upload.status !== 'UPLOAD_DELETED') return false;
  if ((await uploads.find(uploadId))?.status === 'UPLOAD_DELETED') return true;
  // An older copy of storage may have the files again.
  await storage.deletePrefix(uploadPrefix(upload.accountId, uploadId));
  await steps.recordUpload({ upload, sentence: 'Deleted before its record was restored.', announce: null });
  return true;
}

/** Deletes an upload again whose workflow is older than the deletion. The workflow then ends. */
async function deleteAgain({ client }: ReviveDeps, uploadId: string): Promise<void> {
  const workflowId = uploadWorkflowId(uploadId);
  const updateId = `deleted-before ${uploadId}`;
  const call = { permitOf: OWN_WORK, workflowId, update: deleteUpload, args: [] as [], updateId };
  await sendUpdate(client, call, ANSWER_WAIT_MS);
}
