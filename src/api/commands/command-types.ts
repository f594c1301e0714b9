import type { Client } from '@temporalio/client';
import type { AuditLog } from '../../database/accounts/audit-log.ts';
import type { KeyPowers } from '../../domain/accounts/scopes.ts';
import type { Account, Plan, PlanTerms } from '../../domain/accounts/account.ts';
import type { SafeFetch } from '../../net/safe-fetch.ts';
import type { Enhancement, Urgency } from '../../domain/enhancement/enhancement.ts';
import type { EnhancementParameters } from '../../domain/enhancement/parameters.ts';
import type { CustomMetadata, Labelled, ProviderName, StoredFile, Upload } from '../../domain/upload/upload.ts';
import type { MediaType } from '../../domain/upload/media.ts';
import type { HostedPolicy } from '../../domain/temporal/workflow-interface.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { UrlSigner } from '../../storage/signed-url.ts';
import type { AccountChanges } from '../../database/accounts/account-changes.ts';
import type { Accounts } from '../../database/accounts/accounts.ts';
import type { ApiKeys } from '../../database/accounts/api-keys.ts';
import type { Usage } from '../../database/accounts/usage.ts';
import type { Deliveries } from '../../database/webhooks/deliveries.ts';
import type { Enhancements } from '../../database/uploads/enhancements.ts';
import type { IdempotencyKeys } from '../../database/uploads/idempotency-keys.ts';
import type { StagedFiles, UploadStarts } from '../../database/uploads/upload-starts.ts';
import type { Uploads } from '../../database/uploads/uploads.ts';
import type { WebhookEndpoints } from '../../database/webhooks/webhook-endpoints.ts';
import type { UploadPasswords } from '../../database/uploads/upload-passwords.ts';
import type { AuditActor } from '../../domain/accounts/audit.ts';

/** Starts workflows, and sends them signals, queries and updates. */
export type TemporalClient = Pick<Client, 'withDeadline'> & {
  workflow: Pick<Client['workflow'], 'start' | 'getHandle'>;
};

/** A PDF whose work is to be priced, as a worker prices it. */
export interface PdfEstimateJob {
  /** Of the work in logs; an estimate has no enhancement */
  enhancementId: string;
  source: { uploadId: string; objectKey: string; mimetype: MediaType; originalFilename: string };
  parameters: EnhancementParameters;
  plan: PlanTerms;
}

/**
 * @returns credits, and the size of the result to be expected, in bytes
 * @throws Failure with the code that the enhancement would end with, or PROCESSING_LIMIT
 */
export type EstimatePdf = (job: PdfEstimateJob) => Promise<{ credits: number; bytes: number }>;

export interface CommandDeps {
  client: TemporalClient;
  uploads: Pick<Uploads, 'project' | 'get'>;
  enhancements: Pick<Enhancements, 'project' | 'get' | 'listForUpload' | 'label'>;
  stagedFiles: Pick<StagedFiles, 'add' | 'remove'>;
  uploadStarts: Pick<UploadStarts, 'record' | 'refuse'>;
  uploadPasswords: Pick<UploadPasswords, 'rowOf' | 'put'>;
  idempotencyKeys: Pick<IdempotencyKeys, 'claim'>;
  accountChanges: AccountChanges;
  audit: Pick<AuditLog, 'record'>;
  accounts: Pick<Accounts, 'get'>;
  apiKeys: Pick<ApiKeys, 'get'>;
  usage: Pick<Usage, 'openEnhancements'>;
  webhookEndpoints: Pick<WebhookEndpoints, 'get'>;
  deliveries: Pick<Deliveries, 'get' | 'recordRedelivery' | 'recordTest' | 'failedSince'>;
  storage: Pick<ObjectStore, 'copy' | 'delete' | 'get' | 'signPut'>;
  signer: Pick<UrlSigner, 'sign'>;
  estimatePdf: EstimatePdf;
  /** Where callers reach the gateway, without a slash at its end */
  publicUrl: string;
  /** Provider of orders that name none */
  provider: ProviderName;
  /** Null where there is no hosted service */
  hosted: { policy: HostedPolicy } | null;
  assertAllowedUrl: SafeFetch['assertAllowedUrl'];
  /** For addresses that are stored and called repeatedly */
  assertAllowedEndpoint: SafeFetch['assertAllowedEndpoint'];
  /** Milliseconds since the epoch */
  now: () => number;
  /** How long a command may take, in milliseconds */
  commandWaitMs: number;
}

/** The authenticated sender of a request. */
export interface Caller extends KeyPowers {
  account: Account;
  /** As it is at the request */
  plan: Plan;
  keyId: string;
  /** IP address of the request; null where there is none */
  address: string | null;
  /** A person at the dashboard, in a session of the key */
  viaSession?: boolean;
  /** Someone waits for the work, at the dashboard or with `Prefer: wait`: it goes before other work */
  waits?: boolean;
}

/** Labels of an order. Absent fields stay absent, so that the fingerprint of an older request stays the same. */
export interface OrderLabels {
  reference?: string;
  customMetadata?: CustomMetadata;
}

/** One enhancement as a caller asks for it. */
export interface EnhancementOrder extends OrderLabels {
  parameters: EnhancementParameters;
  /** Credits; an estimate above it waits for approval */
  maxCredits: number | null;
  /** Milliseconds to wait for credits */
  creditWaitMs: number;
  /** Absent: as its upload */
  urgency?: Urgency;
}

/** The part of an order that all ways of uploading share. */
export interface UploadOrder extends OrderLabels {
  filename: string | null;
  enhancements: EnhancementOrder[];
  webhookUrl: string | null;
  /** Of an encrypted PDF; it goes to the vault and into no record */
  password?: string;
  /** Absent: the setting of the instance */
  provider?: ProviderName;
  /** Takes over while the hosted service is away; absent: the setting of the instance */
  fallback?: HostedPolicy['fallback'];
  /** Absent: as the caller waits for it, or does not */
  urgency?: Urgency;
}

/** The key under which a change happens once, or null. */
export type IdempotencyKey = string | null;

/** The key of a request that creates an upload: the caller's own, or one that the gateway made. The answer names it. */
export interface CreateKey {
  key: string;
  made: boolean;
}

/** A file in storage, recorded as staged, for an upload that is about to start. */
export interface ReceivedFile {
  /** The id that the upload gets, unless an idempotency key gives it another */
  uploadId: string;
  objectKey: string;
  file: StoredFile;
}

export interface UploadWithEnhancements {
  upload: Labelled<Upload>;
  enhancements: Labelled<Enhancement>[];
}

/** A caller as the audit log names it. */
export function actorOf({ keyId, address, viaSession = false }: Omit<Caller, 'account'>): AuditActor {
  return { actor: viaSession ? 'session' : 'key', keyId, address };
}
