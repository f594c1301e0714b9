import { and, asc, eq, gte, isNotNull, isNull, lt, notExists, notLike, or, sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { remoteEvents, remoteIds } from '../schema/remote.ts';

/** Milliseconds that an event is kept: repetitions come within it, and so do ids that become known later. */
export const REMOTE_EVENT_KEPT_MS = 24 * 60 * 60 * 1000;
/** The most candidates that one look finds. */
const MAX_FOUND = 100;

export interface RemoteEvent {
  /** As the service spells it */
  id: string;
  event: string;
  remoteId: string | null;
  remoteUploadId: string | null;
  /** At most 16 kB */
  body: string;
}

export type RemoteEvents = ReturnType<typeof createRemoteEvents>;

/** What the hosted service has told by webhook. */
export function createRemoteEvents({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  return {
    /** @returns false when it is there already */
    async keep(event: RemoteEvent): Promise<boolean> {
      const kept = await orm
        .insert(remoteEvents)
        .values({ ...event, receivedAt: new Date(now()).toISOString() })
        .onConflictDoNothing()
        .returning({ id: remoteEvents.id });
      return kept.length > 0;
    },

    /** Forgets one, so that its repetition counts. */
    async drop(id: string): Promise<void> {
      await orm.delete(remoteEvents).where(eq(remoteEvents.id, id));
    },

    /**
     * Enhancements that events have told of since a moment and that are of no record of ours, oldest first: those that say that
     * they belong to the given upload, and those that do not say where they belong.
     */
    async unboundEnhancements(
      remoteUploadId: string,
      sinceMs: number,
    ): Promise<{ remoteId: string; saysUpload: boolean }[]> {
      const bound = orm
        .select({ one: sql`1` })
        .from(remoteIds)
        .where(eq(remoteIds.remoteId, remoteEvents.remoteId));
      const rows = await orm
        .select({
          remoteId: remoteEvents.remoteId,
          saysUpload: sql<boolean>`bool_or(${remoteEvents.remoteUploadId} is not null)`,
        })
        .from(remoteEvents)
        .where(
          and(
            or(eq(remoteEvents.remoteUploadId, remoteUploadId), isNull(remoteEvents.remoteUploadId)),
            isNotNull(remoteEvents.remoteId),
            notLike(remoteEvents.event, 'upload.%'),
            gte(remoteEvents.receivedAt, new Date(sinceMs).toISOString()),
            notExists(bound),
          ),
        )
        .groupBy(remoteEvents.remoteId)
        .orderBy(asc(sql`min(${remoteEvents.receivedAt})`))
        .limit(MAX_FOUND);
      return rows.flatMap(({ remoteId, saysUpload }) => (remoteId === null ? [] : { remoteId, saysUpload }));
    },

    /** Forgets what is older than a day. @returns how many */
    async purge(): Promise<number> {
      const gone = await orm
        .delete(remoteEvents)
        .where(lt(remoteEvents.receivedAt, new Date(now() - REMOTE_EVENT_KEPT_MS).toISOString()))
        .returning({ id: remoteEvents.id });
      return gone.length;
    },
  };
}
