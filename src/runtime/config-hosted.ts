import { z } from 'zod';
import type { HostedPolicy } from '../domain/temporal/workflow-interface.ts';

export const number = () => z.coerce.number({ error: 'expected a number' });

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Milliseconds, from a text such as `90s`, `10m` or `24h`. */
const duration = (fallback: string) =>
  z
    .string()
    .regex(/^\d{1,6}[smhd]$/, 'expected a number with the unit s, m, h or d, such as 10m')
    .default(fallback)
    .transform((text) => Number(text.slice(0, -1)) * UNIT_MS[text.slice(-1) as keyof typeof UNIT_MS]);

export const hostedSettings = {
  BURNISH_PROVIDER: z
    .enum(['local', 'hosted'])
    .default('local')
    .describe('Default provider: the built-in engine or the hosted service'),
  BURNISH_HOSTED_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Base URL of the hosted service, without /graphql'),
  BURNISH_HOSTED_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{1,500}$/, 'expected 1 to 500 printable characters')
    .optional()
    .describe('API key for the hosted service'),
  BURNISH_HOSTED_PRIVATE_HOSTS: z
    .string()
    .default('')
    .describe('Private hosts of the hosted service, such as its storage; the service itself needs no entry'),
  BURNISH_HOSTED_WEBHOOK_TOKEN: z
    .string()
    .regex(/^[A-Za-z0-9_-]{16,200}$/, 'expected 16 to 200 letters, digits, - and _')
    .optional()
    .describe('Token in the URL of its webhooks, /webhooks/hosted/<token>; webhooks are refused when absent'),
  BURNISH_HOSTED_WEBHOOK_SECRET: z
    .string()
    .min(8)
    .max(500)
    .optional()
    .describe('Signing secret of its webhooks; signatures are required when set'),
  BURNISH_HOSTED_SIGNATURE_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,100}$/)
    .default('x-viesus-cloud-signature')
    .describe('Header with the signature as hex HMAC-SHA256; Standard Webhooks need no setting'),
  BURNISH_HOSTED_LOST_ANSWER: z
    .enum(['hold', 'repeat'])
    .default('hold')
    .describe('Policy for a lost response to a new enhancement: wait for approval, or repeat the request'),
  BURNISH_HOSTED_FALLBACK: z
    .enum(['none', 'local'])
    .default('none')
    .describe('Default fallback: the provider that takes over while the hosted service is unavailable'),
  BURNISH_HOSTED_FALLBACK_AFTER: duration('10m').describe('Time before the fallback takes over, such as 90s, 10m, 24h'),
  BURNISH_HOSTED_PARALLEL: number()
    .int()
    .min(1)
    .max(1000)
    .default(8)
    .describe('Parallel enhancements at the hosted service, over all workers'),
  BURNISH_HOSTED_RATE: number()
    .min(0.1)
    .max(1000)
    .default(10)
    .describe('Calls per second to the hosted service, over all workers'),
};

/** The URL of the hosted service, and the limits of its use. */
export interface HostedConfig {
  /** Without a slash at its end and without `/graphql` */
  url: string;
  apiKey: string;
  /** In the format of `parseAllowedHosts` */
  privateHosts: string;
  webhookToken: string | null;
  webhookSecret: string | null;
  /** In lower case */
  signatureHeader: string;
  parallel: number;
  callsPerSecond: number;
  policy: HostedPolicy;
}

/** Null without a hosted service. */
export function hostedConfig(s: z.infer<z.ZodObject<typeof hostedSettings>>): HostedConfig | null {
  if (s.BURNISH_HOSTED_URL === undefined || s.BURNISH_HOSTED_API_KEY === undefined) return null;
  return {
    url: s.BURNISH_HOSTED_URL.replace(/(\/+graphql)?\/*$/, ''),
    apiKey: s.BURNISH_HOSTED_API_KEY,
    privateHosts: s.BURNISH_HOSTED_PRIVATE_HOSTS,
    webhookToken: s.BURNISH_HOSTED_WEBHOOK_TOKEN ?? null,
    webhookSecret: s.BURNISH_HOSTED_WEBHOOK_SECRET ?? null,
    signatureHeader: s.BURNISH_HOSTED_SIGNATURE_HEADER.toLowerCase(),
    parallel: s.BURNISH_HOSTED_PARALLEL,
    callsPerSecond: s.BURNISH_HOSTED_RATE,
    policy: {
      lostAnswer: s.BURNISH_HOSTED_LOST_ANSWER,
      fallback: s.BURNISH_HOSTED_FALLBACK,
      fallbackAfterMs: s.BURNISH_HOSTED_FALLBACK_AFTER,
    },
  };
}

export function hostedProblems(given: Record<string, string | undefined>): string[] {
  const needed = ['BURNISH_HOSTED_URL', 'BURNISH_HOSTED_API_KEY'];
  const missing = needed.filter((name) => given[name] === undefined);
  const wanted = given['BURNISH_PROVIDER'] === 'hosted' || missing.length === 1;
  return wanted ? missing.map((name) => `${name}: expected, for the hosted service`) : [];
}
