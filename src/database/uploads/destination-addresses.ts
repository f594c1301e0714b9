import { and, eq, exists, lt, not, sql } from 'drizzle-orm';
import type { Vault } from '../../secrets/key-ring.ts';
import type { Database } from '../database.ts';
import { destinationAddresses } from '../schema/destination-addresses.ts';
import { enhancements } from '../schema/enhancements.ts';

export const destinationAddressAad = (enhancementId: string): string => `destination_addresses/${enhancementId}/secret`;

/** Age in milliseconds after which an address without a pending destination counts as a leftover. */
const LEFTOVER_MS = 3_600_000;

export type DestinationAddresses = ReturnType<typeof createDestinationAddresses>;

/**
 * Encrypted addresses of destinations, by their enhancement. Workflows and their histories contain only host and path. An
 * address is deleted with the end of its destination.
 */
export function createDestinationAddresses({ orm }: Pick<Database, 'orm'>, vault: Vault, now: () => number = Date.now) {
  const iso = (ms: number): string => new Date(ms).toISOString();

  /** The row of an address, for a statement that also writes the records of its upload. */
  const toRow = (enhancementId: string, url: string): typeof destinationAddresses.$inferInsert => ({
    enhancementId,
    secret: vault.seal(url, destinationAddressAad(enhancementId)),
    createdAt: iso(now()),
  });

  return {
    toRow,

    async put(enhancementId: string, url: string): Promise<void> {
      await orm.insert(destinationAddresses).values(toRow(enhancementId, url)).onConflictDoNothing();
    },

    async get(enhancementId: string): Promise<string | undefined> {
      const [row] = await orm
        .select()
        .from(destinationAddresses)
        .where(eq(destinationAddresses.enhancementId, enhancementId));
      return row && vault.open(row.secret, destinationAddressAad(enhancementId));
    },

    /** Deletes addresses without a pending destination. @returns their number */
    async purge(): Promise<number> {
      const used = orm
        .select({ id: enhancements.id })
        .from(enhancements)
        .where(
          and(
            eq(enhancements.id, destinationAddresses.enhancementId),
            sql`${enhancements.destination} ->> 'status' = 'PENDING'`,
          ),
        );
      const gone = await orm
        .delete(destinationAddresses)
        .where(and(lt(destinationAddresses.createdAt, iso(now() - LEFTOVER_MS)), not(exists(used))))
        .returning({ enhancementId: destinationAddresses.enhancementId });
      return gone.length;
    },
  };
}
