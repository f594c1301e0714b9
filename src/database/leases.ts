import { and, eq, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { leases } from './schema/upload-starts.ts';

export type Leases = ReturnType<typeof createLeases>;

/** Jobs that one process at a time does. A lease that its holder does not renew ends by itself. */
export function createLeases({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  return {
    /**
     * Takes a lease, or renews one's own.
     * @param forMs milliseconds until it ends by itself
     * @returns whether it is the holder's now
     */
    async take(name: string, holder: string, forMs: number): Promise<boolean> {
      const expiresAt = new Date(now() + forMs).toISOString();
      const taken = await orm
        .insert(leases)
        .values({ name, holder, expiresAt })
        .onConflictDoUpdate({
          target: leases.name,
          set: { holder, expiresAt },
          setWhere: sql`${leases.holder} = ${holder} or ${leases.expiresAt} <= ${new Date(now()).toISOString()}`,
        })
        .returning({ name: leases.name });
      return taken.length > 0;
    },

    /** Gives it back; nothing happens when another holds it by now. */
    async release(name: string, holder: string): Promise<void> {
      await orm.delete(leases).where(and(eq(leases.name, name), eq(leases.holder, holder)));
    },
  };
}
