import { and, eq, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { leases } from './schema/upload-starts.ts';

export type Leases = ReturnType<typeof createLeases>;

/** Leases of jobs that only one process runs at a time. A lease without renewal expires. */
export function createLeases({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  return {
    /**
     * Acquires a lease, or renews the holder's own.
     * @param forMs milliseconds until it expires
     * @returns whether the holder has it now
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

    async release(name: string, holder: string): Promise<void> {
      await orm.delete(leases).where(and(eq(leases.name, name), eq(leases.holder, holder)));
    },
  };
}
