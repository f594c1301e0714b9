import { z } from 'zod';
import { PLAN_ID } from '@burnish/contract';
import { hostedConfig, hostedProblems, hostedSettings, number } from './config-hosted.ts';
import { localUrl } from '../domain/local-url.ts';
import { StartupError } from '../domain/startup-error.ts';

const EXAMPLE = 'change-me-';

const port = (fallback: number) => number().int().min(1).max(65_535).default(fallback);

/** Pages and the header `Location` name paths from the root, so the gateway needs a host name of its own. */
const isOrigin = (text: string): boolean => !URL.canParse(text) || new URL(text).href === `${new URL(text).origin}/`;

/** One to ten keys. */
const KEYS = /^[\w+/-]{43}=?(,[\w+/-]{43}=?){0,9}$/;

/** All settings of Burnish: name in the environment, bounds, default, and description. */
export const settings = {
  BURNISH_PORT: port(3000).describe('Port of the gateway'),
  BURNISH_HOST: z.string().min(1).default('127.0.0.1').describe('Address that the gateway listens on'),
  BURNISH_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .refine(isOrigin, 'has a scheme, a host name and a port only, such as https://burnish.example.com')
    .optional()
    .describe('Public URL of the gateway; default: from host and port'),
  BURNISH_TRUSTED_PROXIES: number()
    .int()
    .min(0)
    .max(10)
    .default(0)
    .describe('Trusted proxies in front of the gateway, which set X-Forwarded-For'),
  BURNISH_CONNECTIONS_PER_ADDRESS: number()
    .int()
    .min(1)
    .max(5000)
    .default(1000)
    .describe('Parallel connections of one IP address; applies without trusted proxies, and not to this machine'),
  BURNISH_HALF_OPEN_PER_ADDRESS: number()
    .int()
    .min(1)
    .max(5000)
    .default(100)
    .describe('Connections of one IP address without a complete request; above the limit, the oldest is closed'),
  BURNISH_UPLOAD_FLOOR: number()
    .int()
    .min(0)
    .max(1_000_000)
    .default(1000)
    .describe('Bytes a second that the body of a request needs on average; with 0, one byte a minute is enough'),
  BURNISH_DATA_DIR: z.string().min(1).default('.burnish').describe('Folder of all data'),
  BURNISH_ENCRYPTION_KEY: z
    .string()
    .regex(KEYS, 'has keys of 32 bytes in base64, separated by commas: openssl rand -base64 32')
    .optional()
    .describe(
      'Keys for payloads and stored secrets: the first encrypts, all decrypt; default: generated in the data folder',
    ),
  BURNISH_PAYLOAD_ENCRYPTION: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Whether Temporal payloads are encrypted, and unencrypted payloads are refused'),
  BURNISH_SEARCH_NAMES: z
    .enum(['on', 'off'])
    .default('off')
    .describe('Whether Temporal stores file names unencrypted, so that its Web UI lists and finds them'),
  BURNISH_BOOTSTRAP_API_KEY: z
    .string()
    .min(16)
    .max(200)
    .optional()
    .describe('API key of the default account; generated and printed once when absent'),
  BURNISH_OPERATOR_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{16,200}$/, 'has 16 to 200 visible ASCII characters')
    .optional()
    .describe('Key of the operator for /v1/operator and the dashboard; generated and printed once when absent'),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('URL of PostgreSQL; default: an embedded database in the data folder'),
  BURNISH_STORAGE: z
    .string()
    .min(1)
    .optional()
    .describe('`file:` path for files, or `s3://bucket/prefix` (service by AWS_*); default: in the data folder'),
  BURNISH_STORAGE_ACCEPT: z
    .string()
    .regex(/^[0-9a-f]{16}$/, 'is the id that a waiting start prints')
    .optional()
    .describe('Id of the storage to replace with BURNISH_STORAGE; a waiting start prints it; works once'),
  BURNISH_STORAGE_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Public URL of the S3 service; default: the endpoint that Burnish uses'),
  BURNISH_STORAGE_PATH_STYLE: z
    .enum(['true', 'false'])
    .optional()
    .describe('Whether S3 URLs contain the bucket in their path; default: true with AWS_ENDPOINT_URL(_S3)'),
  BURNISH_ENGINE_TIER: z
    .enum(['fine', 'fast', 'plain'])
    .default('fine')
    .describe('Best tier of this instance; `fast` and `plain` save CPU time'),
  BURNISH_SANDBOX: z
    .enum(['auto', 'required', 'off'])
    .default('auto')
    .describe('Isolation of decoders: the strongest available, required kernel isolation, or none'),
  BURNISH_TESSERACT: z
    .string()
    .regex(/^(\/.+|[\w.-]+)$/, 'is a name on PATH, an absolute path, or off')
    .default('tesseract')
    .describe('Tesseract program that reads the text of scans: a name or an absolute path; `off` for none'),
  BURNISH_ALLOWED_PRIVATE_HOSTS: z
    .string()
    .default('')
    .describe('Private hosts in URLs of callers (host or host:port, separated by commas); not for the hosted service'),
  ...hostedSettings,
  BURNISH_PLAN: z
    .string()
    .regex(PLAN_ID, 'is the id of a plan, such as BUSINESS')
    .optional()
    .describe('Plan of the default account, set at each start; default: no change, initially FREE'),
  BURNISH_CREDITS_PER_PERIOD: number()
    .int()
    .min(0)
    .max(1_000_000_000)
    .optional()
    .describe('Monthly credits of the default account, set at each start; default: no change, initially by plan'),
  BURNISH_TEMPORAL_BINARY: z
    .string()
    .startsWith('/', 'is an absolute path')
    .optional()
    .describe('Path of a Temporal CLI for the embedded server; default: a pinned download'),
  BURNISH_TEMPORAL_PORT: port(7233).describe('Port of the embedded Temporal server'),
  BURNISH_TEMPORAL_SYNCHRONOUS: z
    .enum(['NORMAL', 'FULL'])
    .default('NORMAL')
    .describe('SQLite synchronous mode of the embedded Temporal server; FULL survives a power loss, and is slower'),
  BURNISH_TEMPORAL_UI_PORT: port(8233).describe('Port of the embedded Temporal Web UI'),
  BURNISH_WORKER_DEPLOYMENT: z
    .string()
    .regex(/^[\w-]{1,100}$/, 'has 1 to 100 letters, digits, _ or -')
    .optional()
    .describe('Worker deployment in Temporal; with it, a build gets work after `burnish workers promote` only'),
  BURNISH_TEMPORAL_UI_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('URL of the Temporal Web UI for links in the dashboard; default: the embedded server'),
  BURNISH_METRICS_TOKEN: z
    .string()
    .regex(/^[\w.~+/=-]{16,200}$/, 'has 16 to 200 letters, digits or . _ ~ + / = -')
    .optional()
    .describe('Bearer token for /metrics; without it, only BURNISH_METRICS_PORT on this machine shows metrics'),
  BURNISH_METRICS_PORT: number()
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe('Port for /metrics, /healthz and /readyz of this process; none when absent'),
  BURNISH_METRICS_HOST: z.string().min(1).default('127.0.0.1').describe('Address on which the metrics port listens'),
  BURNISH_TEMPORAL_METRICS_ADDRESS: z
    .string()
    .regex(/^([\d.]+|\[[\da-fA-F:]+\]):\d{1,5}$/, 'is an IP address and a port, such as 127.0.0.1:9465')
    .optional()
    .describe('Address for public metrics of the Temporal SDK; none when absent'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('URL of an OTLP/HTTP collector for traces; without it, nothing is traced'),
  OTEL_TRACES_SAMPLER_ARG: number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Share of new traces that are recorded, 0 to 1; a request with `traceparent` decides for itself'),
  BURNISH_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .describe('Minimum level of log lines, written to standard error as JSON'),
};

/** Settings of commands that call an instance. The instance itself ignores them. */
const CLIENT_SETTINGS = ['BURNISH_URL', 'BURNISH_API_KEY'];

const schema = z.object(settings);

export type Config = ReturnType<typeof readConfig>;

/**
 * Reads the settings; `TEMPORAL_*` follow the rules of the Temporal SDK.
 * @throws StartupError that names every wrong setting at once
 */
export function readConfig(environment: Record<string, string | undefined>) {
  const known = [...Object.keys(settings), ...CLIENT_SETTINGS];
  // In shells and compose files, an empty value means "not set".
  const given = Object.fromEntries(
    known.map((name) => [name, environment[name] === '' ? undefined : environment[name]]),
  );
  const parsed = schema.safeParse(given);
  const unknown = Object.keys(environment).filter((name) => name.startsWith('BURNISH_') && !known.includes(name));
  const problems = [
    ...hostedProblems(given),
    ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`),
    ...unknown.map((name) => `${name}: unknown setting`),
  ];
  if (!parsed.success || problems.length > 0) {
    throw new StartupError(`Invalid settings:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
  const s = parsed.data;
  return {
    port: s.BURNISH_PORT,
    host: s.BURNISH_HOST,
    publicUrl: s.BURNISH_PUBLIC_URL?.replace(/\/$/, '') ?? localUrl(s.BURNISH_HOST, s.BURNISH_PORT),
    trustedProxies: s.BURNISH_TRUSTED_PROXIES,
    connections: {
      connectionsPerAddress: s.BURNISH_CONNECTIONS_PER_ADDRESS,
      halfOpenPerAddress: s.BURNISH_HALF_OPEN_PER_ADDRESS,
    },
    uploadFloor: s.BURNISH_UPLOAD_FLOOR,
    dataDir: s.BURNISH_DATA_DIR,
    encryptionKey: s.BURNISH_ENCRYPTION_KEY ?? null,
    payloadEncryption: s.BURNISH_PAYLOAD_ENCRYPTION,
    searchNames: s.BURNISH_SEARCH_NAMES === 'on',
    bootstrapApiKey: s.BURNISH_BOOTSTRAP_API_KEY ?? null,
    databaseUrl: s.DATABASE_URL ?? null,
    storage: s.BURNISH_STORAGE ?? `file:${s.BURNISH_DATA_DIR}/files`,
    acceptedStorage: s.BURNISH_STORAGE_ACCEPT ?? null,
    storagePublicUrl: s.BURNISH_STORAGE_PUBLIC_URL ?? null,
    storagePathStyle: s.BURNISH_STORAGE_PATH_STYLE === undefined ? null : s.BURNISH_STORAGE_PATH_STYLE === 'true',
    engineTier: s.BURNISH_ENGINE_TIER,
    sandbox: s.BURNISH_SANDBOX,
    tesseract: s.BURNISH_TESSERACT,
    allowedPrivateHosts: s.BURNISH_ALLOWED_PRIVATE_HOSTS,
    provider: s.BURNISH_PROVIDER,
    hosted: hostedConfig(s),
    plan: s.BURNISH_PLAN ?? null,
    creditsPerPeriod: s.BURNISH_CREDITS_PER_PERIOD ?? null,
    operatorKey: s.BURNISH_OPERATOR_KEY ?? null,
    temporalBinary: s.BURNISH_TEMPORAL_BINARY ?? null,
    temporalPort: s.BURNISH_TEMPORAL_PORT,
    temporalUiPort: s.BURNISH_TEMPORAL_UI_PORT,
    temporalSynchronous: s.BURNISH_TEMPORAL_SYNCHRONOUS,
    workerDeployment: s.BURNISH_WORKER_DEPLOYMENT ?? null,
    temporalUiUrl: s.BURNISH_TEMPORAL_UI_URL?.replace(/\/$/, '') ?? null,
    metricsToken: s.BURNISH_METRICS_TOKEN ?? null,
    metricsPort: s.BURNISH_METRICS_PORT ?? null,
    metricsHost: s.BURNISH_METRICS_HOST,
    temporalMetricsAddress: s.BURNISH_TEMPORAL_METRICS_ADDRESS ?? null,
    tracing: s.OTEL_EXPORTER_OTLP_ENDPOINT === undefined ? null : { share: s.OTEL_TRACES_SAMPLER_ARG },
    logLevel: s.BURNISH_LOG_LEVEL,
  };
}

export function describeSettings(): string {
  return Object.entries(settings)
    .map(([name, setting]) => `  ${name.padEnd(30)} ${setting.description ?? ''}`)
    .join('\n');
}

/** @throws StartupError that names each setting that still has the example's secret */
export function refuseExampleSecrets(environment: Record<string, string | undefined>): void {
  const names = Object.keys(environment).filter((name) => environment[name]?.includes(EXAMPLE));
  if (names.length === 0) return;
  throw new StartupError(
    `${names.join(', ')}: this secret is the public example in deploy/example.env. ` +
      'Generate a new secret, for example with `openssl rand -hex 24`.',
  );
}
