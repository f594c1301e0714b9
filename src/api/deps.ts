import type { TemporalUi, ProviderName, Fleet } from '@burnish/contract';
import type { Logger } from 'pino';
import type { HostedPolicy } from '../domain/temporal/workflow-interface.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import type { OpenAccountBucket } from '../storage/s3/account-bucket.ts';
import type { UrlSigner } from '../storage/signed-url.ts';
import type { CallerLimits } from './http/caller-limits.ts';
import type { Readiness } from './health/health-operations.ts';
import type { HttpMetrics } from './metrics/http-metrics.ts';
import type { MetricsDeps } from './metrics/metrics-operations.ts';
import type { ReadProgress } from './changes/progress-watch.ts';
import type { WorkersAway } from './health/workers-watch.ts';
import type { EstimatePdf, TemporalClient } from './commands/command-types.ts';
import type { SafeFetch } from '../net/safe-fetch.ts';
import type { Database } from '../database/database.ts';
import type { Stores } from '../database/stores.ts';
import type { DetectMediaType } from './uploads/receive/stage-file.ts';
import type { FindTextProgram } from './enhancements/check-enhancement-order.ts';
import type { PreviewEngine } from './previews/previews.ts';
import type { TrialEngine } from './trials/trials.ts';

/** The dependencies of the gateway. Times are in milliseconds. */
export interface GatewayDeps {
  stores: Stores;
  /** Base URL of the gateway for callers, without a trailing slash, such as `http://127.0.0.1:3000` */
  publicUrl: string;
  /** Number of trusted proxies between callers and the gateway, for `X-Forwarded-For` */
  trustedProxies?: number;
  /** Version of Burnish, for the OpenAPI description */
  version: string;
  engineVersion: string;
  /** Name of the sandbox of the decoders */
  sandbox: string;
  /** A sentence about what the decoders lack; null with the strongest sandbox */
  sandboxMissing: string | null;
  provider: ProviderName;
  /** Settings of the hosted service; null without one */
  hosted: HostedSettings | null;
  /** Whether lists of workflows show file names */
  searchNames: boolean;
  log: Logger;
  metrics: MetricsDeps & { http: HttpMetrics };
  now: () => number;
  /**
   * On a NativeConnection: starts are offered to a worker of this process, which the SDK refuses on any other
   * connection
   */
  client: TemporalClient;
  /** Kinds of workers that do not run; by default none is missing */
  workersAway?: () => WorkersAway;
  /** Whether a record of this time may be behind its workflow, so that open work waits; by default none is */
  mayBeBehind?: (createdAt: string) => boolean;
  /** The workers that Temporal knows */
  fleet?: () => Promise<Fleet>;
  readProgress: ReadProgress;
  /** Grants access to `/v1/operator` and the operator's pages of the dashboard */
  operatorKey: string;
  /** Folder of the built dashboard; see packages/dashboard/build.mjs */
  dashboardFolder: string;
  /** Folder of the built guide; see packages/guide/build.mjs */
  guideFolder: string;
  /** URL of the Temporal Web UI, if there is one */
  temporalUi?: TemporalUi | undefined;
  /** Adds a pass to a path of the embedded server's Web UI, which may have a query; absent without an embedded server */
  admitToTemporalUi?: ((to: string) => string) | undefined;
  /** Responds to a request of Temporal's remote codec protocol. @throws Failure BAD_USER_INPUT for a body of another form */
  decodePayloads: (body: unknown) => object;
  listen: Database['listen'];
  storage: ObjectStore;
  signer: UrlSigner;
  previewEngine: PreviewEngine;
  trialEngine: TrialEngine;
  estimatePdf: EstimatePdf;
  detectMediaType: DetectMediaType;
  assertAllowedUrl: SafeFetch['assertAllowedUrl'];
  assertAllowedEndpoint: SafeFetch['assertAllowedEndpoint'];
  textProgram: FindTextProgram;
  /** Opens buckets that the operator registered for accounts */
  openBucket: OpenAccountBucket;
  ready: () => Promise<Readiness>;
  /** One sentence while this process cannot serve; absent if it has no part that can end without it */
  failing?: () => string | undefined;
  /** Aborted when the gateway starts to close: streams end, `/readyz` returns 503 */
  closing: AbortSignal;
  /** Limits that differ from `GATEWAY_LIMITS` */
  limits?: Partial<GatewayLimits>;
}

export interface HostedSettings {
  /** Default policy of requests */
  policy: HostedPolicy;
  /** Last part of the URL for its webhooks; null: webhooks are disabled */
  webhookToken: string | null;
  /** Secret of their signatures; null: the token alone protects the URL */
  webhookSecret: string | null;
  /** Header with a hex HMAC-SHA256, in lower case */
  signatureHeader: string;
}

export interface GatewayLimits extends CallerLimits {
  streamsPerKey: number;
  waitsPerKey: number;
  /** Concurrent uploads; more are refused before their bodies are read. See `PermitLimits` */
  uploadsAtOnce: number;
  /** Maximum time that an upload waits for admission */
  permitWaitMs: number;
  /** See `BodyLimits` */
  bodyFloor: number;
  /** See `BodyLimits` */
  bodyPatienceMs: number;
  /** Maximum duration of a GraphQL document */
  graphqlMs: number;
  /** Trials of one account a minute */
  trialsPerMinute: number;
  /** Maximum time that a command waits for a worker */
  commandWaitMs: number;
  /** Maximum time that a request waits for its report; later requests get it */
  reportWaitMs: number;
  /** Interval of the comments that keep an event stream alive */
  streamHeartbeatMs: number;
  /** Time after which an event stream without reads is disconnected */
  streamStallMs: number;
  /** Interval of polling, which limits the delay after a lost change notification */
  changePollMs: number;
  /** Interval between two reads of a task's progress */
  progressIntervalMs: number;
}

export const GATEWAY_LIMITS: GatewayLimits = {
  requestsPerAccount: null,
  operatorRequests: 6000,
  failedAuthentications: 60,
  signIns: 30,
  streamsPerKey: 20,
  waitsPerKey: 20,
  uploadsAtOnce: 200,
  permitWaitMs: 500,
  bodyFloor: 1000,
  bodyPatienceMs: 30_000,
  graphqlMs: 30_000,
  trialsPerMinute: 60,
  commandWaitMs: 10_000,
  reportWaitMs: 20_000,
  streamHeartbeatMs: 15_000,
  streamStallMs: 30_000,
  changePollMs: 5000,
  progressIntervalMs: 500,
};
