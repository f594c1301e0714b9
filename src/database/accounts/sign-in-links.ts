import { and, asc, eq, gt, lte } from 'drizzle-orm';
import { OPERATOR } from '@burnish/contract';
import { createApiKeys } from './api-keys.ts';
import { createAuditLog } from './audit-log.ts';
import type { Database, Orm } from '../database.ts';
import { apiKeys } from '../schema/accounts.ts';
import { signInLinks } from '../schema/sessions.ts';
import { createSessions, hashToken, newToken } from './sessions.ts';

/**
 * Name of the internal key of sign-in sessions. Each account has at most one, created on demand; deleting it ends those
 * sessions.
 */
const KEY_NAME = 'Dashboard';

export type SignInLinks = ReturnType<typeof createSignInLinks>;

/** Single-use tokens that sign a person in, for a person at the machine that runs Burnish. */
export function createSignInLinks({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  return {
    /**
     * @param lifetimeMs lifetime in milliseconds
     * @returns the token, which cannot be read again
     */
    async create(accountId: string, lifetimeMs: number): Promise<{ token: string; expiresAt: string }> {
      await orm.delete(signInLinks).where(lte(signInLinks.expiresAt, new Date(now()).toISOString()));
      const token = newToken();
      const expiresAt = new Date(now() + lifetimeMs).toISOString();
      await orm.insert(signInLinks).values({ hash: hashToken(token), accountId, expiresAt });
      return { token, expiresAt };
    },

    async wasUsed(accountId: string): Promise<boolean> {
      return (await dashboardKey(orm, accountId)) !== undefined;
    },

    /**
     * Exchanges a token for a session. Of several concurrent calls, one succeeds.
     * @returns the session's token and key; undefined for a used, expired or unknown token
     * @throws Failure BAD_USER_INPUT when the account has no room for the key; the token remains valid
     */
    redeem(token: string): Promise<{ session: string; keyId: string; accountId: string } | undefined> {
      return orm.transaction(async (tx) => {
        const [link] = await tx
          .delete(signInLinks)
          .where(and(eq(signInLinks.hash, hashToken(token)), gt(signInLinks.expiresAt, new Date(now()).toISOString())))
          .returning();
        if (link === undefined) return undefined;
        const { accountId } = link;
        const keyId = (await dashboardKey(tx, accountId)) ?? (await makeKey(tx, accountId, now));
        return { session: await createSessions({ orm: tx }, now).open(keyId), keyId, accountId };
      });
    },
  };
}

async function dashboardKey(tx: Orm, accountId: string): Promise<string | undefined> {
  const [key] = await tx
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.accountId, accountId), eq(apiKeys.name, KEY_NAME), eq(apiKeys.internal, true)))
    .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id))
    .limit(1);
  return key?.id;
}

/** Creates the key and discards its text, so that only its sessions can use it. */
async function makeKey(tx: Orm, accountId: string, now: () => number): Promise<string> {
  const { apiKey } = await createApiKeys({ orm: tx }, now).create(accountId, KEY_NAME, { internal: true });
  const entry = { accountId, action: 'api_key.create', subjectId: apiKey.id, details: { name: KEY_NAME } } as const;
  await createAuditLog({ orm: tx }, now).record({ ...OPERATOR, ...entry });
  return apiKey.id;
}
