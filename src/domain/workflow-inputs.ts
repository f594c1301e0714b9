import type { PdfAnalysis } from './analysis.ts';
import type { MediaType } from './media.ts';
import type { Enhancement, EnhancementRequest } from './enhancement.ts';
import type { Plan } from './plans.ts';
import type { Upload, UploadSource } from './upload.ts';

/** How work at the hosted service behaves in trouble, as settings and request said when the upload began. */
export interface HostedPolicy {
  /** Who does the work when the service stays away */
  fallback: 'none' | 'local';
  /** Milliseconds for which the service may be away before the fallback takes over */
  fallbackAfterMs: number;
  /** What becomes of an enhancement whose answer was lost and of which no sign is found: wait for a person, or begin again */
  lostAnswer: 'hold' | 'repeat';
}

/** What starts the workflow that owns an upload. */
export interface UploadInput {
  /** The state at revision 0, which the caller has projected too, so that it can be read before a worker comes. */
  initial: Upload;
  source: UploadSource;
  plan: Plan;
  /** Asked for up front; each runs as soon as the upload is ready for it. */
  enhancements: EnhancementRequest[];
  /** Recorded states of open enhancements whose workflow was lost: each begins again, with rising revisions. */
  resume?: readonly Enhancement[];
  /** Where the provider is `hosted` */
  hosted?: HostedPolicy;
}

/** What starts the workflow that owns an enhancement. */
export interface EnhancementInput {
  /** The state at revision 0 */
  initial: Enhancement;
  /** The upload as it was when the enhancement was accepted */
  upload: {
    id: string;
    objectKey: string;
    sha256: string;
    mimetype: MediaType;
    originalFilename: string;
    webhookUrl: string | null;
    /** Of the upload at the hosted service; absent in histories from before there was one, as is the analysis */
    remoteId?: string | null;
    analysis?: PdfAnalysis | null;
  };
  plan: Plan;
  /** Where the provider is `hosted` */
  hosted?: HostedPolicy;
}

/** What starts the workflow that owns one delivery of one event to one address. */
export interface DeliveryInput {
  deliveryId: string;
  accountId: string;
  /** Host of the receiver, for people who look; the whole address stays in the database since it may hold a secret */
  host: string;
  eventKind: string;
  /** The delivery that this one repeats, on request; the workflow then begins by entering itself into the log */
  redeliveryOf?: string;
}
