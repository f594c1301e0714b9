import { eq, lt, sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { hostedRetentions, hostedSettings } from '../schema/hosted.ts';

/** Milliseconds after which the claim of a crashed creation expires. */
const LEASE_MS = 30_000;
/** Milliseconds after which a creation renews its claim. */
export const RETENTION_RENEWAL_MS = 10_000;
/** Milliseconds after which the setting is written again, since a person may change it in the service's dashboard. */
const TRUSTED_MS = 60 * 60_000;
const SETTING = 'uploadRetentionDays';

export type HostedRetention = ReturnType<typeof createHostedRetention>;

/**
 * The retention of new uploads is one setting of the whole account at the hosted service. Creations with the same
 * setting run concurrently. A creation with another setting waits for earlier ones, and later ones wait for it.
 */
export function createHostedRetention({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  return {
    /** Requests the setting, or renews the claim to it. @returns whether the holder may use it now */
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

    /** The last setting that this instance wrote, in days; undefined if unknown or too old. */
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

    /** Marks the setting as unknown before a change, in case the response is lost. */
    async noteUnknown(): Promise<void> {
      await orm.delete(hostedSettings).where(eq(hostedSettings.name, SETTING));
    },
  };
}
