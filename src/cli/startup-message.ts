import { FIRST_LINK_MS, signInUrl } from '../api/operator/operator-commands.ts';
import { CODEC_ENDPOINT } from '../api/temporal-ui/temporal-ui-routes.ts';
import type { Config } from '../runtime/config.ts';
import type { DefaultAccount, Stack, StackOptions } from '../runtime/stack.ts';

const OPERATOR_HINT = '  The operator key manages accounts; `npx burnish operator-key` prints it again.';
const LINK_HINT = '                Valid once within an hour; `npx burnish dashboard` prints a new link.';

/** Prints the addresses of the instance and, at the first start only, its secrets. */
export function printStartupMessage(
  { services, temporal, initial, operatorKey, sandboxMissing }: Stack,
  config: Config,
  { gateway, workers }: Pick<StackOptions, 'gateway' | 'workers'>,
  signInLink: string | undefined,
): void {
  const { publicUrl } = config;
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
    ...(gateway && temporal.uiUrl === undefined ? codecEndpoint(config) : []),
    `  Data          ${services.dataDir}`,
    ...(sandboxMissing === null ? [] : ['', `  ${sandboxMissing}`]),
    '',
    ...firstSecrets(initial, operatorKey),
    'Ctrl-C stops it.',
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** How to read encrypted workflows of an external server; the Web UI of the embedded one is set already. */
function codecEndpoint({ publicUrl, payloadEncryption, temporalUiUrl }: Config): string[] {
  if (payloadEncryption === 'off') return [];
  return [
    `  Codec         ${publicUrl}${CODEC_ENDPOINT}`,
    '                Decodes workflows for operators. Enter it in the Temporal Web UI (glasses icon) with',
    '                "include cross-origin credentials", and sign in at the dashboard.',
    ...(temporalUiUrl === null ? ['                First set BURNISH_TEMPORAL_UI_URL to the URL of that Web UI.'] : []),
  ];
}

/**
 * The secrets that this start created. Burnish shows them once, and never a key that the operator chose: the output of instances
 * with a chosen key is often stored, so the operator's key is not in it either.
 */
export function firstSecrets(initial: DefaultAccount | null, operatorKey: string | null): string[] {
  if (!initial?.isNew) return [];
  const { apiKey, account } = initial;
  const webhooks = `  Webhooks      ${account.webhookSecret}`;
  if (apiKey === null) {
    return [webhooks, '', '  Keep it to verify webhooks at your webhookUrl. It is shown only once.', ''];
  }
  return [
    `  API key       ${apiKey}`,
    webhooks,
    ...(operatorKey === null ? [] : [`  Operator key  ${operatorKey}`]),
    '',
    '  Keep the API key for the header x-api-key, and the webhook secret to verify webhooks at',
    '  your webhookUrl. Both are shown only once.',
    ...(operatorKey === null ? [] : [OPERATOR_HINT]),
    '',
  ];
}

/**
 * The dashboard sign-in link that a start prints until a person has used one, so that a newcomer copies no key. There is
 * none if the operator chose the first key: the output of such instances is often stored.
 */
export async function firstSignInLink(
  { services, initial }: Pick<Stack, 'services' | 'initial'>,
  { publicUrl, bootstrapApiKey }: Pick<Config, 'publicUrl' | 'bootstrapApiKey'>,
): Promise<string | undefined> {
  const { signInLinks } = services.stores;
  if (bootstrapApiKey !== null || initial === null || (await signInLinks.wasUsed(initial.account.id))) return undefined;
  const { token } = await signInLinks.create(initial.account.id, FIRST_LINK_MS);
  return signInUrl(publicUrl, token);
}
