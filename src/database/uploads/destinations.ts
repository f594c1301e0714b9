import { and, eq, lt, sql } from 'drizzle-orm';
import {
  type Destination,
  withoutPath,
  type Enhancement,
  type RecordedEnhancement,
  type WaitingFor,
} from '@burnish/contract';
import type { Database } from '../database.ts';
import { enhancements } from '../schema/enhancements.ts';
import { ENHANCEMENT_COLUMNS, RECORD } from './enhancements.ts';

/** Upper bound, not a page size: no upload has more open enhancements at a time. */
const MAX_ROWS = 1_000;

/** A change of the destination of a finished enhancement. */
export interface DestinationChange {
  enhancementId: string;
  uploadId: string;
  accountId: string;
  revision: number;
  destination: Destination;
  waitingFor: WaitingFor | null;
  /** Description for the timeline */
  sentence: string;
}

/** The destinations of finished enhancements. Their outcome follows the end of the enhancement, whose record is final otherwise. */
export function createDestinations({ orm }: Pick<Database, 'orm'>) {
  return {
    /**
     * Writes the state of the destination of a finished enhancement, unless the record has a newer revision, or the destination
     * has ended.
     * @returns the record, whose change the same transaction writes to the feed; undefined if nothing was written
     */
    async write({
      enhancementId,
      accountId,
      revision,
      destination,
      waitingFor,
    }: Omit<DestinationChange, 'sentence'>): Promise<RecordedEnhancement | undefined> {
      const [record] = await orm
        .update(enhancements)
        .set({ destination: withoutPath(destination), waitingFor, revision })
        .where(
          and(
            eq(enhancements.id, enhancementId),
            eq(enhancements.accountId, accountId),
            eq(enhancements.status, 'FINISHED'),
            lt(enhancements.revision, revision),
            sql`${enhancements.destination} ->> 'status' = 'PENDING'`,
          ),
        )
        .returning(ENHANCEMENT_COLUMNS);
      return record;
    },

    /** Pending destinations of finished enhancements of an upload, at most 1,000. */
    listPending(uploadId: string): Promise<Enhancement[]> {
      return orm
        .select(RECORD)
        .from(enhancements)
        .where(
          and(
            eq(enhancements.uploadId, uploadId),
            eq(enhancements.status, 'FINISHED'),
            sql`${enhancements.destination} ->> 'status' = 'PENDING'`,
          ),
        )
        .limit(MAX_ROWS);
    },
  };
}
