import { createHash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { Enhancement } from '../../domain/enhancement/enhancement.ts';
import {
  enhancementEventData,
  settledEventKey,
  toUploadEventData,
  type EventKind,
} from '../../domain/events/events.ts';
import { publicEventData } from '../../domain/events/public-event-data.ts';
import { derivedId } from '../../domain/ids.ts';
import type { Upload } from '../../domain/upload/upload.ts';
import { captureCredits, releaseCredits, reserveCredits, recordLowCredits } from '../credits/credit-movements.ts';
import type { Database, Orm } from '../database.ts';
import { cancelledDestination, isPending } from '../../domain/enhancement/destination.ts';
import { destinationAddresses } from '../schema/destination-addresses.ts';
import { createDestinations, type DestinationChange } from './destinations.ts';
import { createEnhancements, type FinishedEnhancement, type ReuseFacts } from './enhancements.ts';
import { createEventRecorder, type PlannedDelivery } from '../webhooks/event-recorder.ts';
import { uploadPasswords } from '../schema/upload-passwords.ts';
import { hasLostOriginal, noteLostOriginal } from '../accounts/audit-log.ts';
import { createUploads } from './uploads.ts';

export interface RecordedEvent {
  kind: EventKind;
  /** Workflow of the event. With the eventKey it determines the event's id, so that the event is recorded once. */
  source: string;
  eventKey: string;
  /** ISO 8601 */
  created: string;
  /** Webhook address given with the upload; null for none */
  webhookUrl: string | null;
}

export interface UploadStep {
  upload: Upload;
  /** Description for the timeline */
  sentence: string;
  announce: RecordedEvent | null;
}

export interface EnhancementStep {
  enhancement: Enhancement;
  /** Null for an enhancement that ended without its file */
  facts: ReuseFacts | null;
  sentence: string;
  /** Credits of the reservation to charge, or its release; null leaves the ledger unchanged */
  settle: { capture: number } | 'release' | null;
  /** Milliseconds since the epoch, from the workflow's clock */
  nowMs: number;
  announce: RecordedEvent | null;
}

/** A step of the destination of a finished enhancement. */
export interface DestinationStep extends DestinationChange {
  /** Null while the destination is pending */
  announce: RecordedEvent | null;
}

/** The start of an enhancement, with its record after the reservation of the credits. */
export interface BeginStep {
  enhancement: Enhancement;
  facts: ReuseFacts;
  sentence: string;
  /** Whether an equal finished enhancement may be reused */
  reuse: boolean;
  /** Credits to reserve; null only looks for a reusable result */
  credits: number | null;
  /** Milliseconds since the epoch, from the workflow's clock */
  nowMs: number;
  /** Recorded with the reservation; null for no event */
  announce: RecordedEvent | null;
}

export type BeginOutcome =
  /** With the deliveries of the event, and those of `credits.low` */
  | { outcome: 'reserved'; deliveries: PlannedDelivery[]; lowCredits: PlannedDelivery[] }
  | { outcome: 'reusable'; earlier: FinishedEnhancement }
  | { outcome: 'insufficient'; remaining: number }
  /** No reusable result, and the step reserves no credits */
  | { outcome: 'new' };

export interface UploadDeliveries {
  ofUpload: PlannedDelivery[];
  ofEnhancements: PlannedDelivery[];
}

export type LifecycleSteps = ReturnType<typeof createLifecycleSteps>;

/** Whether no further work needs the password, or the password does not open the file. */
function hasNoUseForPassword({ status, errorCode }: Upload): boolean {
  return status === 'UPLOAD_DELETED' || status === 'UPLOAD_FAILED' || errorCode === 'WRONG_PASSWORD';
}

/**
 * The steps of a lifecycle. Each is one transaction over records, ledger and events, and may be repeated. Statements
 * that need no result of each other are sent at once; the database executes them one after the other.
 */
export function createLifecycleSteps({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  const recordEvent = (
    tx: Orm,
    record: Upload | Enhancement,
    data: Record<string, unknown>,
    { kind, source, eventKey, created, webhookUrl }: RecordedEvent,
  ): Promise<PlannedDelivery[]> => {
    const digest = createHash('sha256').update(`${source}\n${eventKey}`).digest();
    const publicData = 'uploadId' in record ? null : publicEventData(kind, record);
    const event = { id: derivedId('evt', digest), event: kind, data, publicData, created };
    const subject = { table: 'uploadId' in record ? 'enhancements' : 'uploads', id: record.id } as const;
    return createEventRecorder(tx, now).recordEvent(record.accountId, event, webhookUrl, subject);
  };

  /** Cancels enhancements that a workflow older than the records does not know, and releases their credits. */
  async function cancelOpen(tx: Orm, upload: Upload, announce: RecordedEvent | null): Promise<PlannedDelivery[]> {
    const enhancements = createEnhancements({ orm: tx });
    const destinations = createDestinations({ orm: tx });
    const planned: PlannedDelivery[] = [];
    for (const open of await enhancements.listOpen(upload.id)) {
      const { id: enhancementId, accountId, revision } = open;
      await releaseCredits(tx, { accountId, enhancementId, nowMs: now() });
      const finishedAt = upload.deletedAt ?? new Date(now()).toISOString();
      const ended: Enhancement = {
        ...open,
        ...{ revision: revision + 1, status: 'CANCELLED', waitingFor: null, finishedAt },
        ...(isPending(open.destination) && { destination: cancelledDestination(open.destination) }),
      };
      await enhancements.project(ended, null, 'Cancelled with its upload; reserved credits were released.');
      if (announce === null) continue;
      const event = {
        ...announce,
        kind: 'enhanced_image.status_update',
        eventKey: settledEventKey(enhancementId),
      } as const;
      planned.push(...(await recordEvent(tx, ended, enhancementEventData(ended), event)));
    }
    for (const { id: enhancementId, accountId, uploadId, revision, destination } of await destinations.listPending(
      upload.id,
    )) {
      const change = { enhancementId, accountId, uploadId, revision: revision + 1, waitingFor: null };
      const cancelled = cancelledDestination(destination!);
      await destinations.project({ ...change, destination: cancelled }, `${cancelled.errorDetail}`);
    }
    return planned;
  }

  return {
    /**
     * Writes the state of an upload. A deletion also ends each enhancement that the workflow does not know.
     * @returns the deliveries of the event, and those of ended enhancements
     */
    async recordUpload({ upload, sentence, announce }: UploadStep): Promise<UploadDeliveries> {
      const isPasswordUseless = hasNoUseForPassword(upload);
      if (announce === null && !isPasswordUseless && !hasLostOriginal(upload)) {
        await createUploads({ orm }).project(upload, sentence);
        return { ofUpload: [], ofEnhancements: [] };
      }
      return orm.transaction(async (tx) => {
        const ofEnhancements = upload.status === 'UPLOAD_DELETED' ? await cancelOpen(tx, upload, announce) : [];
        const [isNew, ofUpload] = await Promise.all([
          createUploads({ orm: tx }).project(upload, sentence),
          announce === null ? [] : recordEvent(tx, upload, toUploadEventData(announce.kind, upload), announce),
        ]);
        if (isNew) await noteLostOriginal(tx, upload, now);
        // A late repetition must not remove a newer password.
        if (isPasswordUseless && isNew) await tx.delete(uploadPasswords).where(eq(uploadPasswords.uploadId, upload.id));
        return { ofUpload, ofEnhancements };
      });
    },

    /** Reuses a result or reserves the credits; the reservation also writes the record. */
    beginEnhancement({
      enhancement,
      facts,
      sentence,
      reuse,
      credits,
      nowMs,
      announce,
    }: BeginStep): Promise<BeginOutcome> {
      const { id: enhancementId, accountId } = enhancement;
      return orm.transaction(async (tx): Promise<BeginOutcome> => {
        const enhancements = createEnhancements({ orm: tx });
        const earlier = reuse
          ? await enhancements.findReusable({ ...facts, accountId, except: enhancementId })
          : undefined;
        if (earlier !== undefined) return { outcome: 'reusable', earlier };
        if (credits === null) return { outcome: 'new' };
        const reservation = await reserveCredits(tx, { accountId, enhancementId, credits, nowMs });
        const { reserved, remaining } = reservation;
        if (reserved === undefined) return { outcome: 'insufficient', remaining };
        const [, deliveries] = await Promise.all([
          enhancements.project(enhancement, facts, sentence),
          announce === null ? [] : recordEvent(tx, enhancement, enhancementEventData(enhancement), announce),
        ]);
        const lowCredits = await recordLowCredits(tx, accountId, reserved, now);
        return { outcome: 'reserved', deliveries, lowCredits };
      });
    },

    /** Writes the state of a destination. Its end deletes the address, and records the event. */
    recordDestination({ sentence, announce, ...change }: DestinationStep): Promise<PlannedDelivery[]> {
      const { enhancementId, destination } = change;
      return orm.transaction(async (tx) => {
        const record = await createDestinations({ orm: tx }).project(change, sentence);
        if (!isPending(destination))
          await tx.delete(destinationAddresses).where(eq(destinationAddresses.enhancementId, enhancementId));
        const shown = record ?? (await createEnhancements({ orm: tx }).get(change.accountId, enhancementId));
        // A repetition finds the event recorded, and returns its deliveries again.
        if (announce === null || shown === undefined) return [];
        return recordEvent(tx, shown, enhancementEventData({ ...shown, destination }), announce);
      });
    },

    async recordEnhancement({
      enhancement,
      facts,
      sentence,
      settle,
      nowMs,
      announce,
    }: EnhancementStep): Promise<PlannedDelivery[]> {
      const { id: enhancementId, accountId } = enhancement;
      if (settle === null && announce === null) {
        await createEnhancements({ orm }).project(enhancement, facts, sentence);
        return [];
      }
      return orm.transaction(async (tx) => {
        const movement = { accountId, enhancementId, nowMs };
        let record = enhancement;
        // A reused result costs nothing, but an earlier attempt of the same step may have reserved credits.
        if (settle === 'release') await releaseCredits(tx, movement, enhancement.reusedFrom === null);
        else if (settle !== null) {
          // The ledger decides: an older copy of it may have lost the reservation, or have released it.
          const { charged } = await captureCredits(tx, { ...movement, credits: settle.capture });
          record = { ...enhancement, chargedCredits: charged };
        }
        const [isNew, deliveries] = await Promise.all([
          createEnhancements({ orm: tx }).project(record, facts, sentence),
          announce === null ? [] : recordEvent(tx, record, enhancementEventData(record), announce),
        ]);
        if (isNew) await noteLostOriginal(tx, record, now);
        return deliveries;
      });
    },
  };
}
