import { CancellationScope, upsertMemo, workflowInfo } from '@temporalio/workflow';
import type { EnhanceJob, EnhanceOutcome, PlannedEnhancement } from '../../activities/provider/provider.ts';
import { engineActivityId } from '../../domain/temporal/messages.ts';
import { mediaKind } from '../../domain/upload/media.ts';
import { deleteWork, enhance, assemblePdf, enhancePdfSpan } from '../activities.ts';
import { withMachineryBackoff, type WaitNotice } from '../machinery-backoff.ts';
import { withPriority, type WorkOptions } from '../priority.ts';
import type { ImageCount } from '../../domain/enhancement/enhancement.ts';

/**
 * Makes the result with the local engine: one activity for an image and for a PDF with little work; for a large PDF that activity
 * makes the plan, and its spans run on every engine worker. May be cancelled at any await; nothing that was kept for the work is
 * left behind.
 */
export async function enhanceLocally(
  job: EnhanceJob,
  waits: WaitNotice,
  options: WorkOptions,
): Promise<EnhanceOutcome> {
  let inStorage = mediaKind(job.source.mimetype) === 'pdf';
  try {
    const made = await withMachineryBackoff(waits, (backoff) =>
      enhance.executeWithOptions(
        { ...backoff, ...options, activityId: engineActivityId(job.enhancementId, 'enhance') },
        [job],
      ),
    );
    if ('spans' in made) return await enhanceInSpans(job, made, waits, options);
    inStorage = false;
    return made;
  } finally {
    if (inStorage) await CancellationScope.nonCancellable(() => deleteWork({ resultKey: job.resultKey }));
  }
}

/** Spans of one PDF that are open at the same time, over all engine workers. */
const OPEN_SPANS = 8;

/**
 * Hands out the spans of a plan and puts their results together. The memo counts the images of finished spans, and the
 * heartbeats of open ones say how far they are: both can be read without a worker.
 */
export async function enhanceInSpans(
  job: EnhanceJob,
  { workKey, images, spans }: PlannedEnhancement,
  waits: WaitNotice,
  options: WorkOptions,
): Promise<EnhanceOutcome> {
  const { enhancementId, source } = job;
  const count: ImageCount = { done: 0, of: images };
  noteImages(enhancementId, count);
  let engineMs = 0;
  try {
    await inLanes(spans, async ({ from, to }) => {
      const span = { enhancementId, source, workKey, from, to };
      const { durationMs } = await withMachineryBackoff(waits, (backoff) =>
        enhancePdfSpan.executeWithOptions(
          {
            ...backoff,
            summary: `${options.summary}: images ${from + 1} to ${to} of ${images}`,
            activityId: engineActivityId(enhancementId, `images-${from + 1}-${to}`),
            // All other work goes first.
            ...withPriority('span'),
          },
          [span],
        ),
      );
      engineMs += durationMs;
      count.done += to - from;
      noteImages(enhancementId, count);
    });
    const { engine, ...outcome } = await withMachineryBackoff(waits, (backoff) =>
      assemblePdf.executeWithOptions(
        { ...backoff, ...options, activityId: engineActivityId(enhancementId, 'assemble') },
        [{ ...job, workKey, images }],
      ),
    );
    return { ...outcome, engine: { ...engine, durationMs: engine.durationMs + engineMs } };
  } finally {
    noteImages(enhancementId, undefined);
  }
}

/** The memo holds the counts of those enhancements alone that are at work in spans. */
function noteImages(enhancementId: string, count: ImageCount | undefined): void {
  const { [enhancementId]: _mine, ...others } = (workflowInfo().memo?.['images'] ?? {}) as Record<string, ImageCount>;
  upsertMemo({ images: count === undefined ? others : { ...others, [enhancementId]: count } });
}

/** Runs something for each, a few at a time. The first failure stops the others, and is thrown once they have let go. */
async function inLanes<T>(all: readonly T[], run: (each: T) => Promise<void>): Promise<void> {
  const scope = new CancellationScope();
  await scope.run(async () => {
    const waiting = [...all];
    const lanes = Array.from({ length: Math.min(OPEN_SPANS, waiting.length) }, async () => {
      for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) await run(each);
    });
    try {
      await Promise.all(lanes);
    } catch (error) {
      waiting.length = 0;
      scope.cancel();
      await CancellationScope.nonCancellable(() => Promise.allSettled(lanes));
      throw error;
    }
  });
}
