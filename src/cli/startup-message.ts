import { FIRST_LINK_MS, signInUrl } from '../api/commands/operator-commands.ts';
import type { Config } from '../runtime/config.ts';
import type { FirstAccount, Stack, StackOptions } from '../runtime/stack.ts';

const LINK_HINT = '                Signs you in, once and within the hour; `npx burnish dashboard` prints another.';

/** Prints the addresses of the instance and, at the first start only, its secrets. */
export function printStartupMessage(
  { services, temporal, first }: Stack,
  { publicUrl }: Config,
  { gateway, workers }: Pick<StackOptions, 'gateway' | 'workers'>,
  signInLink: string | undefined,
): void {
  const lines = [
    '',
    'Burnish is up.',
    '',
    ...(gateway
      ? [
          `  Dashboard     ${signInLink ?? publicUrl}`,
          ...(signInLink === undefined ? [] : [LINK_HINT, '']),
          `  Gateway       ${publicUrl}`,
          `  API docs      ${publicUrl}/docs`,
          `  GraphiQL      ${publicUrl}/graphiql`,
        ]
      : []),
    ...(workers.length > 0 ? [`  Workers       ${workers.join(', ')}`] : []),
    ...(temporal.uiUrl === undefined ? [] : [`  Temporal UI   ${temporal.uiUrl}`]),
    `  Data          ${services.dataDir}`,
    '',
    ...firstSecrets(first),
    'Ctrl-C stops it.',
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** The secrets that this start created. Burnish shows them once, and never a key that the operator chose. */
export function firstSecrets({ apiKey, account, isNew }: FirstAccount): string[] {
  if (!isNew) return [];
  const webhooks = `  Webhooks      ${account.webhookSecret}`;
  if (apiKey === null) {
    return [webhooks, '', '  Keep it, to verify what arrives at your webhookUrl. It is shown this once.', ''];
  }
  return [
    `  API key       ${apiKey}`,
    webhooks,
    '',
    '  Keep both: the key for the header x-api-key, and the secret to verify what arrives at',
    '  your webhookUrl. They are shown this once.',
    '',
  ];
}

/**
 * The dashboard sign-in link that a start prints until a person has used one, so that a newcomer copies no key. There is
 * none if the operator chose the first key: the output of such instances is often stored.
 */
export async function firstSignInLink(
  { services: { signInLinks }, first: { account } }: Pick<Stack, 'services' | 'first'>,
  { publicUrl, bootstrapApiKey }: Pick<Config, 'publicUrl' | 'bootstrapApiKey'>,
): Promise<string | undefined> {
  if (bootstrapApiKey !== null || (await signInLinks.wasUsed(account.id))) return undefined;
  const { token } = await signInLinks.create(account.id, FIRST_LINK_MS);
  return signInUrl(publicUrl, token);
}
