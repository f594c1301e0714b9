import { and, asc, eq, gt, isNull, lte } from 'drizzle-orm';
import { OPERATOR } from '../../domain/accounts/audit.ts';
import { SCOPES } from '../../domain/accounts/scopes.ts';
import { createApiKeys } from './api-keys.ts';
import { createAuditLog } from './audit-log.ts';
import type { Database, Orm } from '../database.ts';
import { apiKeys } from '../schema/accounts.ts';
import { signInLinks } from '../schema/sessions.ts';
import { createSessions, hashToken, newToken } from './sessions.ts';

/**
 * The key that links sign in with: one for an account, made when it is needed; deleting it ends what they began. A key of
 * that name that may not do everything, or not for ever, was made by somebody else for something else.
 */
const KEY_NAME = 'Dashboard';

export type SignInLinks = ReturnType<typeof createSignInLinks>;

/** Tokens that sign in once, for a person at the machine that Burnish runs on. */
export function createSignInLinks({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  return {
    /**
     * @param lifetimeMs how long it is good for, in milliseconds
     * @returns the token, which cannot be read again
     */
    async create(accountId: string, lifetimeMs: number): Promise<{ token: string; expiresAt: string }> {
      await orm.delete(signInLinks).where(lte(signInLinks.expiresAt, new Date(now()).toISOString()));
      const token = newToken();
      const expiresAt = new Date(now() + lifetimeMs).toISOString();
      await orm.insert(signInLinks).values({ hash: hashToken(token), accountId, expiresAt });
      return { token, expiresAt };
    },

    /** Whether somebody has come in by a link before. */
    async wasUsed(accountId: string): Promise<boolean> {
      return (await dashboardKey(orm, accountId)) !== undefined;
    },

    /**
     * Uses a token up for a session: of several at once, one gets it.
     * @returns the session's token and key; undefined for a token that was used, is too old, or never was
     * @throws Failure BAD_USER_INPUT when the account has no room for the key; the token stays good
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
    .where(
      and(
        eq(apiKeys.accountId, accountId),
        eq(apiKeys.name, KEY_NAME),
        eq(apiKeys.scopes, [...SCOPES]),
        isNull(apiKeys.expiresAt),
      ),
    )
    .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id))
    .limit(1);
  return key?.id;
}

/** The key's own text is dropped: nothing but its sessions can use it. */
async function makeKey(tx: Orm, accountId: string, now: () => number): Promise<string> {
  const { apiKey } = await createApiKeys({ orm: tx }, now).create(accountId, KEY_NAME);
  const entry = { accountId, action: 'api_key.create', subjectId: apiKey.id, details: { name: KEY_NAME } } as const;
  await createAuditLog({ orm: tx }, now).record({ ...OPERATOR, ...entry });
  return apiKey.id;
}
