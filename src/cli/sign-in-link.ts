import { FIRST_LINK_MS, signInUrl } from '../api/sessions/sign-in-url.ts';
import type { Config } from '../runtime/config.ts';
import type { Stack } from '../runtime/stack.ts';

/**
 * The link that a start prints until somebody has come in by one, so that a newcomer needs no key to copy. Not where the
 * operator chose the first key: whoever has that needs no link, and what such instances print is often kept.
 */
export async function firstSignInLink(
  { ground: { signInLinks }, first: { account } }: Pick<Stack, 'ground' | 'first'>,
  { publicUrl, bootstrapApiKey }: Pick<Config, 'publicUrl' | 'bootstrapApiKey'>,
): Promise<string | undefined> {
  if (bootstrapApiKey !== null || (await signInLinks.wasUsed(account.id))) return undefined;
  const { token } = await signInLinks.create(account.id, FIRST_LINK_MS);
  return signInUrl(publicUrl, token);
}
