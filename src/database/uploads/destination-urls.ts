import { and, eq, exists, lt, not, sql } from 'drizzle-orm';
import type { Vault } from '../../secrets/key-ring.ts';
import type { Database } from '../database.ts';
import { destinationUrls } from '../schema/destination-urls.ts';
import { enhancements } from '../schema/enhancements.ts';

export const destinationUrlAad = (enhancementId: string): string => `destination_urls/${enhancementId}/secret`;

/** Age in milliseconds after which a URL without a pending destination counts as a leftover. */
const LEFTOVER_MS = 3_600_000;

export type DestinationUrls = ReturnType<typeof createDestinationUrls>;

/**
 * Encrypted URLs of destinations, by their enhancement. Workflows and their histories contain only scheme and host. A URL is deleted
 * with the end of its destination.
 */
export function createDestinationUrls({ orm }: Pick<Database, 'orm'>, vault: Vault, now: () => number = Date.now) {
  const iso = (ms: number): string => new Date(ms).toISOString();

  /** The row of a URL, for a statement that also writes the records of its upload. */
  const toRow = (enhancementId: string, url: string): typeof destinationUrls.$inferInsert => ({
    enhancementId,
    secret: vault.seal(url, destinationUrlAad(enhancementId)),
    createdAt: iso(now()),
  });

  return {
    toRow,

    async put(enhancementId: string, url: string): Promise<void> {
      await orm.insert(destinationUrls).values(toRow(enhancementId, url)).onConflictDoNothing();
    },

    async get(enhancementId: string): Promise<string | undefined> {
      const [row] = await orm.select().from(destinationUrls).where(eq(destinationUrls.enhancementId, enhancementId));
      return row && vault.open(row.secret, destinationUrlAad(enhancementId));
    },

    /** Deletes URLs without a pending destination. @returns their number */
    async purge(): Promise<number> {
      const used = orm
        .select({ id: enhancements.id })
        .from(enhancements)
        .where(
          and(
            eq(enhancements.id, destinationUrls.enhancementId),
            sql`${enhancements.destination} ->> 'status' = 'PENDING'`,
          ),
        );
      const gone = await orm
        .delete(destinationUrls)
        .where(and(lt(destinationUrls.createdAt, iso(now() - LEFTOVER_MS)), not(exists(used))))
        .returning({ enhancementId: destinationUrls.enhancementId });
      return gone.length;
    },
  };
}
