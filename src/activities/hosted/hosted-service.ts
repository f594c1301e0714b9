import type { PdfAnalysis } from '../../domain/upload/upload.ts';
import type { EnhancementResult } from '../../domain/enhancement/enhancement.ts';
import type { EnhancementParameters } from '../../domain/enhancement/parameters.ts';
import type { MediaType } from '../../domain/upload/media.ts';
import type { SourceFile } from '../provider/provider.ts';

/** A file of ours that the hosted service is to have. */
export interface HostedUploadJob {
  accountId: string;
  source: SourceFile;
  /** Bytes */
  size: number;
  /** The address that the file came from, which the service can fetch by itself; null: it is streamed from our storage */
  url: string | null;
  retentionDays: number;
}

/** State of an upload at the hosted service, as far as its answer could be parsed. */
export interface HostedUpload {
  id: string;
  /** What it says of the file; anything unknown counts as pending */
  file: 'pending' | 'ready' | 'failed';
  /** What it says of the analysis of a PDF; anything unknown counts as running; null for images */
  analysis: 'running' | 'done' | 'failed' | null;
  /** Bytes; null when it does not say */
  size: number | null;
  pdf: PdfAnalysis | null;
  errorCode: string | null;
}

/** An enhancement to begin at the hosted service. Beginning is not idempotent there. */
export interface HostedEnhancementJob {
  accountId: string;
  enhancementId: string;
  remoteUploadId: string;
  mimetype: MediaType;
  parameters: EnhancementParameters;
}

/** State of an enhancement at the hosted service. Its `fullUrl` stays out, because it opens the file. */
export interface HostedEnhancement {
  id: string;
  /** Anything unknown counts as running */
  status: 'running' | 'finished' | 'failed' | 'cancelled';
  /** As the service spells it, at most 100 characters */
  errorCode: string | null;
  /** Engine time at the service, milliseconds; null when it does not say */
  durationMs: number | null;
}

export interface HostedResultJob {
  enhancementId: string;
  remoteEnhancementId: string;
  source: SourceFile;
  resultKey: string;
}

/**
 * The calls to the hosted service, as activities. Each throws a typed failure: PROVIDER_UNAVAILABLE (network, 5xx, open
 * circuit; a retry can help), RATE_LIMITED (with the service's own pause), PROVIDER_REJECTED (authentication or a refusal;
 * no retry), or the service's code where it is one of ours. All may be repeated, except `beginRemoteEnhancement`, which
 * throws ANSWER_LOST (no retry) whenever the service may have begun without our knowing the id.
 */
export interface HostedService {
  /** Brings the file there; the answer may come before the service has looked at it. Repeating makes no second upload where the first is known. */
  placeRemoteUpload(job: HostedUploadJob): Promise<{ remoteUploadId: string }>;
  readRemoteUpload(job: { remoteUploadId: string }): Promise<HostedUpload>;
  analyzeRemoteUpload(job: { remoteUploadId: string }): Promise<void>;
  /** Credits that are left at the service in its present period. */
  readRemoteCredits(): Promise<{ remaining: number }>;
  beginRemoteEnhancement(job: HostedEnhancementJob): Promise<{ remoteEnhancementId: string }>;
  /** Looks for the enhancement whose id was lost with the answer; null while there is no sign of it. */
  findLostEnhancement(job: HostedEnhancementJob & { sinceMs: number }): Promise<{ remoteEnhancementId: string } | null>;
  readRemoteEnhancement(job: { remoteEnhancementId: string }): Promise<HostedEnhancement>;
  /** Downloads the result into our storage, with its length, type and decodability checked. */
  collectRemoteResult(job: HostedResultJob): Promise<EnhancementResult>;
  /** Deletes every upload that was transferred there for ours; one that is gone already counts as deleted. */
  deleteRemoteUpload(job: { uploadId: string }): Promise<void>;
  /**
   * Asks for one of the slots that bound how many enhancements run at the service at the same time, over all workers. Slots are fair
   * per account. The same enhancement asking again renews its claim or its slot.
   */
  claimSlot(job: { accountId: string; enhancementId: string }): Promise<{ granted: boolean }>;
  /** Gives the slot, or the claim to one, back; a no-op without one. Answers the enhancement that got the slot, for the caller to wake. */
  releaseSlot(job: { enhancementId: string }): Promise<{ next: { enhancementId: string; uploadId: string } | null }>;
}
