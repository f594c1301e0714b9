import { eq, lt, sql } from 'drizzle-orm';
import type { Database, Orm } from '../database.ts';
import { remotePlaces } from '../schema/remote.ts';

/** A claim that is not renewed for this long is over: a workflow that is lost holds no place for ever. */
const LEASE_MS = 20 * 60_000;

export type RemotePlaces = ReturnType<typeof createRemotePlaces>;

/**
 * A semaphore over all workers, for enhancements at the hosted service. Who waits is served in turns: first the account
 * that holds the fewest places, within it who came first.
 */
export function createRemotePlaces({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  /** One at a time, each with what is over cleared away before. */
  function inTurn<T>(work: (tx: Orm, at: string) => Promise<T>): Promise<T> {
    return orm.transaction(async (tx) => {
      await tx.execute(sql`lock table ${remotePlaces} in share row exclusive mode`);
      await tx.delete(remotePlaces).where(lt(remotePlaces.renewedAt, new Date(now() - LEASE_MS).toISOString()));
      return await work(tx, new Date(now()).toISOString());
    });
  }

  return {
    /** Asks for a place, or renews the claim to it. @param places how many there are */
    claim(accountId: string, enhancementId: string, places: number): Promise<boolean> {
      return inTurn(async (tx, at) => {
        const [mine] = await tx
          .insert(remotePlaces)
          .values({ enhancementId, accountId, renewedAt: at })
          .onConflictDoUpdate({ target: remotePlaces.enhancementId, set: { renewedAt: at } })
          .returning({ grantedAt: remotePlaces.grantedAt });
        if (mine?.grantedAt) return true;
        if (!(await nextInTurn(tx, places)).includes(enhancementId)) return false;
        await grant(tx, enhancementId, at);
        return true;
      });
    },

    /** Keeps a place while its work is under way; does nothing without one. */
    async renew(enhancementId: string): Promise<void> {
      await orm
        .update(remotePlaces)
        .set({ renewedAt: new Date(now()).toISOString() })
        .where(eq(remotePlaces.enhancementId, enhancementId));
    },

    /** Gives a place or the claim to one back. @returns who has a place by that */
    release(enhancementId: string, places: number): Promise<string | null> {
      return inTurn(async (tx, at) => {
        await tx.delete(remotePlaces).where(eq(remotePlaces.enhancementId, enhancementId));
        const [next] = await nextInTurn(tx, places);
        if (next === undefined) return null;
        await grant(tx, next, at);
        return next;
      });
    },
  };
}

async function grant(tx: Orm, enhancementId: string, at: string): Promise<void> {
  await tx
    .update(remotePlaces)
    .set({ grantedAt: at, renewedAt: at })
    .where(eq(remotePlaces.enhancementId, enhancementId));
}

/** The waiting holders that the free slots go to, in order. */
async function nextInTurn(tx: Orm, places: number): Promise<string[]> {
  const { rows } = await tx.execute(sql`
    with held as (
      select account_id, count(*) as places from remote_places where granted_at is not null group by account_id
    ), waiting as (
      select enhancement_id, account_id, seq, row_number() over (partition by account_id order by seq) as turn
      from remote_places where granted_at is null
    )
    select enhancement_id from waiting left join held using (account_id)
    order by coalesce(held.places, 0) + turn, seq
    limit greatest(0, ${places}::int - (select coalesce(sum(places), 0) from held))::int
  `);
  return (rows as { enhancement_id: string }[]).map((row) => row.enhancement_id);
}
