import type { Account } from '../accounts/account.ts';
import type { Enhancement, EnhancementRequest } from '../enhancement/enhancement.ts';
import type { ProviderName, Upload, UploadSource } from './upload.ts';

export interface NewUpload {
  id: string;
  account: Pick<Account, 'id' | 'retentionDays'>;
  source: UploadSource;
  originalFilename: string;
  provider: ProviderName;
  webhookUrl: string | null;
  /** ISO 8601 in UTC with milliseconds */
  at: string;
}

/** An upload as it is before its workflow has done anything: revision 0. */
export function initialUpload({ id, account, source, originalFilename, provider, webhookUrl, at }: NewUpload): Upload {
  const pending = source.kind === 'signed';
  return {
    id,
    accountId: account.id,
    revision: 0,
    status: pending ? 'UPLOAD_PENDING' : 'UPLOAD_PROCESSING',
    subStatus: null,
    waitingFor: null,
    errorCode: null,
    errorDetail: null,
    originalFilename,
    objectKey: source.kind === 'stored' ? source.objectKey : null,
    file: source.kind === 'stored' ? source.file : null,
    width: 0,
    height: 0,
    analysis: null,
    provider,
    remoteId: null,
    webhookUrl,
    retentionDays: account.retentionDays,
    createdAt: at,
    startedAt: pending ? null : at,
    finishedAt: null,
    deletedAt: null,
    deletionReason: null,
  };
}

/** An enhancement as it is before its workflow has done anything: revision 0, QUEUED. */
export function initialEnhancement(
  request: EnhancementRequest,
  upload: Pick<Upload, 'id' | 'accountId' | 'provider'>,
  at: string,
): Enhancement {
  return {
    id: request.id,
    uploadId: upload.id,
    accountId: upload.accountId,
    revision: 0,
    status: 'QUEUED',
    waitingFor: null,
    parameters: request.parameters,
    provider: upload.provider,
    remoteId: null,
    maxCredits: request.maxCredits,
    creditWaitMs: request.creditWaitMs,
    estimatedCredits: null,
    chargedCredits: null,
    result: null,
    engine: null,
    reusedFrom: null,
    errorCode: null,
    errorDetail: null,
    createdAt: at,
    startedAt: null,
    finishedAt: null,
  };
}
