import { and, eq, gt, lte, ne, or } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { operatorSessions } from '../schema/sessions.ts';
import { hashToken, newToken } from './sessions.ts';

/** Idle time in milliseconds after which a session of the operator expires. */
const IDLE_MS = 12 * 3_600_000;
/** Maximum age of a session, even with continuous use. */
const LONGEST_MS = 7 * 86_400_000;
const SEEN_EVERY_MS = 60_000;

export type OperatorSessions = ReturnType<typeof createOperatorSessions>;

/** Sessions of the operator at the dashboard. A change of the operator's key ends them. */
export function createOperatorSessions({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  const iso = (ms: number): string => new Date(ms).toISOString();
  return {
    /**
     * Opens a session. @param keyHash hex SHA-256 of the operator's key @returns the token for the cookie, which
     * cannot be read again
     */
    async open(keyHash: string): Promise<string> {
      const over = or(
        lte(operatorSessions.lastSeenAt, iso(now() - IDLE_MS)),
        lte(operatorSessions.createdAt, iso(now() - LONGEST_MS)),
        ne(operatorSessions.keyHash, keyHash),
      );
      await orm.delete(operatorSessions).where(over);
      const token = newToken();
      const at = iso(now());
      await orm.insert(operatorSessions).values({ hash: hashToken(token), keyHash, createdAt: at, lastSeenAt: at });
      return token;
    },

    /** Whether a token belongs to a valid session of this key. Records the use at most once a minute. */
    async isGood(token: string, keyHash: string): Promise<boolean> {
      const hash = hashToken(token);
      const [found] = await orm
        .select()
        .from(operatorSessions)
        .where(
          and(
            eq(operatorSessions.hash, hash),
            eq(operatorSessions.keyHash, keyHash),
            gt(operatorSessions.lastSeenAt, iso(now() - IDLE_MS)),
            gt(operatorSessions.createdAt, iso(now() - LONGEST_MS)),
          ),
        );
      if (found === undefined) return false;
      if (found.lastSeenAt <= iso(now() - SEEN_EVERY_MS)) {
        const seen = { lastSeenAt: iso(now()) };
        await orm.update(operatorSessions).set(seen).where(eq(operatorSessions.hash, hash));
      }
      return true;
    },

    async close(token: string): Promise<void> {
      await orm.delete(operatorSessions).where(eq(operatorSessions.hash, hashToken(token)));
    },
  };
}
