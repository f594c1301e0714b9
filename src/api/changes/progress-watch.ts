import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Enhancement, ImageCount, EnhancementProgress } from '@burnish/contract';
import { belongsToEnhancement, uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import { within } from '../../process/within.ts';

const heartbeatSchema = z.object({
  step: z.string().max(100),
  fraction: z.number().min(0).max(1),
  images: z.number().min(0).optional(),
});
type Heartbeat = z.infer<typeof heartbeatSchema>;
const imageCountSchema: z.ZodType<ImageCount> = z.object({ done: z.number().min(0), of: z.number().min(1) });
/** Counts by enhancement */
const imageCountsSchema = z.record(z.string(), imageCountSchema);

/** Share of the progress until all images of a large PDF have their results; the rest is its assembly. */
const IMAGES_SHARE = 0.95;

export type Watchable = Pick<Enhancement, 'id' | 'uploadId'>;

export type ReadProgress = (enhancement: Watchable) => Promise<EnhancementProgress | undefined>;

/**
 * Reads the heartbeats of an enhancement's activities in its upload's workflow, and returns the most advanced one.
 * For a large PDF it adds the running spans to the finished ones, which the workflow's memo counts.
 */
export function createProgressReader(client: Pick<Client, 'workflow'>): ReadProgress {
  const { payloadConverter, payloadCodecs } = client.workflow.options.loadedDataConverter;

  async function decode(payloads: Payload[]): Promise<unknown> {
    let decoded = payloads;
    for (const codec of payloadCodecs) decoded = await codec.decode(decoded);
    return decoded[0] === undefined ? undefined : payloadConverter.fromPayload(decoded[0]);
  }

  return async ({ id, uploadId }) => {
    const { raw, memo } = await client.workflow.getHandle(uploadWorkflowId(uploadId)).describe();
    const details = (raw.pendingActivities ?? [])
      .filter(({ activityId }) => belongsToEnhancement(id, activityId ?? ''))
      .map(({ heartbeatDetails }) => heartbeatDetails?.payloads ?? []);
    const progress = await Promise.all(details.map(async (payloads) => readHeartbeat(await decode(payloads))));
    const count = imageCountsSchema.safeParse(memo?.['images']).data?.[id];
    if (count !== undefined) return progressOfSpans(count, progress);
    const furthest = progress.reduce((a, b) => ((b?.fraction ?? -1) > (a?.fraction ?? -1) ? b : a), undefined);
    return furthest && { step: furthest.step, fraction: furthest.fraction };
  };
}

function readHeartbeat(details: unknown): Heartbeat | undefined {
  return heartbeatSchema.safeParse(details).data;
}

function progressOfSpans(count: ImageCount, open: readonly (Heartbeat | undefined)[]): EnhancementProgress {
  const done = open.reduce((sum, each) => sum + (each?.images ?? 0), count.done);
  return {
    step: count.done < count.of ? 'images' : 'assemble',
    fraction: IMAGES_SHARE * Math.min(1, done / count.of),
  };
}

export interface ProgressWatch {
  /** Calls back when the progress of an enhancement has changed. @returns a function that ends the subscription */
  subscribe(enhancement: Watchable, callback: (progress: EnhancementProgress) => void): () => void;
  /** Returns the progress of an enhancement for its record; null unless it runs, and without an answer of Temporal. */
  read(enhancement: Watchable & Pick<Enhancement, 'status'>): Promise<EnhancementProgress | null>;
}

/** Maximum wait of a record for its progress, milliseconds. */
const RECORD_WAIT_MS = 1000;

interface Watched {
  callbacks: Set<(progress: EnhancementProgress) => void>;
  timer: NodeJS.Timeout;
  last: EnhancementProgress | undefined;
}

/**
 * Whether progress has changed. The image count must not decrease: a span that has just finished may be missing for a
 * moment.
 */
function isNews(progress: EnhancementProgress, last: EnhancementProgress | undefined): boolean {
  if (progress.step !== last?.step) return true;
  return progress.step === 'images' ? progress.fraction > last.fraction : progress.fraction !== last.fraction;
}

/**
 * Reads the progress of each watched enhancement at an interval, once for all its watchers, and never concurrently.
 * Records share one read per interval too, so that no number of callers that poll sends more to Temporal.
 */
export function createProgressWatch(deps: { read: ReadProgress; intervalMs: number; log: Logger }): ProgressWatch {
  const watched = new Map<string, Watched>();
  const recent = new Map<string, { since: number; reading: ReturnType<ReadProgress> }>();

  const read = (enhancement: Watchable): ReturnType<ReadProgress> =>
    deps.read(enhancement).catch((error: unknown) => {
      deps.log.debug({ err: error }, 'progress could not be read');
      return undefined;
    });
  function readForRecords(enhancement: Watchable): { since: number; reading: ReturnType<ReadProgress> } {
    const { id } = enhancement;
    const known = recent.get(id);
    if (known !== undefined) return known;
    const made = { since: performance.now(), reading: read(enhancement) };
    recent.set(id, made);
    void made.reading.then(() => setTimeout(() => recent.delete(id), deps.intervalMs).unref());
    return made;
  }

  async function look(enhancement: Watchable, each: Watched): Promise<void> {
    const progress = await read(enhancement);
    if (progress !== undefined && isNews(progress, each.last)) {
      each.last = progress;
      each.callbacks.forEach((callback) => callback(progress));
    }
    if (watched.get(enhancement.id) === each) each.timer = next(enhancement, each);
  }
  const next = (enhancement: Watchable, each: Watched): NodeJS.Timeout =>
    setTimeout(() => void look(enhancement, each), deps.intervalMs).unref();

  return {
    async read({ id, uploadId, status }) {
      if (status !== 'PROCESSING') return null;
      const last = watched.get(id)?.last;
      if (last !== undefined) return last;
      const { since, reading } = readForRecords({ id, uploadId });
      const leftMs = since + RECORD_WAIT_MS - performance.now();
      const progress = await within(Math.max(0, leftMs), () => undefined, reading);
      return progress ?? null;
    },

    subscribe(enhancement, callback) {
      const { id } = enhancement;
      let each = watched.get(id);
      if (each === undefined) {
        each = { callbacks: new Set(), timer: setTimeout(() => undefined), last: undefined };
        watched.set(id, each);
        each.timer = next(enhancement, each);
      }
      each.callbacks.add(callback);
      if (each.last !== undefined) callback(each.last);
      const { callbacks } = each;
      return () => {
        callbacks.delete(callback);
        const current = watched.get(id);
        if (callbacks.size > 0 || current?.callbacks !== callbacks) return;
        clearTimeout(current.timer);
        watched.delete(id);
      };
    },
  };
}
