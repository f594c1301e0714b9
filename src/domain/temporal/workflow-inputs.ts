import type { Enhancement, EnhancementRequest } from '../enhancement/enhancement.ts';
import type { Urgency } from './priorities.ts';
import type { GivenPlan } from '../accounts/plans.ts';
import type { Upload, UploadSource } from '../upload/upload.ts';

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
