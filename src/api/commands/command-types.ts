import type { KeyPowers } from '../../domain/accounts/scopes.ts';
import type { Account } from '../../domain/accounts/account.ts';
import type { Enhancement } from '../../domain/enhancement/enhancement.ts';
import type { EnhancementParameters } from '../../domain/enhancement/parameters.ts';
import type { Urgency } from '../../domain/temporal/priorities.ts';
import type { ProviderName, StoredFile, Upload } from '../../domain/upload/upload.ts';
import type { HostedPolicy } from '../../domain/temporal/workflow-inputs.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { UrlSigner } from '../../storage/signed-url.ts';
import type {
  AccountChanges,
  Accounts,
  ApiKeys,
  AssertAllowedUrl,
  AuditLog,
  Deliveries,
  Enhancements,
  IdempotencyKeys,
  StagedFiles,
  TemporalClient,
  Uploads,
  WebhookEndpoints,
} from '../ports.ts';
import type { UploadStarts } from '../start-ports.ts';

export interface CommandDeps {
  client: TemporalClient;
  uploads: Pick<Uploads, 'project' | 'get'>;
  enhancements: Pick<Enhancements, 'project' | 'get' | 'listForUpload'>;
  stagedFiles: Pick<StagedFiles, 'add' | 'remove'>;
  uploadStarts: Pick<UploadStarts, 'record' | 'refuse'>;
  idempotencyKeys: IdempotencyKeys;
  accountChanges: AccountChanges;
  audit: Pick<AuditLog, 'record'>;
  accounts: Pick<Accounts, 'get'>;
  apiKeys: Pick<ApiKeys, 'get'>;
  webhookEndpoints: Pick<WebhookEndpoints, 'get'>;
  deliveries: Pick<Deliveries, 'get' | 'recordRedelivery' | 'recordTest'>;
  storage: Pick<ObjectStore, 'copy' | 'delete' | 'get' | 'signPut'>;
  signer: Pick<UrlSigner, 'sign'>;
  /** Where callers reach the gateway, without a slash at its end */
  publicUrl: string;
  /** Who does the work where an order does not say */
  provider: ProviderName;
  /** Null where there is no hosted service */
  hosted: { policy: HostedPolicy } | null;
  assertAllowedUrl: AssertAllowedUrl;
  /** As `assertAllowedUrl`, for addresses that are kept and called again and again */
  assertAllowedEndpoint: AssertAllowedUrl;
  /** Milliseconds since the epoch */
  now: () => number;
  /** How long a command may take, in milliseconds */
  commandWaitMs: number;
}

/** Who asks. */
export interface Caller extends KeyPowers {
  account: Account;
  keyId: string;
  /** IP address that the request came from; null where there is none */
  address: string | null;
  /** A person at the dashboard asks, with a session that stands on the key */
  viaSession?: boolean;
  /** Somebody waits for the work, at the dashboard or with `Prefer: wait`: it goes before other work */
  waits?: boolean;
}

/** One enhancement as a caller asks for it. */
export interface EnhancementOrder {
  parameters: EnhancementParameters;
  /** Credits; an estimate above it waits for approval */
  maxCredits: number | null;
  /** Milliseconds to wait for credits */
  creditWaitMs: number;
  /** Absent: as its upload */
  urgency?: Urgency;
}

/** What every way of uploading has in common. */
export interface UploadOrder {
  filename: string | null;
  enhancements: EnhancementOrder[];
  webhookUrl: string | null;
  /** Absent: as the instance is set */
  provider?: ProviderName;
  /** Who takes over when the hosted service stays away; absent: as the instance is set */
  fallback?: HostedPolicy['fallback'];
  /** Absent: as the caller waits for it, or does not */
  urgency?: Urgency;
}

/** The key under which a change is carried out once, or null. */
export type IdempotencyKey = string | null;

/** The key of a request that makes an upload: the caller's own, or one that the gateway made and says in its answer. */
export interface CreateKey {
  key: string;
  made: boolean;
}

/** A file that has been streamed into storage, and noted as staged, for an upload that is about to start. */
export interface ReceivedFile {
  /** The id that the upload gets, unless an idempotency key gives it another */
  uploadId: string;
  objectKey: string;
  file: StoredFile;
}

export interface UploadWithEnhancements {
  upload: Upload;
  enhancements: Enhancement[];
}
