import { and, eq, lte, sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { excluded } from '../queries.ts';
import { idempotencyKeys } from '../schema/requests.ts';

/** Lifetime of a key in milliseconds. */
export const KEY_LIFETIME_MS = 24 * 60 * 60 * 1000;
const TRIES = 3;

export interface IdempotencyClaim {
  accountId: string;
  key: string;
  /** The command, such as `createUpload`: a key is valid for one command */
  operation: string;
  /** Digest of the request */
  fingerprint: string;
  subjectId: string;
}

/** `new`: continue. `same`: a repetition, answer with its subject. `different`: the key belongs to another request. */
export interface IdempotencyOutcome {
  outcome: 'new' | 'same' | 'different';
  /** The subject of the first request with this key */
  subjectId: string;
}

export type IdempotencyKeys = ReturnType<typeof createIdempotencyKeys>;

export function createIdempotencyKeys({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  return {
    /** Claims a key. Of several concurrent claims of the same key, one is `new`. */
    async claim(claim: IdempotencyClaim): Promise<IdempotencyOutcome> {
      const { accountId, key, operation, fingerprint } = claim;
      for (let attempt = 1; ; attempt += 1) {
        const nowIso = new Date(now()).toISOString();
        const [fresh] = await orm
          .insert(idempotencyKeys)
          .values({ ...claim, expiresAt: new Date(now() + KEY_LIFETIME_MS).toISOString() })
          .onConflictDoUpdate({
            target: [idempotencyKeys.accountId, idempotencyKeys.key],
            set: excluded(idempotencyKeys, ['operation', 'fingerprint', 'subjectId', 'expiresAt']),
            setWhere: sql`${idempotencyKeys.expiresAt} <= ${nowIso}`,
          })
          .returning({ subjectId: idempotencyKeys.subjectId });
        if (fresh) return { outcome: 'new', subjectId: fresh.subjectId };
        const [first] = await orm
          .select()
          .from(idempotencyKeys)
          .where(and(eq(idempotencyKeys.accountId, accountId), eq(idempotencyKeys.key, key)));
        if (first) {
          const same = first.operation === operation && first.fingerprint === fingerprint;
          return { outcome: same ? 'same' : 'different', subjectId: first.subjectId };
        }
        // The key was purged between the two statements and is free now.
        if (attempt === TRIES) throw new Error('An idempotency key could not be claimed.');
      }
    },

    async isClaimed(accountId: string, key: string): Promise<boolean> {
      const named = and(eq(idempotencyKeys.accountId, accountId), eq(idempotencyKeys.key, key));
      return (await orm.select({ key: idempotencyKeys.key }).from(idempotencyKeys).where(named)).length > 0;
    },

    /** Sets the subject of a claim once it is known. Runs within the transaction of the claim. */
    async settle({ accountId, key }: Pick<IdempotencyClaim, 'accountId' | 'key'>, subjectId: string): Promise<void> {
      await orm
        .update(idempotencyKeys)
        .set({ subjectId })
        .where(and(eq(idempotencyKeys.accountId, accountId), eq(idempotencyKeys.key, key)));
    },

    /** Deletes expired keys. @returns their number */
    async purge(): Promise<number> {
      const gone = await orm
        .delete(idempotencyKeys)
        .where(lte(idempotencyKeys.expiresAt, new Date(now()).toISOString()))
        .returning({ key: idempotencyKeys.key });
      return gone.length;
    },
  };
}
