import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { hostedIds } from '../schema/hosted.ts';

export type HostedKind = 'upload' | 'enhancement';

export interface HostedId {
  kind: HostedKind;
  remoteId: string;
  subjectId: string;
  accountId: string;
  /** For uploads: fetched from the upload's URL, or streamed from the local storage */
  via: 'url' | 'stream' | null;
  /** ISO 8601; the time by which the service had the whole file, as far as known */
  transferredAt: string | null;
}

export type HostedIds = ReturnType<typeof createHostedIds>;

export function createHostedIds({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  const timestamp = (): string => new Date(now()).toISOString();

  return {
    /**
     * Binds a remote id to a local record; a repetition changes nothing. @returns false when the remote id already
     * belongs to another record
     */
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

    /** All remote ids of a record, newest first. */
    async of(kind: HostedKind, subjectId: string): Promise<HostedId[]> {
      return orm
        .select()
        .from(hostedIds)
        .where(and(eq(hostedIds.kind, kind), eq(hostedIds.subjectId, subjectId)))
        .orderBy(desc(hostedIds.createdAt), desc(hostedIds.remoteId));
    },

    async forgetUpload(remoteId: string): Promise<void> {
      await orm.delete(hostedIds).where(and(eq(hostedIds.kind, 'upload'), eq(hostedIds.remoteId, remoteId)));
    },
  };
}
