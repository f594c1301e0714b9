import type { Account } from '../accounts/account.ts';
import type { FailureCode } from '../failures.ts';
import type { MediaType } from './media.ts';
import type { WaitingFor } from '../machinery.ts';

export const UPLOAD_STATUSES = [
  'UPLOAD_PENDING',
  'UPLOAD_PROCESSING',
  'UPLOAD_FINISHED',
  'UPLOAD_FAILED',
  'UPLOAD_DELETED',
] as const;
export type UploadStatus = (typeof UPLOAD_STATUSES)[number];

export const UPLOAD_SUB_STATUSES = [
  'METADATA_ANALYZING',
  'METADATA_ANALYZED_SUCCESSFULLY',
  'METADATA_ANALYZED_FAILED',
] as const;
export type UploadSubStatus = (typeof UPLOAD_SUB_STATUSES)[number];

export const PROVIDERS = ['local', 'hosted'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** Where the bytes of an upload come from. */
export type UploadSource =
  /** Already streamed into storage under `objectKey` by the gateway, which has checked size and type. */
  | { kind: 'stored'; objectKey: string; file: StoredFile }
  /** To be fetched from an address that the caller gave. */
  | {
      kind: 'url';
      url: string;
      /** The caller named no file: the name that the answer gives it, if any, takes the place of that in the address */
      unnamed?: boolean;
    }
  /** To arrive by PUT to a signed URL that expires at `expiresAt` (ISO 8601). */
  | {
      kind: 'signed';
      declared: { size: number; mimetype: MediaType };
      expiresAt: string;
      /** Where the PUT goes when it goes straight into storage; absent when it comes through the gateway */
      incomingKey?: string;
    };

/** Facts of a file that has been received and looked at. */
export interface StoredFile {
  /** Bytes */
  size: number;
  /** Hex SHA-256 of the bytes */
  sha256: string;
  /** By content, never by name */
  mimetype: MediaType;
}

/** A file that a PUT to a signed URL has brought into storage, before it is compared with what was declared. */
export interface ArrivedFile {
  /** Where it waits to be taken over */
  objectKey: string;
  /** Bytes */
  size: number;
  /** Hex SHA-256 of the bytes */
  sha256: string;
  /** By content; null for a type that is not served */
  mimetype: MediaType | null;
}

/** The state of an upload. The upload's workflow is its only writer; `revision` rises with each change. */
export interface Upload {
  id: string;
  accountId: string;
  revision: number;
  status: UploadStatus;
  /** Null for images */
  subStatus: UploadSubStatus | null;
  /** Null while it makes progress, or has nothing to do */
  waitingFor: WaitingFor | null;
  errorCode: FailureCode | null;
  errorDetail: string | null;
  originalFilename: string;
  /** Key of the original in storage; null before it is there and after deletion */
  objectKey: string | null;
  file: StoredFile | null;
  /** Pixels, after orientation; 0 for PDFs */
  width: number;
  height: number;
  analysis: PdfAnalysis | null;
  /** The provider of the work; HOSTED becomes LOCAL when the upload falls back to the engine that is built in */
  provider: ProviderName;
  /** Its id at the hosted service; null while it has none there */
  remoteId: string | null;
  webhookUrl: string | null;
  retentionDays: number;
  /** Times are ISO 8601 in UTC with milliseconds */
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  deletedAt: string | null;
  deletionReason: DeletionReason | null;
}

export type DeletionReason = 'user' | 'retention';

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

/**
 * What the analysis of a PDF found (docs/contract.md). `images` counts distinct image objects; the eligible ones are counted as pictures, so
 * that strips and tiles of one count once.
 */
export interface PdfAnalysis {
  /** Credits for every enhancement that the PDF is eligible for. */
  totalCredits: number;
  statistics: {
    pages: number;
    images: number;
    colorEligible: number;
    resizeEligible: number;
    /** Pictures that cannot reach 300 DPI, since an image is enlarged at most 4 times; absent: none */
    belowTarget?: number | undefined;
    /** The lowest resolution that one of them reaches, DPI */
    lowestReached?: number | undefined;
    /** Credits by the combination that is asked for. */
    credits: { color: number; resize: number; colorAndResize: number };
  };
}

/** The largest number of characters of a reference. */
export const MAX_REFERENCE_LENGTH = 200;
/** The largest size of custom metadata as JSON text in UTF-8, bytes. */
export const MAX_CUSTOM_METADATA_BYTES = 4_000;

/** A JSON object. Workflows never carry it, so that payloads stay small and Temporal holds no data of the caller's customers. */
export type CustomMetadata = Record<string, unknown>;

/** What a caller attaches to an upload or an enhancement at its creation. It never changes. */
export interface CallerLabels {
  /** The caller's own id, such as an order number; null where none was given */
  reference: string | null;
  customMetadata: CustomMetadata | null;
}

export type Labelled<Item> = Item & CallerLabels;
/** A record that may come without its labels. */
export type MaybeLabelled<Item> = Item & Partial<CallerLabels>;

/** The labels alone, of an order or a record. */
export function labelsOf({ reference, customMetadata }: Partial<CallerLabels>): CallerLabels {
  return { reference: reference ?? null, customMetadata: customMetadata ?? null };
}

/** The record without labels, as workflows carry it. */
export function withoutLabels<Item extends object>(item: Item): Omit<Item, keyof CallerLabels> {
  const { reference: _reference, customMetadata: _metadata, ...rest } = item as Item & Partial<CallerLabels>;
  return rest;
}
