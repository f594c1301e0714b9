import type { Logger } from 'pino';
import type { ProviderName } from '../domain/upload/upload.ts';
import type { HostedPolicy } from '../domain/temporal/workflow-interface.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import type { UrlSigner } from '../storage/signed-url.ts';
import type { Readiness } from './health/health-operations.ts';
import type { AcceptQueue } from './trouble/admission.ts';
import type { HttpMetrics } from './metrics/http-metrics.ts';
import type { MetricsDeps } from './metrics/metrics-operations.ts';
import type { HostedEvents } from '../database/hosted/hosted-events.ts';
import type { HostedIds } from '../database/hosted/hosted-ids.ts';
import type { ReadProgress } from './events/progress-watch.ts';
import type { WorkersAway } from './health/workers-watch.ts';
import type { AccountChanges } from '../database/accounts/account-changes.ts';
import type { Accounts } from '../database/accounts/accounts.ts';
import type { AccountDeletion } from '../database/accounts/account-deletion.ts';
import type { OperatorSessions } from '../database/accounts/operator-sessions.ts';
import type { Plans } from '../database/accounts/plans.ts';
import type { Usage } from '../database/accounts/usage.ts';
import type { ApiKeys } from '../database/accounts/api-keys.ts';
import type { AuditLog } from '../database/accounts/audit-log.ts';
import type { EstimatePdf, TemporalClient } from './commands/command-types.ts';
import type { SafeFetch } from '../net/safe-fetch.ts';
import type { Database } from '../database/database.ts';
import type { Changes } from '../database/changes.ts';
import type { CreditLedger } from '../database/credits/credit-ledger.ts';
import type { Deliveries } from '../database/webhooks/deliveries.ts';
import type { DetectMediaType } from './uploads/receive/stage-file.ts';
import type { Enhancements } from '../database/uploads/enhancements.ts';
import type { IdempotencyKeys } from '../database/uploads/idempotency-keys.ts';
import type { PreviewEngine } from './previews/previews.ts';
import type { Sessions } from '../database/accounts/sessions.ts';
import type { SignInLinks } from '../database/accounts/sign-in-links.ts';
import type { StagedFiles, UploadStarts } from '../database/uploads/upload-starts.ts';
import type { Uploads } from '../database/uploads/uploads.ts';
import type { WebhookEndpoints } from '../database/webhooks/webhook-endpoints.ts';
import type { UploadPasswords } from '../database/uploads/upload-passwords.ts';

/** Everything that the gateway works with. Times are in milliseconds. */
export interface GatewayDeps {
  /** Where callers reach the gateway, without a slash at its end, such as `http://127.0.0.1:3000` */
  publicUrl: string;
  /** Proxies between callers and us, whose `X-Forwarded-For` is trusted */
  trustedProxies?: number;
  /** Version of Burnish, for the description of the interface */
  version: string;
  /** Version of the engine that enhances */
  engineVersion: string;
  /** Name of the sandbox that holds the decoders */
  sandbox: string;
  /** Provider of new uploads that name none */
  provider: ProviderName;
  /** Use of the hosted service; null where there is none */
  hosted: HostedSettings | null;
  log: Logger;
  metrics: MetricsDeps & { http: HttpMetrics };
  now: () => number;
  /** On a NativeConnection: starts are offered to a worker of this process, which the SDK refuses on any other */
  client: TemporalClient;
  /** Kinds of workers that do not run; by default none is missing */
  workersAway?: () => WorkersAway;
  /** See `createProgressReader` */
  readProgress: ReadProgress;
  accounts: Pick<Accounts, 'get' | 'list'>;
  plans: Pick<Plans, 'list'>;
  deletion: Pick<AccountDeletion, 'receipt'>;
  usage: Usage;
  operatorSessions: OperatorSessions;
  /** Opens `/v1/operator` and the operator's side of the dashboard */
  operatorKey: string;
  apiKeys: ApiKeys;
  uploads: Uploads;
  enhancements: Enhancements;
  changes: Pick<Changes, 'listSince'>;
  ledger: CreditLedger;
  accountChanges: AccountChanges;
  audit: AuditLog;
  webhookEndpoints: WebhookEndpoints;
  deliveries: Deliveries;
  stagedFiles: StagedFiles;
  uploadStarts: UploadStarts;
  uploadPasswords: UploadPasswords;
  idempotencyKeys: Pick<IdempotencyKeys, 'claim'>;
  hostedEvents: Pick<HostedEvents, 'keep' | 'drop'>;
  hostedIds: Pick<HostedIds, 'find'>;
  sessions: Sessions;
  signInLinks: SignInLinks;
  /** Folder of the built dashboard; see scripts/build-dashboard.mjs */
  dashboardFolder: string;
  /** Origins of signed addresses of uploads, besides the gateway's own */
  uploadOrigins?: readonly string[];
  /** Address of the Temporal Web UI, where there is one */
  temporalUi?: { url: string; namespace: string } | undefined;
  /** Adds a pass to a path of the embedded server's Web UI; absent where there is none */
  admitToTemporalUi?: ((path: string) => string) | undefined;
  /** Answers a request of Temporal's remote codec protocol. @throws ZodError for a body of another form */
  decodePayloads: (body: unknown) => object;
  listen: Database['listen'];
  storage: ObjectStore;
  signer: UrlSigner;
  previewEngine: PreviewEngine;
  estimatePdf: EstimatePdf;
  detectMediaType: DetectMediaType;
  assertAllowedUrl: SafeFetch['assertAllowedUrl'];
  assertAllowedEndpoint: SafeFetch['assertAllowedEndpoint'];
  ready: () => Promise<Readiness>;
  /** Connections that wait to be taken, where a server takes them */
  acceptQueue?: Pick<AcceptQueue, 'inARow'>;
  /** Aborted when the gateway begins to close: streams end, `/readyz` answers 503 */
  closing: AbortSignal;
  /** Bounds that differ from `GATEWAY_LIMITS` */
  limits?: Partial<GatewayLimits>;
}

/** The hosted service, as the gateway is configured for it. */
export interface HostedSettings {
  /** For requests that choose nothing */
  policy: HostedPolicy;
  /** Last part of the address for its webhooks; null: no webhooks are received */
  webhookToken: string | null;
  /** Secret of their signatures; null: the token alone protects the address */
  webhookSecret: string | null;
  /** Header with a hex HMAC-SHA256, in lower case */
  signatureHeader: string;
}

export interface GatewayLimits {
  /** Requests a minute of one account; null: as many as its plan says */
  requestsPerAccount: number | null;
  /** Requests a minute with the operator's key */
  operatorRequests: number;
  /** Requests a minute from one address that fail to authenticate */
  failedAuthentications: number;
  /** Attempts to sign in a minute from one address */
  signIns: number;
  /** Event streams that one API key may have open at once */
  streamsPerKey: number;
  /** Requests of one API key that may wait for their result at once */
  waitsPerKey: number;
  /** Uploads that the gateway takes in at once; more are refused before their bodies are read. See `AdmissionLimits` */
  uploadsAtOnce: number;
  /** Longest wait of an upload to be taken in */
  placeWaitMs: number;
  /** Longest time of a GraphQL document */
  graphqlMs: number;
  /** Longest wait of a command for a worker */
  commandWaitMs: number;
  /** A comment keeps an event stream alive this often */
  streamHeartbeatMs: number;
  /** A reader of events that reads nothing for this long is disconnected */
  streamStallMs: number;
  /** A lost change notification delays a reader by no more than this */
  changePollMs: number;
  /** Interval between two reads of the progress of watched work */
  progressIntervalMs: number;
}

export const GATEWAY_LIMITS: GatewayLimits = {
  requestsPerAccount: null,
  operatorRequests: 6000,
  failedAuthentications: 60,
  signIns: 30,
  streamsPerKey: 20,
  waitsPerKey: 20,
  uploadsAtOnce: 100,
  placeWaitMs: 500,
  graphqlMs: 30_000,
  commandWaitMs: 10_000,
  streamHeartbeatMs: 15_000,
  streamStallMs: 30_000,
  changePollMs: 5000,
  progressIntervalMs: 500,
};
