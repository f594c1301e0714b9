import type { PdfAnalysis } from '../../domain/upload/upload.ts';
import type { EnhancementResult } from '../../domain/enhancement/enhancement.ts';
import type { EnhancementParameters } from '../../domain/enhancement/parameters.ts';
import type { MediaType } from '../../domain/upload/media.ts';
import type { SourceFile } from '../provider/provider.ts';

/** A stored file to transfer to the hosted service. */
export interface HostedUploadJob {
  accountId: string;
  source: SourceFile;
  /** Bytes */
  size: number;
  /** Source URL of the file, from which the service can fetch it; null: the file is streamed from Burnish's storage */
  url: string | null;
  retentionDays: number;
}

/** State of an upload at the hosted service, as far as its answer could be parsed. */
export interface HostedUpload {
  id: string;
  /** Reported state of the file; an unknown state counts as pending */
  file: 'pending' | 'ready' | 'failed';
  /** Reported state of the analysis of a PDF; an unknown state counts as running; null for images */
  analysis: 'running' | 'done' | 'failed' | null;
  /** Bytes; null when not reported */
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

/** State of an enhancement at the hosted service. It excludes `fullUrl`, because that URL grants access to the file. */
export interface HostedEnhancement {
  id: string;
  /** An unknown status counts as running */
  status: 'running' | 'finished' | 'failed' | 'cancelled';
  /** The service's own spelling, at most 100 characters */
  errorCode: string | null;
  /** Engine time at the service in milliseconds; null when not reported */
  durationMs: number | null;
}

export interface HostedResultJob {
  enhancementId: string;
  remoteEnhancementId: string;
  source: SourceFile;
  resultKey: string;
}

/**
 * Calls to the hosted service, as activities. Each throws a typed failure. PROVIDER_UNAVAILABLE covers network errors, 5xx and
 * an open circuit, and a retry can help. RATE_LIMITED carries the delay that the service requests. PROVIDER_REJECTED covers
 * failed authentication and refusals, without retry. A code of the service that Burnish knows is kept. All calls may be retried
 * except `beginRemoteEnhancement`. It throws ANSWER_LOST (no retry) whenever the service may have begun without a known id.
 */
export interface HostedService {
  /**
   * Transfers the file. It may return before the service has inspected the file. A retry creates no second upload if the first
   * is known.
   */
  placeRemoteUpload(job: HostedUploadJob): Promise<{ remoteUploadId: string }>;
  readRemoteUpload(job: { remoteUploadId: string }): Promise<HostedUpload>;
  analyzeRemoteUpload(job: { remoteUploadId: string }): Promise<void>;
  /** Credits left at the service in its current period. */
  readRemoteCredits(): Promise<{ remaining: number }>;
  beginRemoteEnhancement(job: HostedEnhancementJob): Promise<{ remoteEnhancementId: string }>;
  /** Looks for an enhancement whose id was lost with the answer; null while no sign of it exists. */
  findLostEnhancement(job: HostedEnhancementJob & { sinceMs: number }): Promise<{ remoteEnhancementId: string } | null>;
  readRemoteEnhancement(job: { remoteEnhancementId: string }): Promise<HostedEnhancement>;
  /** Downloads the result into Burnish's storage, and checks its length, type and decodability. */
  collectRemoteResult(job: HostedResultJob): Promise<EnhancementResult>;
  /** Deletes every remote upload of an upload. An upload that no longer exists counts as deleted. */
  deleteRemoteUpload(job: { uploadId: string }): Promise<void>;
  /**
   * Claims a slot of the semaphore that limits concurrent enhancements at the service across all workers. Slots are fair per
   * account. A repeated claim of the same enhancement renews its claim or its slot.
   */
  claimSlot(job: { accountId: string; enhancementId: string }): Promise<{ granted: boolean }>;
  /** Releases the slot or the claim; a no-op without one. Returns the enhancement that gets the slot, for the caller to wake. */
  releaseSlot(job: { enhancementId: string }): Promise<{ next: { enhancementId: string; uploadId: string } | null }>;
}
