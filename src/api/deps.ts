import type { Logger } from 'pino';
import type { ProviderName } from '../domain/upload.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import type { UrlSigner } from '../storage/signed-url.ts';
import type { Readiness } from './health.ts';
import type { ReadProgress } from './progress/heartbeats.ts';
import type {
  AccountChanges,
  Accounts,
  ApiKeys,
  AssertAllowedUrl,
  AssertAvailable,
  Changes,
  CreditLedger,
  Deliveries,
  DetectMediaType,
  Enhancements,
  IdempotencyKeys,
  Listen,
  StagedFiles,
  TemporalClient,
  Uploads,
  WebhookEndpoints,
} from './ports.ts';

/** What the gateway is made of. Times are in milliseconds. */
export interface GatewayDeps {
  /** Where callers reach the gateway, without a slash at its end, such as `http://127.0.0.1:3000` */
  publicUrl: string;
  /** Version of Burnish, for the description of the interface */
  version: string;
  /** Version of the engine that enhances */
  engineVersion: string;
  /** Who does the work of new uploads */
  provider: ProviderName;
  log: Logger;
  now: () => number;
  /** On a NativeConnection: starts are offered to a worker of this process, which the SDK refuses on any other */
  client: TemporalClient;
  /** See `createProgressReader` */
  readProgress: ReadProgress;
  accounts: Accounts;
  apiKeys: ApiKeys;
  uploads: Uploads;
  enhancements: Enhancements;
  changes: Changes;
  ledger: CreditLedger;
  accountChanges: AccountChanges;
  webhookEndpoints: WebhookEndpoints;
  deliveries: Deliveries;
  stagedFiles: StagedFiles;
  idempotencyKeys: IdempotencyKeys;
  listen: Listen;
  storage: ObjectStore;
  signer: UrlSigner;
  detectMediaType: DetectMediaType;
  assertAllowedUrl: AssertAllowedUrl;
  assertAllowedEndpoint: AssertAllowedUrl;
  assertAvailable: AssertAvailable;
  ready: () => Promise<Readiness>;
  /** Aborted when the gateway begins to close: streams end, `/readyz` says no */
  closing: AbortSignal;
  /** Bounds that differ from `GATEWAY_LIMITS` */
  limits?: Partial<GatewayLimits>;
}

export interface GatewayLimits {
  /** Requests a minute with one API key */
  requestsPerKey: number;
  /** Requests a minute from one address that failed to authenticate */
  failedAuthentications: number;
  /** Event streams that one API key may have open at once */
  streamsPerKey: number;
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
  streamsPerKey: 20,
  commandWaitMs: 10_000,
  streamHeartbeatMs: 15_000,
  streamStallMs: 30_000,
  changePollMs: 5000,
  progressIntervalMs: 500,
};
