import type { Config } from '../config.ts';
import type { Stack, StackOptions } from './stack.ts';

/** Tells the person who started it where everything is and, at the first start only, the first API key. */
export function printWelcome(
  { ground, temporal }: Stack,
  { publicUrl }: Config,
  { gateway, workers }: Pick<StackOptions, 'gateway' | 'workers'>,
): void {
  const { apiKey, account } = ground.first;
  const lines = [
    '',
    'Burnish is up.',
    '',
    ...(gateway ? [`  Gateway       ${publicUrl}`, `  API docs      ${publicUrl}/docs`] : []),
    ...(workers.length > 0 ? [`  Workers       ${workers.join(', ')}`] : []),
    ...(temporal.uiUrl === undefined ? [] : [`  Temporal UI   ${temporal.uiUrl}`]),
    `  Data          ${ground.dataDir}`,
    '',
    ...(apiKey === null
      ? []
      : [
          `  API key       ${apiKey}`,
          `  Webhooks      ${account.webhookSecret}`,
          '',
          '  Keep both: the key for the header x-api-key, and the secret to verify what arrives at',
          '  your webhookUrl. They are shown this once.',
          '',
        ]),
    'Ctrl-C stops it.',
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
