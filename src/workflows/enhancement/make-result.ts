import { ActivityFailure, ApplicationFailure, CancellationScope, upsertMemo, workflowInfo } from '@temporalio/workflow';
import type { Priority } from '@temporalio/common';
import { counted, mediaKind, type ImageCount } from '@burnish/contract';
import type { EnhanceOutcome } from '../../activities/provider/local-context.ts';
import type { PlannedEnhancement } from '../../activities/provider/local-pdf.ts';
import { hostedCalls } from '../hosted/calls.ts';
import { awaitHostedCredits, isOutOfHostedCredits } from '../hosted/credits.ts';
import { enhanceAtHosted, type HostedEnhancing } from '../hosted/enhance.ts';
import { withFallback } from '../hosted/fallback.ts';
import type { EnhancementWork } from './enhancement-run.ts';
import { engineActivityId, PLAN_OUTDATED, PRIORITY_KEYS } from '../../domain/temporal/workflow-interface.ts';
import { deleteWork, enhance, assemblePdf, enhancePdfSpan } from '../activities.ts';
import { step, type WaitNotice } from '../step.ts';
import type { Input } from '../../activities/inputs/schemas.ts';

/**
 * Runs the enhancement on the upload's provider. The local engine takes over when the hosted service stays unavailable and the
 * policy allows it. A result that the service makes later is discarded with the upload.
 */
export async function makeResult(work: EnhancementWork, options: WorkOptions): Promise<EnhanceOutcome> {
  const { open, upload, hosted: policy } = work;
  const { tracker } = open;
  const { remoteId: remoteUploadId } = upload.state;
  const here = () => makeLocally(work, options);
  if (tracker.state.provider !== 'hosted' || policy === undefined || remoteUploadId === null) return here();
  return withFallback(
    policy,
    () => makeAtHosted({ ...work, remoteUploadId, policy, calls: hostedCalls(policy, options.summary) }),
    async () => {
      await tracker.move(
        { provider: 'local' },
        'The hosted service is unavailable. The local engine takes over, and a later result of the service is discarded.',
      );
      return here();
    },
  );
}

async function makeLocally(work: EnhancementWork, options: WorkOptions): Promise<EnhanceOutcome> {
  const { tracker } = work.open;
  const reserved = tracker.state.estimatedCredits ?? 0;
  if (tracker.state.status !== 'PROCESSING') {
    // The upload may have fallen back before this enhancement began.
    await tracker.move(
      {
        status: 'PROCESSING',
        provider: tracker.state.provider === 'test' ? 'test' : 'local',
        startedAt: new Date().toISOString(),
      },
      `Enhancing; ${counted(reserved, 'credit')} reserved.`,
    );
  }
  work.open.mayHaveResult = true;
  return atMostReserved(work, await enhanceLocally(work.job, tracker.waits, options));
}

/** The charge never exceeds the agreed price, regardless of the provider that completed the work. */
export function atMostReserved({ open: { tracker } }: EnhancementWork, outcome: EnhanceOutcome): EnhanceOutcome {
  return { ...outcome, credits: Math.min(outcome.credits, tracker.state.estimatedCredits ?? 0) };
}

/** The service may count credits differently from its report. After a refusal for lack of credits, the workflow waits again. */
async function makeAtHosted(work: HostedEnhancing): Promise<EnhanceOutcome> {
  work.open.mayHaveResult = true;
  for (let refusals = 0; ; refusals += 1) {
    if (work.open.tracker.state.remoteId === null && work.open.progress.lost === undefined) {
      await awaitHostedCredits(work.open, work.calls, refusals);
    }
    try {
      return await enhanceAtHosted(work);
    } catch (error) {
      if (!isOutOfHostedCredits(error)) throw error;
    }
  }
}

/**
 * Makes the result with the local engine. One activity handles an image, and a PDF with little work. For a large PDF that
 * activity makes the plan, and the spans run on every engine worker. May be cancelled at any await, and always deletes its
 * intermediate files.
 */
async function enhanceLocally(job: Input<'enhance'>, waits: WaitNotice, options: WorkOptions): Promise<EnhanceOutcome> {
  let inStorage = mediaKind(job.source.mimetype) === 'pdf';
  try {
    for (let plans = 1; ; plans += 1) {
      const activityId = engineActivityId(job.enhancementId, 'enhance');
      const made = await step(waits, enhance, { ...options, activityId }, job);
      if (!('spans' in made)) {
        inStorage = false;
        return made;
      }
      try {
        return await enhanceInSpans(job, made, waits, options);
      } catch (error) {
        if (!isOutdatedPlan(error) || plans === MOST_PLANS) throw error;
        await deleteWork({ resultKey: job.resultKey });
      }
    }
  } finally {
    if (inStorage) await CancellationScope.nonCancellable(() => deleteWork({ resultKey: job.resultKey }));
  }
}

/** Maximum number of plans of one enhancement: during an update, workers of the earlier version may make the next one too. */
const MOST_PLANS = 5;

/** Whether an update of Burnish reached the workers after they made the plan. */
const isOutdatedPlan = (error: unknown): boolean =>
  error instanceof ActivityFailure && error.cause instanceof ApplicationFailure && error.cause.type === PLAN_OUTDATED;

/** Maximum number of concurrent spans of one PDF, across all engine workers. */
const OPEN_SPANS = 8;

/**
 * Runs the spans of a plan and assembles their results. The memo counts the images of finished spans. Heartbeats report the
 * progress of running spans. Both are readable without a worker.
 */
async function enhanceInSpans(
  job: Input<'enhance'>,
  { workKey, images, spans, text }: PlannedEnhancement,
  waits: WaitNotice,
  options: WorkOptions,
): Promise<EnhanceOutcome> {
  const { enhancementId, source } = job;
  const count: ImageCount = { done: 0, of: images };
  noteImages(enhancementId, count);
  let engineMs = 0;
  try {
    await inLanes(spans, async ({ from, to }) => {
      const span = { enhancementId, source, workKey, from, to, ...(text !== undefined && { text }) };
      const { durationMs } = await step(
        waits,
        enhancePdfSpan,
        {
          summary: `${options.summary}: images ${from + 1} to ${to} of ${images}`,
          activityId: engineActivityId(enhancementId, `images-${from + 1}-${to}`),
          // Every other activity has a higher priority.
          ...withPriority('span'),
        },
        span,
      );
      engineMs += durationMs;
      count.done += to - from;
      noteImages(enhancementId, count);
    });
    const activityId = engineActivityId(enhancementId, 'assemble');
    const assembly = { ...job, workKey, images, ...(text !== undefined && { text }) };
    const { engine, ...outcome } = await step(waits, assemblePdf, { ...options, activityId }, assembly);
    return { ...outcome, engine: { ...engine, durationMs: engine.durationMs + engineMs } };
  } finally {
    noteImages(enhancementId, undefined);
  }
}

/** The memo contains counts only for enhancements whose spans are running. */
function noteImages(enhancementId: string, count: ImageCount | undefined): void {
  const { [enhancementId]: _mine, ...others } = (workflowInfo().memo?.['images'] ?? {}) as Record<string, ImageCount>;
  upsertMemo({ images: count === undefined ? others : { ...others, [enhancementId]: count } });
}

/** Runs a function for each item with limited concurrency. The first failure cancels the other calls, and is thrown once they end. */
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

export interface WorkOptions {
  /** Text for the Web UI */
  summary: string;
  /** Of quick work or of large work */
  taskQueue: string;
  /** The workflow's priority by default */
  priority?: Priority;
}

/**
 * The option that gives an activity its own priority, within the fair share of the same account.
 * @param key undefined keeps the workflow's priority
 */
export function withPriority(key: keyof typeof PRIORITY_KEYS | undefined): Pick<WorkOptions, 'priority'> {
  return key === undefined ? {} : { priority: { ...workflowInfo().priority, priorityKey: PRIORITY_KEYS[key] } };
}
