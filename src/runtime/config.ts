import { z } from 'zod';
import { hostedConfig, hostedProblems, hostedSettings, number } from './config-hosted.ts';
import { PLAN_ID } from '../domain/accounts/account.ts';
import { StartupError } from '../domain/startup-error.ts';

/** Prefix of each secret in `deploy/example.env`. */
const EXAMPLE = 'change-me-';

const port = (fallback: number) => number().int().min(1).max(65_535).default(fallback);

/** One to ten keys. */
const KEYS = /^[\w+/-]{43}=?(,[\w+/-]{43}=?){0,9}$/;

/** All settings of Burnish: name in the environment, bounds, default, and description. */
export const settings = {
  BURNISH_PORT: port(3000).describe('Port of the gateway'),
  BURNISH_HOST: z.string().min(1).default('127.0.0.1').describe('Address that the gateway listens on'),
  BURNISH_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address under which callers reach the gateway; default: from host and port'),
  BURNISH_TRUSTED_PROXIES: number()
    .int()
    .min(0)
    .max(10)
    .default(0)
    .describe('Proxies between callers and gateway, whose X-Forwarded-For is believed'),
  BURNISH_CONNECTIONS_PER_ADDRESS: number()
    .int()
    .min(1)
    .max(5000)
    .default(1000)
    .describe('Connections of one address at once; without trusted proxies, and not for addresses of this machine'),
  BURNISH_HALF_OPEN_PER_ADDRESS: number()
    .int()
    .min(1)
    .max(5000)
    .default(100)
    .describe('Connections of one address without a whole request; beyond, the oldest is closed'),
  BURNISH_DATA_DIR: z.string().min(1).default('.burnish').describe('Folder of everything that is kept'),
  BURNISH_ENCRYPTION_KEY: z
    .string()
    .regex(KEYS, 'has keys of 32 bytes in base64, separated by commas: openssl rand -base64 32')
    .optional()
    .describe(
      'Keys that encrypt payloads and stored secrets: the first encrypts, all decrypt; default: made in the data folder',
    ),
  BURNISH_PAYLOAD_ENCRYPTION: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Whether payloads at Temporal are encrypted and plain ones refused'),
  BURNISH_BOOTSTRAP_API_KEY: z
    .string()
    .min(16)
    .max(200)
    .optional()
    .describe('API key of the default account; made and printed once when absent'),
  BURNISH_OPERATOR_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{16,200}$/, 'has 16 to 200 visible ASCII characters')
    .optional()
    .describe('Key of the operator for /v1/operator and the dashboard; made and printed once when absent'),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('PostgreSQL; an embedded database in the data folder when absent'),
  BURNISH_STORAGE: z
    .string()
    .min(1)
    .optional()
    .describe('`file:` path for files, or `s3://bucket/prefix` (service by AWS_*); default: in the data folder'),
  BURNISH_STORAGE_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address under which callers reach the S3 service; default: the one that we use'),
  BURNISH_STORAGE_PATH_STYLE: z
    .enum(['true', 'false'])
    .optional()
    .describe('Whether buckets stand in the path of addresses; default: true where AWS_ENDPOINT_URL(_S3) is set'),
  BURNISH_ENGINE_TIER: z
    .enum(['fine', 'fast', 'plain'])
    .default('fine')
    .describe('Best tier that images are enlarged by here; `fast` and `plain` save CPU time'),
  BURNISH_SANDBOX: z
    .enum(['auto', 'required', 'off'])
    .default('auto')
    .describe('Walls around decoders: the strongest there are, a start only with walls of the kernel, or none'),
  BURNISH_ALLOWED_PRIVATE_HOSTS: z
    .string()
    .default('')
    .describe('Private hosts (host or host:port, separated by commas) that callers may name; never the hosted service'),
  ...hostedSettings,
  BURNISH_PLAN: z
    .string()
    .regex(PLAN_ID, 'is the id of a plan, such as BUSINESS')
    .optional()
    .describe('Plan of the default account at each start; without it, the plan it has, which is FREE at first'),
  BURNISH_CREDITS_PER_PERIOD: number()
    .int()
    .min(0)
    .max(1_000_000_000)
    .optional()
    .describe(
      'Credits of the default account each calendar month, at each start; without it, those it has or its plan gives',
    ),
  BURNISH_TEMPORAL_PORT: port(7233).describe('Port of the embedded Temporal server'),
  BURNISH_TEMPORAL_SYNCHRONOUS: z
    .enum(['NORMAL', 'FULL'])
    .default('NORMAL')
    .describe(
      'What a commit of the embedded Temporal server waits for; FULL survives the loss of power, and costs speed',
    ),
  BURNISH_TEMPORAL_UI_PORT: port(8233).describe('Port of the embedded Temporal Web UI'),
  BURNISH_TEMPORAL_UI_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address of the Temporal Web UI, for links of the dashboard; default: that of the embedded server'),
  BURNISH_METRICS_TOKEN: z
    .string()
    .regex(/^[\w.~+/=-]{16,200}$/, 'has 16 to 200 letters, digits or . _ ~ + / = -')
    .optional()
    .describe('Bearer token that reads /metrics; without one they are for programs on this machine'),
  BURNISH_METRICS_PORT: number()
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe('Port that serves /metrics of any process, workers too; none when absent'),
  BURNISH_METRICS_HOST: z.string().min(1).default('127.0.0.1').describe('Address that this port listens on'),
  BURNISH_TEMPORAL_METRICS_ADDRESS: z
    .string()
    .regex(/^([\d.]+|\[[\da-fA-F:]+\]):\d{1,5}$/, 'is an IP address and a port, such as 127.0.0.1:9465')
    .optional()
    .describe('Address that serves the metrics of the Temporal SDK itself, to everybody; none when absent'),
  BURNISH_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .describe('Least level of log lines, which go to standard error as JSON'),
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
    ...unknown.map((name) => `${name}: there is no such setting`),
  ];
  if (!parsed.success || problems.length > 0) {
    throw new StartupError(`Wrong settings:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
  const s = parsed.data;
  return {
    port: s.BURNISH_PORT,
    host: s.BURNISH_HOST,
    publicUrl: (s.BURNISH_PUBLIC_URL ?? `http://${s.BURNISH_HOST}:${s.BURNISH_PORT}`).replace(/\/$/, ''),
    trustedProxies: s.BURNISH_TRUSTED_PROXIES,
    connections: {
      connectionsPerAddress: s.BURNISH_CONNECTIONS_PER_ADDRESS,
      halfOpenPerAddress: s.BURNISH_HALF_OPEN_PER_ADDRESS,
    },
    dataDir: s.BURNISH_DATA_DIR,
    encryptionKey: s.BURNISH_ENCRYPTION_KEY ?? null,
    payloadEncryption: s.BURNISH_PAYLOAD_ENCRYPTION,
    bootstrapApiKey: s.BURNISH_BOOTSTRAP_API_KEY ?? null,
    databaseUrl: s.DATABASE_URL ?? null,
    storage: s.BURNISH_STORAGE ?? `file:${s.BURNISH_DATA_DIR}/files`,
    storagePublicUrl: s.BURNISH_STORAGE_PUBLIC_URL ?? null,
    storagePathStyle: s.BURNISH_STORAGE_PATH_STYLE === undefined ? null : s.BURNISH_STORAGE_PATH_STYLE === 'true',
    engineTier: s.BURNISH_ENGINE_TIER,
    sandbox: s.BURNISH_SANDBOX,
    allowedPrivateHosts: s.BURNISH_ALLOWED_PRIVATE_HOSTS,
    provider: s.BURNISH_PROVIDER,
    hosted: hostedConfig(s),
    plan: s.BURNISH_PLAN ?? null,
    creditsPerPeriod: s.BURNISH_CREDITS_PER_PERIOD ?? null,
    operatorKey: s.BURNISH_OPERATOR_KEY ?? null,
    temporalPort: s.BURNISH_TEMPORAL_PORT,
    temporalUiPort: s.BURNISH_TEMPORAL_UI_PORT,
    temporalSynchronous: s.BURNISH_TEMPORAL_SYNCHRONOUS,
    temporalUiUrl: s.BURNISH_TEMPORAL_UI_URL?.replace(/\/$/, '') ?? null,
    metricsToken: s.BURNISH_METRICS_TOKEN ?? null,
    metricsPort: s.BURNISH_METRICS_PORT ?? null,
    metricsHost: s.BURNISH_METRICS_HOST,
    temporalMetricsAddress: s.BURNISH_TEMPORAL_METRICS_ADDRESS ?? null,
    logLevel: s.BURNISH_LOG_LEVEL,
  };
}

/** One line per setting, for `--help`. */
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
    `${names.join(', ')}: this secret is the public example of deploy/example.env. ` +
      'Make another one, for example with `openssl rand -hex 24`.',
  );
}
