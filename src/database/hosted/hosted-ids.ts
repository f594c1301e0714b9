import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { hostedIds } from '../schema/hosted.ts';

export type HostedKind = 'upload' | 'enhancement';

export interface HostedId {
  kind: HostedKind;
  remoteId: string;
  /** Our id */
  subjectId: string;
  accountId: string;
  /** Of uploads: fetched from its own address, or streamed from our storage */
  via: 'url' | 'stream' | null;
  /** ISO 8601; when the service had the whole file, as far as we know */
  transferredAt: string | null;
}

export type HostedIds = ReturnType<typeof createHostedIds>;

/** Which record of ours has which id at the hosted service. */
export function createHostedIds({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  const timestamp = (): string => new Date(now()).toISOString();

  return {
    /** @returns false when the remote id is of another record of ours already; repeating changes nothing */
    async bind(given: Omit<HostedId, 'transferredAt'> & { transferred: boolean }): Promise<boolean> {
      const { transferred, ...row } = given;
      const at = timestamp();
      const [bound] = await orm
        .insert(hostedIds)
        .values({ ...row, createdAt: at, transferredAt: transferred ? at : null })
        .onConflictDoUpdate({
          target: [hostedIds.kind, hostedIds.remoteId],
          set: { transferredAt: sql`coalesce(${hostedIds.transferredAt}, excluded.placed_at)` },
          setWhere: eq(hostedIds.subjectId, row.subjectId),
        })
        .returning({ subjectId: hostedIds.subjectId });
      return bound !== undefined;
    },

    async markTransferred(remoteUploadId: string): Promise<void> {
      await orm
        .update(hostedIds)
        .set({ transferredAt: timestamp() })
        .where(
          and(eq(hostedIds.kind, 'upload'), eq(hostedIds.remoteId, remoteUploadId), isNull(hostedIds.transferredAt)),
        );
    },

    async find(kind: HostedKind, remoteId: string): Promise<HostedId | undefined> {
      const [row] = await orm
        .select()
        .from(hostedIds)
        .where(and(eq(hostedIds.kind, kind), eq(hostedIds.remoteId, remoteId)));
      return row;
    },

    /** All that a record of ours has, the newest first. */
    async of(kind: HostedKind, subjectId: string): Promise<HostedId[]> {
      return orm
        .select()
        .from(hostedIds)
        .where(and(eq(hostedIds.kind, kind), eq(hostedIds.subjectId, subjectId)))
        .orderBy(desc(hostedIds.createdAt), desc(hostedIds.remoteId));
    },

    async forget(kind: HostedKind, remoteId: string): Promise<void> {
      await orm.delete(hostedIds).where(and(eq(hostedIds.kind, kind), eq(hostedIds.remoteId, remoteId)));
    },
  };
}
