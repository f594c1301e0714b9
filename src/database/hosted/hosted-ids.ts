import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { remoteIds } from '../schema/remote.ts';

export type RemoteKind = 'upload' | 'enhancement';

export interface RemoteId {
  kind: RemoteKind;
  remoteId: string;
  /** Our id */
  subjectId: string;
  accountId: string;
  /** Of uploads: fetched from its own address, or streamed from our storage */
  via: 'url' | 'stream' | null;
  /** ISO 8601; when the service had the whole file, as far as we know */
  placedAt: string | null;
}

export type RemoteIds = ReturnType<typeof createRemoteIds>;

/** Which record of ours has which id at the hosted service. */
export function createRemoteIds({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  const timestamp = (): string => new Date(now()).toISOString();

  return {
    /** @returns false when the remote id is of another record of ours already; repeating changes nothing */
    async bind(given: Omit<RemoteId, 'placedAt'> & { placed: boolean }): Promise<boolean> {
      const { placed, ...row } = given;
      const at = timestamp();
      const [bound] = await orm
        .insert(remoteIds)
        .values({ ...row, createdAt: at, placedAt: placed ? at : null })
        .onConflictDoUpdate({
          target: [remoteIds.kind, remoteIds.remoteId],
          set: { placedAt: sql`coalesce(${remoteIds.placedAt}, excluded.placed_at)` },
          setWhere: eq(remoteIds.subjectId, row.subjectId),
        })
        .returning({ subjectId: remoteIds.subjectId });
      return bound !== undefined;
    },

    async markPlaced(remoteUploadId: string): Promise<void> {
      await orm
        .update(remoteIds)
        .set({ placedAt: timestamp() })
        .where(and(eq(remoteIds.kind, 'upload'), eq(remoteIds.remoteId, remoteUploadId), isNull(remoteIds.placedAt)));
    },

    async find(kind: RemoteKind, remoteId: string): Promise<RemoteId | undefined> {
      const [row] = await orm
        .select()
        .from(remoteIds)
        .where(and(eq(remoteIds.kind, kind), eq(remoteIds.remoteId, remoteId)));
      return row;
    },

    /** All that a record of ours has, the newest first. */
    async of(kind: RemoteKind, subjectId: string): Promise<RemoteId[]> {
      return orm
        .select()
        .from(remoteIds)
        .where(and(eq(remoteIds.kind, kind), eq(remoteIds.subjectId, subjectId)))
        .orderBy(desc(remoteIds.createdAt), desc(remoteIds.remoteId));
    },

    async forget(kind: RemoteKind, remoteId: string): Promise<void> {
      await orm.delete(remoteIds).where(and(eq(remoteIds.kind, kind), eq(remoteIds.remoteId, remoteId)));
    },
  };
}
