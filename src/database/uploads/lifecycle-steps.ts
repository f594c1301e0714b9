import { createHash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import {
  type Enhancement,
  enhancementEventData,
  settledEventKey,
  toUploadEventData,
  type EventKind,
  publicEventData,
  derivedId,
  type Upload,
  cancelledDestination,
  isPending,
} from '@burnish/contract';
import {
  decided,
  openPeriod,
  planCapture,
  planRelease,
  planReservation,
  toBalance,
} from '../credits/credit-movements.ts';
import { afterReservation, recordLowCredits } from '../credits/low-credits.ts';
import type { Vault } from '../../secrets/key-ring.ts';
import type { Database, Orm } from '../database.ts';
import { createSecretAddresses } from '../secret-addresses.ts';
import { destinationUrls } from '../schema/destination-urls.ts';
import { createDestinations, type DestinationChange } from './destinations.ts';
import { createEnhancements, type FinishedEnhancement } from './enhancements.ts';
import { createEventRecorder } from '../webhooks/event-recorder.ts';
import {
  writeStep,
  type AnnouncedEvent,
  type PlannedDelivery,
  type ReuseFacts,
  type NewEntry,
  type StepOutcome,
} from '../step.ts';
import { uploadPasswords } from '../schema/upload-passwords.ts';
import { hasLostOriginal, noteLostOriginal } from '../accounts/audit-log.ts';
import { eraseRecords } from './erase-uploads.ts';
import { sealUpload } from './uploads.ts';

export interface RecordedEvent {
  kind: EventKind;
  /** Workflow of the event. With the eventKey it determines the event's id, so that the event is recorded once. */
  source: string;
  eventKey: string;
  /** ISO 8601 */
  created: string;
  /** Webhook URL given with the upload; null for none */
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
 * The steps of a lifecycle. Each may be repeated, and writes records, ledger entries and event in one statement (`step.ts`); what
 * only some of them write as well makes it a transaction.
 */
export function createLifecycleSteps({ orm }: Pick<Database, 'orm'>, vault: Vault, now: () => number = Date.now) {
  const { sealReceiver } = createSecretAddresses(vault);

  function toEvent(
    record: Upload | Enhancement,
    { kind, source, eventKey, created, webhookUrl }: RecordedEvent,
  ): AnnouncedEvent {
    const digest = createHash('sha256').update(`${source}\n${eventKey}`).digest();
    const id = derivedId('evt', digest);
    const formats =
      'uploadId' in record
        ? { data: enhancementEventData(record), publicData: null }
        : { data: toUploadEventData(kind, record), publicData: publicEventData(kind, record) };
    const own = webhookUrl === null ? null : sealReceiver(record.accountId, webhookUrl);
    return { id, event: kind, ...formats, created, own };
  }

  function recordEvent(tx: Orm, record: Upload | Enhancement, event: AnnouncedEvent): Promise<PlannedDelivery[]> {
    const subject = { table: 'uploadId' in record ? 'enhancements' : 'uploads', id: record.id } as const;
    return createEventRecorder(tx, now).recordEvent(record.accountId, event, event.own, subject);
  }

  /** The deliveries of the event of a projection. */
  async function deliveriesOf(
    tx: Orm,
    { event: { deliveries, missed } }: StepOutcome,
    record: Upload | Enhancement,
    event: AnnouncedEvent | null,
  ): Promise<PlannedDelivery[]> {
    return missed && event !== null ? recordEvent(tx, record, event) : deliveries;
  }

  /** Cancels enhancements that a workflow older than the records does not know, and releases their credits. */
  async function cancelOpen(tx: Orm, upload: Upload, announce: RecordedEvent | null): Promise<PlannedDelivery[]> {
    const destinations = createDestinations({ orm: tx });
    const planned: PlannedDelivery[] = [];
    for (const open of await createEnhancements({ orm: tx }).listOpen(upload.id)) {
      const { id: enhancementId, accountId, revision } = open;
      const entries = await planRelease(tx, { accountId, enhancementId, nowMs: now() });
      const finishedAt = upload.deletedAt ?? new Date(now()).toISOString();
      const ended: Enhancement = {
        ...open,
        ...{ revision: revision + 1, status: 'CANCELLED', waitingFor: null, finishedAt },
        ...(isPending(open.destination) && { destination: cancelledDestination(open.destination) }),
      };
      const sentence = 'Cancelled with its upload; reserved credits were released.';
      const event =
        announce &&
        toEvent(ended, {
          ...announce,
          kind: 'enhanced_image.status_update',
          eventKey: settledEventKey(enhancementId),
        });
      const step = { accountId, enhancement: { state: ended, facts: null }, sentence, entries, event };
      const written = await writeStep(tx, step, now());
      planned.push(...(await deliveriesOf(tx, written, ended, event)));
    }
    for (const { id: enhancementId, accountId, uploadId, revision, destination } of await destinations.listPending(
      upload.id,
    )) {
      const change = { enhancementId, accountId, uploadId, revision: revision + 1, waitingFor: null };
      const cancelled = cancelledDestination(destination!);
      const changed = await destinations.write({ ...change, destination: cancelled });
      if (changed !== undefined)
        await writeStep(tx, { accountId, changed, sentence: `${cancelled.errorDetail}` }, now());
    }
    return planned;
  }

  /** Credits of a step: the ledger decides, since an older copy of it may have lost the reservation, or have released it. */
  async function settled({
    enhancement,
    settle,
    nowMs,
  }: EnhancementStep): Promise<{ record: Enhancement; entries: NewEntry[] }> {
    const { id: enhancementId, accountId } = enhancement;
    const movement = { accountId, enhancementId, nowMs };
    if (settle === null) return { record: enhancement, entries: [] };
    // A reused result costs nothing, but an earlier attempt of the same step may have reserved credits.
    if (settle === 'release')
      return { record: enhancement, entries: await planRelease(orm, movement, enhancement.reusedFrom === null) };
    const { charged, entries } = await planCapture(orm, { ...movement, credits: settle.capture });
    return { record: { ...enhancement, chargedCredits: charged }, entries };
  }

  return {
    /**
     * Writes the state of an upload. A deletion also ends each enhancement that the workflow does not know.
     * @returns the deliveries of the event, and those of ended enhancements
     */
    async recordUpload({ upload, sentence, announce }: UploadStep): Promise<UploadDeliveries> {
      const isPasswordUseless = hasNoUseForPassword(upload);
      const event = announce && toEvent(upload, announce);
      const write = async (tx: Orm) => {
        const { accountId } = upload;
        const step = { accountId, upload: sealUpload(vault, upload), sentence, event };
        const written = await writeStep(tx, step, now());
        return { ...written, ofUpload: await deliveriesOf(tx, written, upload, event) };
      };
      if (!isPasswordUseless && !hasLostOriginal(upload))
        return { ofUpload: (await write(orm)).ofUpload, ofEnhancements: [] };
      return decided(() =>
        orm.transaction(async (tx) => {
          const ofEnhancements = upload.status === 'UPLOAD_DELETED' ? await cancelOpen(tx, upload, announce) : [];
          const { applied, ofUpload } = await write(tx);
          if (applied) await noteLostOriginal(tx, upload, now);
          if (upload.status === 'UPLOAD_DELETED') await eraseRecords(tx, [upload.id]);
          // A late repetition must not remove a newer password.
          if (isPasswordUseless && applied)
            await tx.delete(uploadPasswords).where(eq(uploadPasswords.uploadId, upload.id));
          return { ofUpload, ofEnhancements };
        }),
      );
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
      return decided(async (): Promise<BeginOutcome> => {
        const [earlier, read] = await Promise.all([
          reuse ? createEnhancements({ orm }).findReusable({ ...facts, accountId, except: enhancementId }) : undefined,
          credits === null ? undefined : openPeriod(orm, { accountId, enhancementId, nowMs }),
        ]);
        if (earlier !== undefined) return { outcome: 'reusable', earlier };
        if (credits === null || read === undefined) return { outcome: 'new' };
        const planned = planReservation(read, { accountId, enhancementId, credits, nowMs });
        if (planned.outcome !== 'reserved') return { outcome: 'insufficient', remaining: planned.remaining };

        const event = announce && toEvent(enhancement, announce);
        const state = { state: enhancement, facts };
        const step = { accountId, enhancement: state, sentence, entries: planned.entries, event };
        const written = await writeStep(orm, step, now());
        const deliveries = await deliveriesOf(orm, written, enhancement, event);
        const { period } = read;
        const balance = toBalance({ period, totals: written.totals ?? read.totals });
        const reserved = afterReservation(planned, balance);
        return { outcome: 'reserved', deliveries, lowCredits: await recordLowCredits(orm, accountId, reserved, now) };
      });
    },

    /** Writes the state of a destination. Its end deletes the URL, and records the event. */
    recordDestination({ sentence, announce, ...change }: DestinationStep): Promise<PlannedDelivery[]> {
      const { enhancementId, destination } = change;
      return orm.transaction(async (tx) => {
        const changed = await createDestinations({ orm: tx }).write(change);
        if (!isPending(destination))
          await tx.delete(destinationUrls).where(eq(destinationUrls.enhancementId, enhancementId));
        const shown = changed ?? (await createEnhancements({ orm: tx }).get(change.accountId, enhancementId));
        if (shown === undefined) return [];
        // A repetition finds the event recorded, and returns its deliveries again.
        const event = announce && toEvent({ ...shown, destination }, announce);
        const step = { accountId: change.accountId, ...(changed && { changed }), sentence, event };
        return deliveriesOf(tx, await writeStep(tx, step, now()), shown, event);
      });
    },

    /** Writes the state of an enhancement, and charges or releases its credits. */
    recordEnhancement(step: EnhancementStep): Promise<PlannedDelivery[]> {
      const { facts, sentence, announce } = step;
      return decided(async () => {
        const { record, entries } = await settled(step);
        const event = announce && toEvent(record, announce);
        const write = async (tx: Orm) => {
          const enhancement = { state: record, facts };
          const parts = { accountId: record.accountId, enhancement, sentence, entries, event };
          const written = await writeStep(tx, parts, now());
          if (written.applied) await noteLostOriginal(tx, record, now);
          return deliveriesOf(tx, written, record, event);
        };
        return hasLostOriginal(record) ? orm.transaction(write) : write(orm);
      });
    },
  };
}
