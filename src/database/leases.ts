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
  /** The expiry that each holder of this process has written last */
  const written = new Map<string, string>();
  const keyOf = (name: string, holder: string): string => `${holder} ${name}`;

  return {
    /**
     * Acquires a lease, or renews the holder's own.
     * @param forMs milliseconds until it expires
     * @returns whether the holder has it now
     */
    async take(name: string, holder: string, forMs: number): Promise<boolean> {
      written.delete(keyOf(name, holder));
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
      if (taken.length > 0) written.set(keyOf(name, holder), expiresAt);
      return taken.length > 0;
    },

    /**
     * Whether the database lacks the holder's last renewal although nobody else has the lease: it is older than it was, as after
     * a failover or a restore.
     */
    async isOlder(name: string, holder: string): Promise<boolean> {
      const expected = written.get(keyOf(name, holder));
      if (expected === undefined) return false;
      const [row] = await orm.select().from(leases).where(eq(leases.name, name));
      return row === undefined || (row.holder === holder && row.expiresAt !== expected);
    },

    async release(name: string, holder: string): Promise<void> {
      written.delete(keyOf(name, holder));
      await orm.delete(leases).where(and(eq(leases.name, name), eq(leases.holder, holder)));
    },
  };
}
