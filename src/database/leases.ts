import { and, eq, gt, lte, or } from 'drizzle-orm';
import type { Database } from './database.ts';
import { leases } from './schema/upload-starts.ts';

/** Clocks of healthy machines differ by less than a term. */
const VOID_AFTER_TERMS = 2;

export type Leases = ReturnType<typeof createLeases>;

/**
 * Leases of jobs that only one process runs at a time. A lease without renewal expires. One that expires later than two
 * terms from now is void: its holder's clock was wrong.
 */
export function createLeases({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  return {
    /**
     * Acquires a lease, or renews the holder's own.
     * @param forMs milliseconds until it expires
     * @returns whether the holder has it now
     */
    async take(name: string, holder: string, forMs: number): Promise<boolean> {
      const nowMs = now();
      const after = (terms: number): string => new Date(nowMs + terms * forMs).toISOString();
      const expiresAt = after(1);
      const taken = await orm
        .insert(leases)
        .values({ name, holder, expiresAt })
        .onConflictDoUpdate({
          target: leases.name,
          set: { holder, expiresAt },
          setWhere: or(
            eq(leases.holder, holder),
            lte(leases.expiresAt, after(0)),
            gt(leases.expiresAt, after(VOID_AFTER_TERMS)),
          )!,
        })
        .returning({ name: leases.name });
      return taken.length > 0;
    },

    async release(name: string, holder: string): Promise<void> {
      await orm.delete(leases).where(and(eq(leases.name, name), eq(leases.holder, holder)));
    },
  };
}
