import { z } from 'zod';
import { StartupError } from './domain/startup-error.ts';

const port = (fallback: number) => z.coerce.number().int().min(1).max(65_535).default(fallback);

/** Every setting of Burnish: its name in the environment, its bounds, its default, and a sentence about it. */
const settings = {
  BURNISH_PORT: port(3000).describe('Port of the gateway'),
  BURNISH_HOST: z.string().min(1).default('127.0.0.1').describe('Address that the gateway listens on'),
  BURNISH_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address under which callers reach the gateway; default: from host and port'),
  BURNISH_DATA_DIR: z.string().min(1).default('.burnish').describe('Folder of everything that is kept'),
  BURNISH_BOOTSTRAP_API_KEY: z
    .string()
    .min(16)
    .max(200)
    .optional()
    .describe('API key of the first account; made and printed once when absent'),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('PostgreSQL; an embedded database in the data folder when absent'),
  BURNISH_STORAGE: z.string().min(1).optional().describe('`file:` path for files; default: in the data folder'),
  BURNISH_ALLOWED_PRIVATE_HOSTS: z
    .string()
    .default('')
    .describe('Hosts (host or host:port, separated by commas) that may be reached although their address is private'),
  BURNISH_PLAN: z.enum(['FREE', 'BASIC', 'BUSINESS']).default('FREE').describe('Plan of the first account'),
  BURNISH_CREDITS_PER_PERIOD: z.coerce
    .number()
    .int()
    .min(0)
    .max(1_000_000_000)
    .default(1000)
    .describe('Credits that the first account gets each calendar month'),
  BURNISH_TEMPORAL_PORT: port(7233).describe('Port of the embedded Temporal server'),
  BURNISH_TEMPORAL_UI_PORT: port(8233).describe('Port of the embedded Temporal Web UI'),
  BURNISH_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .describe('Least level of log lines, which go to standard error as JSON'),
};

/** For commands that talk to an instance; the instance itself does not read them. */
const CLIENT_SETTINGS = ['BURNISH_URL', 'BURNISH_API_KEY'];

const schema = z.object(settings);

export type Config = ReturnType<typeof readConfig>;

/**
 * Reads the settings; `TEMPORAL_*` are read by the Temporal SDK's own rules.
 * @throws StartupError that names every wrong setting at once
 */
export function readConfig(environment: Record<string, string | undefined>) {
  const known = [...Object.keys(settings), ...CLIENT_SETTINGS];
  // An empty value is how shells and compose files spell "not set".
  const given = Object.fromEntries(
    known.map((name) => [name, environment[name] === '' ? undefined : environment[name]]),
  );
  const parsed = schema.safeParse(given);
  const unknown = Object.keys(environment).filter((name) => name.startsWith('BURNISH_') && !known.includes(name));
  const problems = [
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
    dataDir: s.BURNISH_DATA_DIR,
    bootstrapApiKey: s.BURNISH_BOOTSTRAP_API_KEY ?? null,
    databaseUrl: s.DATABASE_URL ?? null,
    storage: s.BURNISH_STORAGE ?? `file:${s.BURNISH_DATA_DIR}/files`,
    allowedPrivateHosts: s.BURNISH_ALLOWED_PRIVATE_HOSTS,
    plan: s.BURNISH_PLAN,
    creditsPerPeriod: s.BURNISH_CREDITS_PER_PERIOD,
    temporalPort: s.BURNISH_TEMPORAL_PORT,
    temporalUiPort: s.BURNISH_TEMPORAL_UI_PORT,
    logLevel: s.BURNISH_LOG_LEVEL,
  };
}

/** One line a setting, for `--help`. */
export function describeSettings(): string {
  return Object.entries(settings)
    .map(([name, setting]) => `  ${name.padEnd(30)} ${setting.description ?? ''}`)
    .join('\n');
}
