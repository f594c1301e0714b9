import type { Client } from '@temporalio/client';
import type {
  KeyPowers,
  Account,
  Plan,
  PlanTerms,
  RecordedEnhancement,
  DestinationOrder,
  EnhancementParameters,
  ExpectedPictures,
  MediaType,
  PdfWork,
  CustomMetadata,
  Labelled,
  ProviderName,
  StoredFile,
  Upload,
  AuditActor,
} from '@burnish/contract';
import type { Urgency } from '../../domain/enhancement/new-enhancement.ts';
import type { HostedPolicy } from '../../domain/temporal/workflow-interface.ts';
import type { NewAuditEntry } from '../../database/accounts/audit-log.ts';

export type TemporalClient = Pick<Client, 'withDeadline'> & {
  workflow: Pick<Client['workflow'], 'start' | 'getHandle'>;
};

export interface PdfEstimateJob {
  /** For the logs; an estimate has no enhancement */
  enhancementId: string;
  source: {
    uploadId: string;
    objectKey: string;
    mimetype: MediaType;
    originalFilename: string;
    size: number;
    sha256: string;
  };
  parameters: EnhancementParameters;
  plan: PlanTerms;
  /** As in `PaidWork` */
  paidExcept?: number[][];
}

/**
 * @returns the planned work, and the expected size of the result in bytes
 * @throws Failure with the code that the enhancement would end with, or PROCESSING_LIMIT
 */
export type EstimatePdf = (job: PdfEstimateJob) => Promise<{
  work: PdfWork;
  bytes: number;
  range: { least: number; most: number };
  pictures: ExpectedPictures;
}>;

export interface Caller extends KeyPowers {
  account: Account;
  /** The plan at the time of the request */
  plan: Plan;
  /** The API key; with `viaEndpoint`, the name of the Nexus endpoint; empty for a batch whose key is unknown */
  keyId: string;
  /** Stored bytes of the account at the time of the request; absent where the request brings no file */
  storedBytes?: number;
  /** IP address of the request; null without one */
  address: string | null;
  /** The caller is a workflow of another program */
  viaEndpoint?: boolean;
  /** The request was sent by a person at the dashboard, in a session of the key */
  viaSession?: boolean;
  /** The caller waits for the result, at the dashboard or with `Prefer: wait`; its work has priority */
  waits?: boolean;
}

/** The API key that an order counts for: null for a workflow, and for a batch whose key is unknown. */
export const orderingKey = ({ keyId, viaEndpoint }: Caller): string | null =>
  viaEndpoint || keyId === '' ? null : keyId;

/** Labels of an order. Absent fields remain absent, so that the fingerprint of an older request does not change. */
export interface OrderLabels {
  reference?: string;
  customMetadata?: CustomMetadata;
}

/** A caller's order of one enhancement. */
export interface EnhancementOrder extends OrderLabels {
  parameters: EnhancementParameters;
  /** Credits; a higher estimate waits for approval */
  maxCredits: number | null;
  /** Milliseconds to wait for credits */
  creditWaitMs: number;
  urgency?: Urgency;
  /** As the caller gave it: `web` or `web@3`. Its parameters are not applied yet */
  preset?: string;
  destination?: DestinationOrder;
  /** The version with which `parameters` were completed, such as `web@3` */
  appliedPreset?: string;
}

/** The part of an order that all upload methods share. */
export interface UploadOrder extends OrderLabels {
  filename: string | null;
  enhancements: EnhancementOrder[];
  webhookUrl: string | null;
  /** Password of an encrypted PDF; only the vault stores it */
  password?: string;
  /** Absent: the instance's setting */
  provider?: ProviderName;
  /** Used while the hosted service is unavailable; absent: the instance's setting */
  fallback?: HostedPolicy['fallback'];
  /** Absent: depends on whether the caller waits for the result */
  urgency?: Urgency;
}

/** The idempotency key of a change, or null. */
export type IdempotencyKey = string | null;

/**
 * The idempotency key of a request that creates an upload: the caller's own, or one that the gateway generated. The
 * response contains it.
 */
export interface UploadIdempotencyKey {
  key: string;
  made: boolean;
}

/** A file in storage, recorded as staged, for an upload that has not started yet. */
export interface ReceivedFile {
  /** The id of the upload, unless an idempotency key determines another one */
  uploadId: string;
  objectKey: string;
  file: StoredFile;
}

export interface UploadWithEnhancements {
  upload: Labelled<Upload>;
  enhancements: RecordedEnhancement[];
}

/** An entry of the audit log about a caller's change. */
export const auditEntry = (
  caller: Caller,
  entry: Omit<NewAuditEntry, keyof AuditActor | 'accountId'>,
): NewAuditEntry => ({ ...toActor(caller), accountId: caller.account.id, ...entry });

export function toActor({ keyId, address, viaSession, viaEndpoint }: Omit<Caller, 'account'>): AuditActor {
  if (viaEndpoint) return { actor: 'workflow', keyId: null, address };
  return { actor: viaSession ? 'session' : 'key', keyId, address };
}
