import { createHash, randomBytes } from 'node:crypto';
import { and, eq, getTableColumns, gt, lte, or } from 'drizzle-orm';
import { isOver, noteUse, STORED_BYTES, type ApiKeyHolder } from './api-keys.ts';
import type { Database } from '../database.ts';
import { accounts, apiKeys, plans } from '../schema/accounts.ts';
import { sessions } from '../schema/sessions.ts';

const DAY_MS = 86_400_000;
/** Idle time in milliseconds after which a session expires. */
const IDLE_MS = 7 * DAY_MS;
/** Maximum age of a session, even with continuous use. */
export const SESSION_MS = 30 * DAY_MS;
const SEEN_EVERY_MS = 60_000;
const TOKEN_BYTES = 32;

/** Creates a secret of 256 random bits for cookies and links. */
export const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');
/** The stored form of a token, in hex. See `hashApiKey` for the choice of a plain SHA-256. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

export type Sessions = ReturnType<typeof createSessions>;

/**
 * Sessions of the dashboard. A session belongs to an API key, has the powers of that key, and ends when the key is
 * deleted.
 */
export function createSessions({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  const iso = (ms: number): string => new Date(ms).toISOString();
  return {
    /** Opens a session. @returns the token for the cookie, which cannot be read again */
    async open(keyId: string): Promise<string> {
      const token = newToken();
      await orm
        .insert(sessions)
        .values({ hash: hashToken(token), keyId, createdAt: iso(now()), lastSeenAt: iso(now()) });
      return token;
    },

    /**
     * The account and key of a session; undefined if the token is unknown, or the session or its key has expired.
     * Records the use of the session and of its key, at most once a minute.
     */
    async authenticate(token: string, address?: string): Promise<ApiKeyHolder | undefined> {
      const hash = hashToken(token);
      const [found] = await orm
        .select({
          account: getTableColumns(accounts),
          plan: getTableColumns(plans),
          key: getTableColumns(apiKeys),
          session: sessions,
          storedBytes: STORED_BYTES,
        })
        .from(sessions)
        .innerJoin(apiKeys, eq(sessions.keyId, apiKeys.id))
        .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
        .innerJoin(plans, eq(plans.id, accounts.plan))
        .where(
          and(
            eq(sessions.hash, hash),
            gt(sessions.lastSeenAt, iso(now() - IDLE_MS)),
            gt(sessions.createdAt, iso(now() - SESSION_MS)),
          ),
        );
      if (found === undefined || isOver(found.key.expiresAt, now())) return undefined;
      const { keyId, lastSeenAt } = found.session;
      if (lastSeenAt <= iso(now() - SEEN_EVERY_MS)) {
        await orm
          .update(sessions)
          .set({ lastSeenAt: iso(now()) })
          .where(eq(sessions.hash, hash));
      }
      await noteUse(orm, found.key, { nowMs: now(), address });
      const { scopes, expiresAt } = found.key;
      return { account: found.account, plan: found.plan, keyId, scopes, expiresAt, storedBytes: found.storedBytes };
    },

    /** Ends a session; does nothing for a session that has ended. */
    async close(token: string): Promise<void> {
      await orm.delete(sessions).where(eq(sessions.hash, hashToken(token)));
    },

    async purge(): Promise<number> {
      const gone = await orm
        .delete(sessions)
        .where(or(lte(sessions.lastSeenAt, iso(now() - IDLE_MS)), lte(sessions.createdAt, iso(now() - SESSION_MS))))
        .returning({ keyId: sessions.keyId });
      return gone.length;
    },
  };
}
