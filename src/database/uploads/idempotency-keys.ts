import { createHash } from 'node:crypto';
import { and, eq, lte, sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
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

/** A key as its row holds it: a caller may put a name or a number of an order into it. */
export const toStoredKey = ({ accountId, key }: Pick<IdempotencyClaim, 'accountId' | 'key'>): string =>
  createHash('sha256').update(`${accountId}\n${key}`).digest('hex');

const isKey = (claim: Pick<IdempotencyClaim, 'accountId' | 'key'>) =>
  and(eq(idempotencyKeys.accountId, claim.accountId), eq(idempotencyKeys.key, toStoredKey(claim)));

export type IdempotencyKeys = ReturnType<typeof createIdempotencyKeys>;

export function createIdempotencyKeys({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  return {
    /** Claims a key. Of several concurrent claims of the same key, one is `new`. */
    async claim(claim: IdempotencyClaim): Promise<IdempotencyOutcome> {
      const { operation, fingerprint } = claim;
      for (let attempt = 1; ; attempt += 1) {
        const nowIso = new Date(now()).toISOString();
        const [fresh] = await orm
          .insert(idempotencyKeys)
          .values({ ...claim, key: toStoredKey(claim), expiresAt: new Date(now() + KEY_LIFETIME_MS).toISOString() })
          .onConflictDoUpdate({
            target: [idempotencyKeys.accountId, idempotencyKeys.key],
            set: {
              operation: sql`excluded.operation`,
              fingerprint: sql`excluded.fingerprint`,
              subjectId: sql`excluded.subject_id`,
              expiresAt: sql`excluded.expires_at`,
            },
            setWhere: sql`${idempotencyKeys.expiresAt} <= ${nowIso}`,
          })
          .returning({ subjectId: idempotencyKeys.subjectId });
        if (fresh) return { outcome: 'new', subjectId: fresh.subjectId };
        const [first] = await orm.select().from(idempotencyKeys).where(isKey(claim));
        if (first) {
          const same = first.operation === operation && first.fingerprint === fingerprint;
          return { outcome: same ? 'same' : 'different', subjectId: first.subjectId };
        }
        // The key was purged between the two statements and is free now.
        if (attempt === TRIES) throw new Error('An idempotency key could not be claimed.');
      }
    },

    async isClaimed(accountId: string, key: string): Promise<boolean> {
      const { subjectId } = idempotencyKeys;
      return (await orm.select({ subjectId }).from(idempotencyKeys).where(isKey({ accountId, key }))).length > 0;
    },

    /** Sets the subject of a claim once it is known. Runs within the transaction of the claim. */
    async settle(claim: Pick<IdempotencyClaim, 'accountId' | 'key'>, subjectId: string): Promise<void> {
      await orm.update(idempotencyKeys).set({ subjectId }).where(isKey(claim));
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
