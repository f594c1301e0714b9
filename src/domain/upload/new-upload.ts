import type { Account, MediaType, ProviderName, StoredFile, Upload } from '@burnish/contract';

/** Source of the bytes of an upload. */
export type UploadSource =
  /** Already streamed into storage under `objectKey` by the gateway, which has checked size and type. */
  | { kind: 'stored'; objectKey: string; file: StoredFile }
  | {
      kind: 'url';
      url: string;
      /** The caller gave no file name: a name in the HTTP response, if any, replaces the one in the URL */
      unnamed?: boolean;
    }
  /** Read from a bucket that the operator registered for the account. */
  | { kind: 'bucket'; bucket: string; key: string }
  /** Sent by PUT to a signed URL that expires at `expiresAt` (ISO 8601). */
  | {
      kind: 'signed';
      declared: { size: number; mimetype: MediaType };
      expiresAt: string;
      incomingKey?: string;
    }
  /** Sent in parts by the tus protocol, complete before `expiresAt` (ISO 8601). Without a declared type, the content decides. */
  | {
      kind: 'resumable';
      declared: { size: number; mimetype: MediaType | null };
      expiresAt: string;
    };

/** A file that a PUT to a signed URL has stored, before its comparison with the declaration. */
export interface ArrivedFile {
  objectKey: string;
  /** Bytes */
  size: number;
  /** Hex SHA-256 of the bytes */
  sha256: string;
  /** Detected from the content; null for an unsupported type */
  mimetype: MediaType | null;
}

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

/** The initial state of an upload, at revision 0, before its workflow runs. */
export function initialUpload({ id, account, source, originalFilename, provider, webhookUrl, at }: NewUpload): Upload {
  const pending = source.kind === 'signed' || source.kind === 'resumable';
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
