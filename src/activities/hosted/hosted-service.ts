import type { PdfAnalysis, EnhancementResult } from '@burnish/contract';
import type { Input } from '../inputs/schemas.ts';

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
  placeRemoteUpload(job: Input<'placeRemoteUpload'>): Promise<{ remoteUploadId: string }>;
  readRemoteUpload(job: Input<'readRemoteUpload'>): Promise<HostedUpload>;
  analyzeRemoteUpload(job: Input<'analyzeRemoteUpload'>): Promise<void>;
  /** Credits left at the service in its current period. */
  readRemoteCredits(): Promise<{ remaining: number }>;
  beginRemoteEnhancement(job: Input<'beginRemoteEnhancement'>): Promise<{ remoteEnhancementId: string }>;
  /** Looks for an enhancement whose id was lost with the answer; null while no sign of it exists. */
  findLostEnhancement(job: Input<'findLostEnhancement'>): Promise<{ remoteEnhancementId: string } | null>;
  readRemoteEnhancement(job: Input<'readRemoteEnhancement'>): Promise<HostedEnhancement>;
  /** Downloads the result into Burnish's storage, and checks its length, type and decodability. */
  collectRemoteResult(job: Input<'collectRemoteResult'>): Promise<EnhancementResult>;
  /** Deletes every remote upload of an upload. An upload that no longer exists counts as deleted. */
  deleteRemoteUpload(job: Input<'deleteRemoteUpload'>): Promise<void>;
  /**
   * Claims a slot of the semaphore that limits concurrent enhancements at the service across all workers. Slots are fair per
   * account. A repeated claim of the same enhancement renews its claim or its slot.
   */
  claimSlot(job: Input<'claimSlot'>): Promise<{ granted: boolean }>;
  /** Releases the slot or the claim; a no-op without one. Returns the enhancement that gets the slot, for the caller to wake. */
  releaseSlot(job: Input<'releaseSlot'>): Promise<{ next: { enhancementId: string; uploadId: string } | null }>;
}
