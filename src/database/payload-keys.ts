import { eq, notInArray } from 'drizzle-orm';
import type { Database } from './database.ts';
import { payloadKeys } from './schema/instance.ts';

export interface PayloadKey {
  id: string;
  /** ISO 8601: when a process that encrypts with the key last said so */
  usedAt: string;
}

export type PayloadKeys = ReturnType<typeof createPayloadKeys>;

/** Ids of the keys that have encrypted payloads of workflows. A workflow needs the keys of its payloads until it ends. */
export function createPayloadKeys({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  return {
    /** Used keys other than these. */
    except: (ids: readonly string[]): Promise<PayloadKey[]> =>
      orm
        .select()
        .from(payloadKeys)
        .where(notInArray(payloadKeys.id, [...ids])),

    /** Records that this process encrypts with a key. */
    async noteUse(id: string): Promise<void> {
      const usedAt = new Date(now()).toISOString();
      await orm
        .insert(payloadKeys)
        .values({ id, usedAt })
        .onConflictDoUpdate({ target: payloadKeys.id, set: { usedAt } });
    },

    /** Forgets a key that no workflow needs any more. */
    async forget(id: string): Promise<void> {
      await orm.delete(payloadKeys).where(eq(payloadKeys.id, id));
    },
  };
}
