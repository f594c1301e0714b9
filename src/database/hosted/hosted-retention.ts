import { eq, lt, sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { hostedRetentions, hostedSettings } from '../schema/hosted.ts';

/** A creation takes seconds; a claim of one that died in the middle is over after this, milliseconds. */
const LEASE_MS = 90_000;
/** Somebody may change the setting in the service's dashboard; then it is set again after this, milliseconds. */
const TRUSTED_MS = 60 * 60_000;
const SETTING = 'uploadRetentionDays';

export type HostedRetention = ReturnType<typeof createHostedRetention>;

/**
 * The retention of new uploads is one setting of our whole account at the hosted service. Creations that want the same go
 * side by side; one that wants another waits for those before it, and those behind it wait for it.
 */
export function createHostedRetention({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  return {
    /** Asks for the setting, or renews the claim to it. @returns whether it may be used now */
    claim(holder: string, days: number): Promise<boolean> {
      return orm.transaction(async (tx) => {
        await tx.execute(sql`lock table ${hostedRetentions} in share row exclusive mode`);
        await tx.delete(hostedRetentions).where(lt(hostedRetentions.expiresAt, new Date(now()).toISOString()));
        const expiresAt = new Date(now() + LEASE_MS).toISOString();
        await tx
          .insert(hostedRetentions)
          .values({ holder, days, expiresAt })
          .onConflictDoUpdate({ target: hostedRetentions.holder, set: { expiresAt } });
        const { rows } = await tx.execute(sql`
          select 1 from remote_retentions mine join remote_retentions earlier
          on earlier.seq < mine.seq and earlier.days <> mine.days
          where mine.holder = ${holder} limit 1
        `);
        return rows.length === 0;
      });
    },

    async release(holder: string): Promise<void> {
      await orm.delete(hostedRetentions).where(eq(hostedRetentions.holder, holder));
    },

    /** What we set last, in days; undefined when that is not known or long ago. */
    async lastSet(): Promise<number | undefined> {
      const [row] = await orm.select().from(hostedSettings).where(eq(hostedSettings.name, SETTING));
      return row && Date.parse(row.setAt) > now() - TRUSTED_MS ? Number(row.value) : undefined;
    },

    async noteSet(days: number): Promise<void> {
      const row = { value: String(days), setAt: new Date(now()).toISOString() };
      await orm
        .insert(hostedSettings)
        .values({ name: SETTING, ...row })
        .onConflictDoUpdate({ target: hostedSettings.name, set: row });
    },

    /** Before it is changed: should the answer be lost, nothing is known of it. */
    async noteUnknown(): Promise<void> {
      await orm.delete(hostedSettings).where(eq(hostedSettings.name, SETTING));
    },
  };
}
