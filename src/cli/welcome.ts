import type { Config } from '../runtime/config.ts';
import type { FirstAccount, Stack, StackOptions } from '../runtime/stack.ts';

const LINK_HINT = '                Signs you in, once and within the hour; `npx burnish dashboard` prints another.';

/** Tells the person who started it where everything is and, at the first start only, what nobody can read again. */
export function printWelcome(
  { ground, temporal, first }: Stack,
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
    `  Data          ${ground.dataDir}`,
    '',
    ...firstSecrets(first),
    'Ctrl-C stops it.',
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** What is shown once, at whichever start made it, and to nobody ever again; a key that the operator chose is not shown. */
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
