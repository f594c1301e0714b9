import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { Enhancement, EnhancementRequest, Urgency } from '../enhancement/enhancement.ts';
import type { ArrivedFile, Upload, UploadSource } from '../upload/upload.ts';
import { type GivenPlan, termsOf } from '../accounts/account.ts';

/** The workflow that owns an upload, by the upload's id. */
export const uploadWorkflowId = (uploadId: string): string => `upload/${uploadId}`;
/** The workflow that owns a webhook delivery, by the delivery's id. */
export const deliveryWorkflowId = (deliveryId: string): string => `delivery/${deliveryId}`;

/** Header of a start: the workflow takes only commands that have an encrypted argument. */
export const SEALED_COMMANDS_HEADER = 'burnish-sealed-commands';

/** Commands: each is refused by its validator with the code of a `Failure` as the error's type. */
export const requestEnhancement = defineUpdate<Enhancement, [EnhancementRequest]>('requestEnhancement');
export const analyzeAgain = defineUpdate<Upload>('analyzeAgain');
/** Answers once bytes and results are gone and the tombstone can be read. */
export const deleteUpload = defineUpdate<Upload>('deleteUpload');
/** A PUT to the signed URL has brought a file, and the upload takes it over. Of several, one is accepted. */
export const putFile = defineUpdate<Upload, [ArrivedFile]>('putFile');
/** A PUT to the signed URL has brought more bytes than were declared, which ends the upload; answers once it has failed. */
export const refuseLongFile = defineUpdate<Upload>('refuseLongFile');
/** The caller says that the file is there; answers once it has been checked, as UPLOAD_FAILED when it is not what was declared. */
export const completeUpload = defineUpdate<Upload>('completeUpload');

/** Which enhancement of the upload a command is about. */
export interface EnhancementSubject {
  enhancementId: string;
}

/** Commands about one enhancement answer its new state, or null if it is not open: the record has the rest. */
export const approveEnhancement = defineUpdate<Enhancement | null, [EnhancementSubject]>('approveEnhancement');
export const rejectEnhancement = defineUpdate<Enhancement | null, [EnhancementSubject]>('rejectEnhancement');
/** Answers once the enhancement is CANCELLED and its credits are released; one that is just ending ends as it does. */
export const cancelEnhancement = defineUpdate<Enhancement | null, [EnhancementSubject]>('cancelEnhancement');

/** Outside events: delivered at least once, in any order. They only wake the workflow, which reads the state again. */
export const creditsChanged = defineSignal('creditsChanged');
export interface HostedEvent {
  eventId: string;
  /** The enhancement that it is about; absent for the upload itself, and where the event does not say */
  enhancementId?: string;
}
export const hostedEvent = defineSignal<[HostedEvent]>('hostedEvent');

export const uploadState = defineQuery<Upload>('uploadState');
/** The enhancements that have not ended, oldest first. */
export const openEnhancements = defineQuery<Enhancement[]>('openEnhancements');

/**
 * Id of an engine activity within the workflow of its upload. The gateway knows by it to which enhancement the heartbeats of a
 * running activity belong.
 * @param step such as `enhance`
 */
export function engineActivityId(enhancementId: string, step: string): string {
  return `${enhancementId}/${step}`;
}

export function isActivityOf(enhancementId: string, activityId: string): boolean {
  return activityId.startsWith(`${enhancementId}/`);
}

/** How work at the hosted service behaves in trouble, as settings and request said when the upload began. */
export interface HostedPolicy {
  /** The provider that takes over when the service stays away, if any */
  fallback: 'none' | 'local';
  /** Milliseconds for which the service may be away before the fallback takes over */
  fallbackAfterMs: number;
  /** Policy after a lost answer without any trace of the enhancement: wait for a person, or begin again */
  lostAnswer: 'hold' | 'repeat';
}

/** What starts the workflow that owns an upload. */
export interface UploadInput {
  /** The state at revision 0, which the caller has projected too, so that it can be read before a worker comes. */
  initial: Upload;
  source: UploadSource;
  /** That of the account at the start */
  plan: GivenPlan;
  /** Asked for up front; each runs as soon as the upload is ready for it. */
  enhancements: EnhancementRequest[];
  /** Recorded states of open enhancements whose workflow was lost: each begins again, with rising revisions. */
  resume?: readonly Enhancement[];
  /** Where the provider is `hosted` */
  hosted?: HostedPolicy;
  /** The turn of its work in the queues, unless an enhancement has its own; `single` where absent */
  urgency?: Urgency;
}

/** What starts the workflow that owns one delivery of one event to one address. */
export interface DeliveryInput {
  deliveryId: string;
  accountId: string;
  /** The upload that the event is about; absent for events on request */
  uploadId?: string;
  /** Host of the receiver, for people looking at the workflow; the whole address stays in the database since it may hold a secret */
  host: string;
  eventKind: string;
  /** The delivery that this one repeats, on request; the workflow then begins by entering itself into the log */
  redeliveryOf?: string;
  /** The first attempt, when the upload's workflow has made it and it failed */
  attempted?: FirstAttempt;
}

export interface FirstAttempt {
  /** Milliseconds since the epoch; the schedule counts from here */
  atMs: number;
  /** Milliseconds that the receiver asked to wait; null when it did not */
  retryAfterMs: number | null;
}

/** Workflows and light I/O. */
export const MAIN_TASK_QUEUE = 'burnish';
/** CPU work; polled by engine workers only. */
export const ENGINE_TASK_QUEUE = 'burnish-engine';
/** Calls to the hosted service; polled by main workers of instances that have one, at the rate that they agreed on. */
export const HOSTED_TASK_QUEUE = 'burnish-hosted';

/** Temporal's priority keys, 1 to 5: a task with a lower key goes first. */
export const PRIORITY_KEYS = {
  /** Somebody waits for it, at the dashboard or with `Prefer: wait` */
  interactive: 2,
  /** One upload of a caller; Temporal's own default */
  single: 3,
  /** Work that came as one of many */
  batch: 4,
  /** Part of a large PDF: a photograph waits for one of them at most */
  span: 5,
} as const satisfies Record<Urgency | 'span', number>;

/**
 * The priority of an upload's workflow, which its activities inherit: accounts share the queues fairly, by the weight of their plan.
 * A server without fairness serves tasks of one priority first come, first served.
 */
export function priorityOf(accountId: string, plan: GivenPlan, urgency: Urgency) {
  return {
    priorityKey: PRIORITY_KEYS[urgency],
    fairnessKey: accountId,
    fairnessWeight: termsOf(plan).fairnessWeight,
  };
}

/** The attributes by which a person finds workflows in the Temporal Web UI, with their types there. */
export const SEARCH_ATTRIBUTES = {
  BurnishAccountId: 'KEYWORD',
  BurnishUploadId: 'KEYWORD',
  BurnishStatus: 'KEYWORD',
  BurnishType: 'KEYWORD',
  BurnishEnhancementId: 'KEYWORD_LIST',
  BurnishEnhancementStatus: 'KEYWORD_LIST',
  BurnishReference: 'KEYWORD_LIST',
} as const;

export const SEARCH_ATTRIBUTE_NAMES = Object.keys(SEARCH_ATTRIBUTES) as readonly (keyof typeof SEARCH_ATTRIBUTES)[];

export const accountIdAttribute = defineSearchAttributeKey('BurnishAccountId', 'KEYWORD');
export const uploadIdAttribute = defineSearchAttributeKey('BurnishUploadId', 'KEYWORD');
/** Of the upload; once a PDF is received, of its analysis. Of a delivery: `PENDING`, `DELIVERED` or `FAILED` */
export const statusAttribute = defineSearchAttributeKey('BurnishStatus', 'KEYWORD');
/** `image`, `pdf` or `unknown` for uploads; `delivery` for webhooks */
export const typeAttribute = defineSearchAttributeKey('BurnishType', 'KEYWORD');
/** The newest enhancements of the upload, at most `MAX_LISTED_ENHANCEMENTS` */
export const enhancementIdAttribute = defineSearchAttributeKey('BurnishEnhancementId', 'KEYWORD_LIST');
/** Statuses that somebody looks for: of enhancements that wait for credits or a decision, failed, or were cancelled */
export const enhancementStatusAttribute = defineSearchAttributeKey('BurnishEnhancementStatus', 'KEYWORD_LIST');
/** References that the caller gave to the upload and to its enhancements */
export const referenceAttribute = defineSearchAttributeKey('BurnishReference', 'KEYWORD_LIST');

/** The server takes at most 2 kB for one attribute. */
export const MAX_LISTED_ENHANCEMENTS = 40;
const MAX_LISTED_REFERENCE_BYTES = 1_900;
/** Bytes that a value takes beside its text: quotes and comma, and escapes of signs. */
const REFERENCE_FRAME_BYTES = 3;

/**
 * The references for the search attribute: the first, which is that of the upload where it has one, and the newest as far as
 * they fit.
 * @param references oldest first
 */
export function listedReferences(references: readonly string[]): string[] {
  const [first, ...others] = new Set(references);
  if (first === undefined) return [];
  let left = MAX_LISTED_REFERENCE_BYTES - referenceBytes(first);
  const newest: string[] = [];
  for (const reference of others.reverse()) {
    left -= referenceBytes(reference);
    if (left < 0) break;
    newest.unshift(reference);
  }
  return [first, ...newest];
}

/** At most: three bytes for a UTF-16 unit beyond ASCII, two for a sign that JSON escapes. */
function referenceBytes(reference: string): number {
  let bytes = REFERENCE_FRAME_BYTES;
  for (let at = 0; at < reference.length; at += 1) bytes += reference.charCodeAt(at) > 0x7f ? 3 : 2;
  return bytes;
}
