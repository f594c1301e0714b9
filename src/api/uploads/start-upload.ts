import { setTimeout as pause } from 'node:timers/promises';
import { TypedSearchAttributes, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import {
  newDestination,
  type Enhancement,
  shownStatus,
  type Upload,
  mediaKind,
  type ProviderName,
} from '@burnish/contract';
import type { IdempotencyClaim } from '../../database/uploads/idempotency-keys.ts';
import type { StartOutcome, UploadStarts } from '../../database/uploads/upload-starts.ts';
import { type EnhancementRequest, initialEnhancement } from '../../domain/enhancement/new-enhancement.ts';
import { toPlanTerms } from '../../domain/accounts/account-limits.ts';
import { resolveAutoTier } from '../../domain/enhancement/parameter-rules.ts';
import {
  uploadWorkflowId,
  toPriority,
  MAIN_TASK_QUEUE,
  type HostedPolicy,
  type UploadInput,
} from '../../domain/temporal/workflow-interface.ts';
import {
  fileNameAttribute,
  listedFileName,
  listedWait,
  waitingForAttribute,
  accountIdAttribute,
  enhancementIdAttribute,
  listedReferences,
  MAX_LISTED_ENHANCEMENTS,
  referenceAttribute,
  statusAttribute,
  typeAttribute,
  uploadIdAttribute,
} from '../../domain/temporal/search-attributes.ts';
import { toLabels, withoutLabels, type MaybeLabelled } from '../../domain/upload/labels.ts';
import { type UploadSource, initialUpload } from '../../domain/upload/new-upload.ts';
import { orderedEnhancementId } from '../commands/idempotency.ts';
import {
  orderingKey,
  type Caller,
  type EnhancementOrder,
  type UploadOrder,
  type UploadWithEnhancements,
  type TemporalClient,
} from '../commands/command-types.ts';
import { noRoom, roomOf } from './check-order.ts';
import { withStartPermit, startWorkflow, type StartOptions } from '../commands/workflow-commands.ts';
import { within } from '../../process/within.ts';
import { providerFor, withTestApproval } from '../../test-accounts/orders.ts';
import { refuseDatabase } from '../trouble/unavailable.ts';
import type { DestinationUrls } from '../../database/uploads/destination-urls.ts';
import type { UploadPasswords } from '../../database/uploads/upload-passwords.ts';
import type { Uploads } from '../../database/uploads/uploads.ts';
import type { Enhancements } from '../../database/uploads/enhancements.ts';

export interface UploadStart {
  uploadId: string;
  source: UploadSource;
  originalFilename: string;
  /** The claim of a new key, written together with the records */
  claim: IdempotencyClaim | null;
  /** Milliseconds since the epoch */
  nowMs: number;
}

export interface StartDeps {
  client: TemporalClient;
  destinationUrls: DestinationUrls;
  uploadStarts: UploadStarts;
  uploadPasswords: UploadPasswords;
  uploads: Uploads;
  enhancements: Enhancements;
  /** Default provider of orders */
  provider: ProviderName;
  /** Null without a hosted service */
  hosted: { policy: HostedPolicy } | null;
  /** Whether lists of workflows show file names */
  searchNames: boolean;
}

/** Maximum time in milliseconds for the database to write the records of a start. */
const RECORD_WAIT_MS = 5_000;
/** Pauses between attempts to record a refusal, milliseconds. */
const NOTE_PAUSES_MS = [0, 1_000, 5_000, 15_000];

/**
 * Writes the records of an upload and starts its workflow. A second start of the same id does nothing. Afterwards the
 * workflow exists and its records can be read, even without a worker.
 * @throws Failure RATE_LIMITED when too much work of the account waits or runs, or STORAGE_LIMIT; without any change
 * @throws a temporary Failure. With part `gateway`: nothing has changed. Otherwise the outcome is unknown: the same
 * request with the same key finds it, and the reconciler removes records without a workflow
 */
export async function startUpload(
  deps: StartDeps,
  caller: Caller,
  order: UploadOrder,
  { uploadId, source, originalFilename, claim, nowMs }: UploadStart,
): Promise<UploadWithEnhancements> {
  const { account, plan, waits = false } = caller;
  const expectedBytes = expectedSize(source);
  const room = roomOf({ account, plan });
  const at = new Date(nowMs).toISOString();
  const provider = providerFor(account, order.provider ?? deps.provider);
  const { webhookUrl } = order;
  const first = { id: uploadId, account, source, originalFilename, provider, webhookUrl, at };
  const upload = { ...initialUpload(first), ...toLabels(order) };
  const autoTier = resolveAutoTier(account);
  const requests = order.enhancements.map((each, index) => ({
    ...toRequest(orderedEnhancementId(uploadId, index), withTestApproval(account, each, order.reference), upload),
    ...(autoTier === undefined ? {} : { autoTier }),
  }));
  const { fallback, urgency = waits ? 'interactive' : 'single' } = order;
  const hosted =
    provider === 'hosted' && deps.hosted !== null
      ? { hosted: { ...deps.hosted.policy, ...(fallback === undefined ? {} : { fallback }) } }
      : {};
  const input = { source, plan: toPlanTerms(plan), enhancements: requests, urgency, ...hosted };
  const enhancements = requests.map((request, index) => ({
    ...initialEnhancement(request, upload, at),
    ...toLabels(order.enhancements[index]!),
  }));
  let made: UploadWithEnhancements = { upload, enhancements };

  const refused = await withStartPermit(account.id, async () => {
    const password = order.password === undefined ? undefined : deps.uploadPasswords.toRow(uploadId, order.password);
    const urls = order.enhancements.flatMap(({ destination }, index) =>
      destination !== undefined && 'url' in destination
        ? [deps.destinationUrls.toRow(orderedEnhancementId(uploadId, index), destination.url)]
        : [],
    );
    const recorded = deps.uploadStarts.record({
      ...{ upload, enhancements, keyId: orderingKey(caller), input, claim, room, expectedBytes, password, urls },
    });
    try {
      const start = await within<StartOutcome>(RECORD_WAIT_MS, refuseDatabase, recorded);
      if (start.outcome === 'refused') return start.open;
      // Of concurrent equal requests, one writes the records, and all return them.
      if (start.outcome === 'known') made = (await recordedUpload(deps, account.id, uploadId)) ?? made;
      await startWorkflow(deps.client, 'upload', uploadWorkflow({ ...input, initial: made.upload }, deps));
      return undefined;
    } catch (error) {
      void noteRefusal(deps, uploadId, recorded);
      throw error;
    }
  });
  if (refused) throw noRoom(room, refused, { enhancements: enhancements.length, storedBytes: expectedBytes ?? 1 });
  return made;
}

/** Bytes of a file that has arrived or is declared; null if only its transfer shows its size. */
function expectedSize(source: UploadSource): number | null {
  if (source.kind === 'stored') return source.file.size;
  return 'declared' in source ? source.declared.size : null;
}

/** The request in the workflow's input: with its reference, without the metadata and without the secret of its destination. */
export function toRequest(
  id: string,
  order: EnhancementOrder,
  upload: Pick<MaybeLabelled<Upload>, 'id' | 'reference'>,
): EnhancementRequest {
  const { reference, appliedPreset: preset, destination, ...rest } = order;
  const ids = { uploadId: upload.id, enhancementId: id, reference: reference ?? upload.reference ?? null };
  return {
    id,
    ...withoutLabels(rest),
    ...(destination === undefined ? {} : { destination: newDestination(destination, ids) }),
    ...(preset === undefined ? {} : { preset }),
    ...(reference === undefined ? {} : { reference }),
  };
}

export async function recordedUpload(
  { uploads, enhancements }: { uploads: Uploads; enhancements: Enhancements },
  accountId: string,
  uploadId: string,
): Promise<UploadWithEnhancements | undefined> {
  const upload = await uploads.get(accountId, uploadId);
  return upload && { upload, enhancements: await enhancements.listForUpload(accountId, uploadId) };
}

/**
 * Ensures that an upload of an earlier request has its workflow, if the outcome of that start is unknown.
 * @throws a temporary Failure when the workflow service is unavailable
 */
export async function startAgain(deps: StartDeps, earlier: UploadWithEnhancements): Promise<UploadWithEnhancements> {
  const { upload } = earlier;
  if (upload.revision > 0) return earlier;
  const input = await deps.uploadStarts.refuse(upload.id, false);
  if (input === undefined) return earlier;
  try {
    await withStartPermit(upload.accountId, () =>
      startWorkflow(deps.client, 'upload', uploadWorkflow({ ...input, initial: upload }, deps)),
    );
  } catch (error) {
    void noteRefusal(deps, upload.id, Promise.resolve());
    throw error;
  }
  return earlier;
}

/** Records a refusal. If this fails, the reconciler completes the start, and a retry with the key gets its records. */
async function noteRefusal(deps: StartDeps, uploadId: string, recorded: Promise<unknown>): Promise<void> {
  await recorded.catch(() => undefined);
  for (const ms of NOTE_PAUSES_MS) {
    await pause(ms, undefined, { ref: false });
    try {
      await deps.uploadStarts.refuse(uploadId, true);
      return;
    } catch {
      // The database is unavailable as well; try again.
    }
  }
}

type LabelledInput = Omit<UploadInput, 'initial' | 'resume'> & {
  initial: MaybeLabelled<Upload>;
  resume?: readonly MaybeLabelled<Enhancement>[];
};

/**
 * The start options of an upload's workflow. Its input has no labels; their references become a search attribute.
 * @param options.searchNames shows the file name in lists of workflows
 * @param options.again starts another workflow after a closed one with this id
 */
export function uploadWorkflow(
  labelled: LabelledInput,
  { searchNames, again = false }: { searchNames: boolean; again?: boolean },
): StartOptions {
  const { initial, urgency = 'single', resume } = labelled;
  const input: UploadInput = {
    ...labelled,
    initial: withoutLabels(initial),
    ...(resume === undefined ? {} : { resume: resume.map((each) => withoutLabels(each) as Enhancement) }),
  };
  return {
    workflowId: uploadWorkflowId(initial.id),
    taskQueue: MAIN_TASK_QUEUE,
    args: [input],
    requestEagerStart: true,
    workflowIdReusePolicy: again ? WorkflowIdReusePolicy.ALLOW_DUPLICATE : WorkflowIdReusePolicy.REJECT_DUPLICATE,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    typedSearchAttributes: searchAttributes(labelled, searchNames),
    staticSummary: summarizeUpload(initial),
    priority: toPriority(initial.accountId, input.plan, urgency),
  };
}

function searchAttributes(
  { initial: upload, enhancements, resume = [] }: LabelledInput,
  searchNames: boolean,
): TypedSearchAttributes {
  const given = [upload, ...enhancements, ...resume].flatMap(({ reference }) => reference ?? []);
  const ids = [...enhancements, ...resume].slice(-MAX_LISTED_ENHANCEMENTS).map(({ id }) => id);
  return new TypedSearchAttributes([
    { key: accountIdAttribute, value: upload.accountId },
    { key: uploadIdAttribute, value: upload.id },
    { key: statusAttribute, value: shownStatus(upload) },
    { key: typeAttribute, value: upload.file === null ? 'unknown' : mediaKind(upload.file.mimetype) },
    { key: waitingForAttribute, value: listedWait([upload, ...resume].map(({ waitingFor }) => waitingFor)) },
    ...(searchNames ? [{ key: fileNameAttribute, value: listedFileName(upload.originalFilename) }] : []),
    ...(ids.length === 0 ? [] : [{ key: enhancementIdAttribute, value: ids }]),
    ...(given.length === 0 ? [] : [{ key: referenceAttribute, value: listedReferences(given) }]),
  ]);
}

/** A one-line summary of the workflow for people, such as `photo.jpg · image/jpeg · 2.4 MB · account acc_…`. */
function summarizeUpload({ originalFilename, file, accountId }: Upload): string {
  const name = originalFilename.length > 80 ? `${originalFilename.slice(0, 79)}…` : originalFilename;
  const facts = file === null ? [] : [file.mimetype, `${(file.size / 1_000_000).toFixed(1)} MB`];
  return [name, ...facts, `account ${accountId}`].join(' · ');
}
