import { and, eq, lt, notExists, sql } from 'drizzle-orm';
import type { Database, Orm } from '../database.ts';
import { enhancements, OPEN_ENHANCEMENTS } from '../schema/enhancements.ts';
import { hostedSlots } from '../schema/hosted.ts';

/** Milliseconds after which a claim without renewal expires: its enhancement waits for a person. */
const LEASE_MS = 20 * 60_000;

export type HostedSlots = ReturnType<typeof createHostedSlots>;

/**
 * A semaphore over all workers for enhancements at the hosted service. Accounts with the fewest slots come first, and
 * within an account the oldest enhancement.
 */
export function createHostedSlots({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  /** Serializes operations, and first removes expired slots and claims. */
  function exclusively<T>(work: (tx: Orm, at: string) => Promise<T>): Promise<T> {
    return orm.transaction(async (tx) => {
      await tx.execute(sql`lock table ${hostedSlots} in share row exclusive mode`);
      await tx.delete(hostedSlots).where(lt(hostedSlots.renewedAt, new Date(now() - LEASE_MS).toISOString()));
      return await work(tx, new Date(now()).toISOString());
    });
  }

  return {
    /** Requests a slot, or renews the claim to it. @param slots total number of slots */
    claim(accountId: string, enhancementId: string, slots: number): Promise<boolean> {
      return exclusively(async (tx, at) => {
        const [mine] = await tx
          .insert(hostedSlots)
          .values({ enhancementId, accountId, renewedAt: at })
          .onConflictDoUpdate({ target: hostedSlots.enhancementId, set: { renewedAt: at } })
          .returning({ grantedAt: hostedSlots.grantedAt });
        if (mine?.grantedAt) return true;
        if (!(await nextHolders(tx, slots)).includes(enhancementId)) return false;
        await grant(tx, enhancementId, at);
        return true;
      });
    },

    /** Renews a slot while its work runs; does nothing without one. */
    async renew(enhancementId: string): Promise<void> {
      await orm
        .update(hostedSlots)
        .set({ renewedAt: new Date(now()).toISOString() })
        .where(eq(hostedSlots.enhancementId, enhancementId));
    },

    /**
     * Releases slots and claims of enhancements that have ended, or have no record: their workflow did not release them.
     * @param before ISO 8601; later claims stay, since their record may follow
     * @returns the enhancements that get the slots; undefined without an orphan
     */
    async returnOrphans(slots: number, before: string): Promise<string[] | undefined> {
      const isOrphan = and(lt(hostedSlots.renewedAt, before), notExists(openRecord(orm)));
      const [orphan] = await orm.select({ id: hostedSlots.enhancementId }).from(hostedSlots).where(isOrphan).limit(1);
      if (orphan === undefined) return undefined;
      return exclusively(async (tx, at) => {
        await tx.delete(hostedSlots).where(isOrphan);
        const next = await nextHolders(tx, slots);
        for (const each of next) await grant(tx, each, at);
        return next;
      });
    },

    /** Releases a slot or the claim to one. @returns the enhancement that gets the slot */
    release(enhancementId: string, slots: number): Promise<string | null> {
      return exclusively(async (tx, at) => {
        await tx.delete(hostedSlots).where(eq(hostedSlots.enhancementId, enhancementId));
        const [next] = await nextHolders(tx, slots);
        if (next === undefined) return null;
        await grant(tx, next, at);
        return next;
      });
    },
  };
}

const openRecord = (orm: Orm) =>
  orm
    .select({ one: sql`1` })
    .from(enhancements)
    .where(
      and(eq(enhancements.id, hostedSlots.enhancementId), sql`${enhancements.status} in ${sql.raw(OPEN_ENHANCEMENTS)}`),
    );

async function grant(tx: Orm, enhancementId: string, at: string): Promise<void> {
  await tx
    .update(hostedSlots)
    .set({ grantedAt: at, renewedAt: at })
    .where(eq(hostedSlots.enhancementId, enhancementId));
}

/** The waiting holders that get the free slots, in order. */
async function nextHolders(tx: Orm, slots: number): Promise<string[]> {
  const { rows } = await tx.execute(sql`
    with held as (
      select account_id, count(*) as slots from remote_slots where granted_at is not null group by account_id
    ), waiting as (
      select enhancement_id, account_id, seq, row_number() over (partition by account_id order by seq) as position
      from remote_slots where granted_at is null
    )
    select enhancement_id from waiting left join held using (account_id)
    order by coalesce(held.slots, 0) + position, seq
    limit greatest(0, ${slots}::int - (select coalesce(sum(slots), 0) from held))::int
  `);
  return (rows as { enhancement_id: string }[]).map((row) => row.enhancement_id);
}
