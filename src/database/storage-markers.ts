import { randomBytes } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import type { Database } from './database.ts';
import { storageMarkers } from './schema/instance.ts';

const NAME = 'storage';

export const newMarkerId = (): string => randomBytes(8).toString('hex');

export type StorageMarkers = ReturnType<typeof createStorageMarkers>;

/** The id that the storage of this instance carries, which tells lost storage from lost objects. */
export function createStorageMarkers({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  const row = eq(storageMarkers.name, NAME);
  return {
    /** The expected id, made by the first call, and whether a start has written it into storage. */
    async expected(): Promise<{ id: string; isWritten: boolean }> {
      const read = () => orm.select().from(storageMarkers).where(row);
      let [found] = await read();
      if (found === undefined) {
        await orm.insert(storageMarkers).values({ name: NAME, id: newMarkerId() }).onConflictDoNothing();
        [found] = await read();
      }
      return { id: found!.id, isWritten: found!.writtenAt !== null };
    },

    async noteWritten(id: string): Promise<void> {
      const writtenAt = new Date(now()).toISOString();
      await orm
        .update(storageMarkers)
        .set({ writtenAt })
        .where(and(row, eq(storageMarkers.id, id)));
    },

    /** Expects another id from now on, which storage carries already. Storage with the earlier id counts as another. */
    async replace(id: string): Promise<void> {
      await orm
        .update(storageMarkers)
        .set({ id, writtenAt: new Date(now()).toISOString() })
        .where(row);
    },
  };
}
