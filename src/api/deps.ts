import type { Logger } from 'pino';
import type { ProviderName } from '../domain/upload/upload.ts';
import type { HostedPolicy } from '../domain/temporal/workflow-inputs.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import type { UrlSigner } from '../storage/signed-url.ts';
import type { Readiness } from './health/health-operations.ts';
import type { HttpMetrics } from './metrics/http-metrics.ts';
import type { MetricsDeps } from './metrics/metrics-operations.ts';
import type { RemoteEvents, RemoteIds } from './hosted-webhooks/ports.ts';
import type { ReadProgress } from './events/progress-watch.ts';
import type { WorkersAway } from './health/workers-watch.ts';
import type {
  AccountChanges,
  Accounts,
  ApiKeys,
  AssertAllowedUrl,
  AuditLog,
  Changes,
  CreditLedger,
  Deliveries,
  DetectMediaType,
  Enhancements,
  IdempotencyKeys,
  Listen,
  PreviewEngine,
  Sessions,
  SignInLinks,
  StagedFiles,
  TemporalClient,
  Uploads,
  WebhookEndpoints,
} from './ports.ts';
import type { UploadStarts } from './start-ports.ts';

/** What the gateway is made of. Times are in milliseconds. */
export interface GatewayDeps {
  /** Where callers reach the gateway, without a slash at its end, such as `http://127.0.0.1:3000` */
  publicUrl: string;
  /** Proxies between callers and us, whose `X-Forwarded-For` is believed */
  trustedProxies?: number;
  /** Version of Burnish, for the description of the interface */
  version: string;
  /** Version of the engine that enhances */
  engineVersion: string;
  /** What holds the decoders, as the sandbox names it */
  sandbox: string;
  /** Who does the work of new uploads that do not say */
  provider: ProviderName;
  /** How the hosted service is used; null where there is none */
  hosted: HostedSettings | null;
  log: Logger;
  metrics: MetricsDeps & { http: HttpMetrics };
  now: () => number;
  /** On a NativeConnection: starts are offered to a worker of this process, which the SDK refuses on any other */
  client: TemporalClient;
  /** Which workers nobody runs; by default none is missed */
  workersAway?: () => WorkersAway;
  /** See `createProgressReader` */
  readProgress: ReadProgress;
  accounts: Accounts;
  apiKeys: ApiKeys;
  uploads: Uploads;
  enhancements: Enhancements;
  changes: Changes;
  ledger: CreditLedger;
  accountChanges: AccountChanges;
  audit: AuditLog;
  webhookEndpoints: WebhookEndpoints;
  deliveries: Deliveries;
  stagedFiles: StagedFiles;
  uploadStarts: UploadStarts;
  idempotencyKeys: IdempotencyKeys;
  remoteEvents: Omit<RemoteEvents, 'purge'>;
  remoteIds: RemoteIds;
  sessions: Sessions;
  signInLinks: SignInLinks;
  /** Folder of the built dashboard; see scripts/build-dashboard.mjs */
  dashboardFolder: string;
  /** Origins that signed addresses of uploads lead to, besides the gateway's own */
  uploadOrigins?: readonly string[];
  /** Where operators look at workflows, when somebody serves that */
  temporalUi?: { url: string; namespace: string } | undefined;
  listen: Listen;
  storage: ObjectStore;
  signer: UrlSigner;
  previewEngine: PreviewEngine;
  detectMediaType: DetectMediaType;
  assertAllowedUrl: AssertAllowedUrl;
  assertAllowedEndpoint: AssertAllowedUrl;
  ready: () => Promise<Readiness>;
  /** Aborted when the gateway begins to close: streams end, `/readyz` says no */
  closing: AbortSignal;
  /** Bounds that differ from `GATEWAY_LIMITS` */
  limits?: Partial<GatewayLimits>;
}

/** What the gateway knows of the hosted service. */
export interface HostedSettings {
  /** Where a request does not say */
  policy: HostedPolicy;
  /** Last part of the address for its webhooks; null: none are taken */
  webhookToken: string | null;
  /** What they are signed with; null: the token has to do */
  webhookSecret: string | null;
  /** Header with a hex HMAC-SHA256, in lower case */
  signatureHeader: string;
}

export interface GatewayLimits {
  /** Requests a minute with one API key */
  requestsPerKey: number;
  /** Requests a minute from one address that failed to authenticate */
  failedAuthentications: number;
  /** Attempts to sign in a minute from one address */
  signIns: number;
  /** Event streams that one API key may have open at once */
  streamsPerKey: number;
  /** Requests of one API key that may wait for their result at once */
  waitsPerKey: number;
  /** Uploads that the gateway takes in at once; beyond, they are refused before anything of them is read */
  uploadsAtOnce: number;
  /** How long an upload waits for its place among these */
  placeWaitMs: number;
  /** How long a GraphQL document may take */
  graphqlMs: number;
  /** How long a command waits for a worker */
  commandWaitMs: number;
  /** A comment keeps an event stream alive this often */
  streamHeartbeatMs: number;
  /** A reader of events that takes nothing for this long is dropped */
  streamStallMs: number;
  /** A lost change notification delays a reader by no more than this */
  changePollMs: number;
  /** Running work that somebody watches is looked at this often */
  progressIntervalMs: number;
}

export const GATEWAY_LIMITS: GatewayLimits = {
  requestsPerKey: 6000,
  failedAuthentications: 60,
  signIns: 30,
  streamsPerKey: 20,
  waitsPerKey: 20,
  uploadsAtOnce: 200,
  placeWaitMs: 500,
  graphqlMs: 30_000,
  commandWaitMs: 10_000,
  streamHeartbeatMs: 15_000,
  streamStallMs: 30_000,
  changePollMs: 5000,
  progressIntervalMs: 500,
};
