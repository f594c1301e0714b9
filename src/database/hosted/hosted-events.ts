import { and, asc, eq, gte, isNotNull, isNull, lt, notExists, notLike, or, sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { hostedEvents, hostedIds } from '../schema/hosted.ts';

/** Retention of an event in milliseconds. It covers repetitions, and ids that are assigned to a record later. */
export const HOSTED_EVENT_KEPT_MS = 24 * 60 * 60 * 1000;
/** Maximum number of candidates of one query. */
const MAX_FOUND = 100;

export interface RecordedHostedEvent {
  /** In the service's spelling */
  id: string;
  event: string;
  remoteId: string | null;
  remoteUploadId: string | null;
}

export type HostedEvents = ReturnType<typeof createHostedEvents>;

export function createHostedEvents({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  return {
    /** Stores an event. @returns false for a repetition */
    async keep(event: RecordedHostedEvent): Promise<boolean> {
      const kept = await orm
        .insert(hostedEvents)
        .values({ ...event, receivedAt: new Date(now()).toISOString() })
        .onConflictDoNothing()
        .returning({ id: hostedEvents.id });
      return kept.length > 0;
    },

    /** Deletes an event, so that its repetition is processed. */
    async drop(id: string): Promise<void> {
      await orm.delete(hostedEvents).where(eq(hostedEvents.id, id));
    },

    /**
     * Enhancements in events since a given time without a record of this instance, oldest first: those of the given
     * upload, and those without an upload.
     */
    async unboundEnhancements(
      remoteUploadId: string,
      sinceMs: number,
    ): Promise<{ remoteId: string; saysUpload: boolean }[]> {
      const bound = orm
        .select({ one: sql`1` })
        .from(hostedIds)
        .where(eq(hostedIds.remoteId, hostedEvents.remoteId));
      const rows = await orm
        .select({
          remoteId: hostedEvents.remoteId,
          saysUpload: sql<boolean>`bool_or(${hostedEvents.remoteUploadId} is not null)`,
        })
        .from(hostedEvents)
        .where(
          and(
            or(eq(hostedEvents.remoteUploadId, remoteUploadId), isNull(hostedEvents.remoteUploadId)),
            isNotNull(hostedEvents.remoteId),
            notLike(hostedEvents.event, 'upload.%'),
            gte(hostedEvents.receivedAt, new Date(sinceMs).toISOString()),
            notExists(bound),
          ),
        )
        .groupBy(hostedEvents.remoteId)
        .orderBy(asc(sql`min(${hostedEvents.receivedAt})`))
        .limit(MAX_FOUND);
      return rows.flatMap(({ remoteId, saysUpload }) => (remoteId === null ? [] : { remoteId, saysUpload }));
    },

    /** Deletes entries older than a day. @returns their number */
    async purge(): Promise<number> {
      const gone = await orm
        .delete(hostedEvents)
        .where(lt(hostedEvents.receivedAt, new Date(now() - HOSTED_EVENT_KEPT_MS).toISOString()))
        .returning({ id: hostedEvents.id });
      return gone.length;
    },
  };
}
