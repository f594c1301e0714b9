import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { ApplicationFailure } from '@temporalio/common';
import { SEED_PLANS, type PdfAnalysis } from '@burnish/contract';
import { toPlanTerms } from '../../src/domain/accounts/account-limits.ts';
import type { Watch } from '../../src/activities/heartbeat.ts';
import type { Provider } from '../../src/activities/provider/local.ts';
import type { EnhanceOutcome, Inspection } from '../../src/activities/provider/local-context.ts';
import type { PlannedEnhancement } from '../../src/activities/provider/local-pdf.ts';
import { PLAN_OUTDATED } from '../../src/domain/temporal/workflow-interface.ts';
import { workPrefix } from '../../src/domain/files/object-keys.ts';
import type { ObjectStore } from '../../src/storage/object-store.ts';
import type { Input, SourceFile } from '../../src/activities/inputs/schemas.ts';

/** What a workflow of an account with the plan FREE knows about it. */
export const FREE_TERMS = toPlanTerms({ id: 'FREE', ...SEED_PLANS.FREE });

/** The failure of a span whose plan is from an earlier version. */
export const outdatedPlan = (): ApplicationFailure =>
  ApplicationFailure.create({ type: PLAN_OUTDATED, message: 'An older version made the plan.', nonRetryable: true });

/** Work that goes on until it is told to stop, as the engine's does. */
export const untilStopped = (_job: unknown, { signal }: { signal: AbortSignal }): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

/** Files that the scripted engine works on at once. */
export const ENGINE_SLOTS = { quick: 4, large: 4 };

/** What a test lets the engine do; each part falls back to quick success. */
export interface Script {
  inspect?: (source: SourceFile, watch: Watch) => Promise<Inspection>;
  /** Whether an image is inspected among the large ones; none is by default */
  isLarge?: (source: SourceFile) => boolean;
  analyze?: (source: SourceFile, watch: Watch) => Promise<PdfAnalysis>;
  estimate?: (job: Input<'estimate'>, watch: Watch) => Promise<number>;
  /** Charge of a result; by default that of its parameters, or of the analysis */
  credits?: (job: Input<'enhance'>) => number;
  /** Whether a small image is inspected and enhanced by one activity; by default, each has one of its own */
  together?: boolean;
  /** Runs before the result is written */
  enhance?: (job: Input<'enhance'>, watch: Watch) => Promise<void>;
  /** Images of each span of a PDF that is too large for one activity */
  spans?: readonly number[];
  /** Runs before the results of a span are written */
  span?: (job: Input<'enhancePdfSpan'>, watch: Watch) => Promise<void>;
  /** Runs before the results of all spans are put together */
  assemble?: (job: Input<'assemblePdf'>, watch: Watch) => Promise<void>;
}

export interface ScriptedProvider extends Provider {
  script: Script;
  /** Calls in order: the work, and the id of the upload or, for an enhancement's work, of the enhancement */
  calls: string[];
}

export const ANALYSIS: PdfAnalysis = {
  totalCredits: 9,
  statistics: {
    pages: 2,
    images: 3,
    colorEligible: 1,
    resizeEligible: 2,
    credits: { color: 1, resize: 8, colorAndResize: 9 },
  },
};

const usualCredits = ({ source, parameters }: Input<'enhance'>): number =>
  source.mimetype === 'application/pdf' ? ANALYSIS.totalCredits : parameters.upscalingFactor === 'X2' ? 4 : 1;

/** Stands in for the engine, so that lifecycles can be led into every fault; results are real objects in the store. */
export function createScriptedProvider(store: ObjectStore, folder: string): ScriptedProvider {
  const provider: ScriptedProvider = {
    script: {},
    calls: [],
    async inspect(source, watch) {
      provider.calls.push(`inspect ${source.uploadId}`);
      return (
        (await provider.script.inspect?.(source, watch)) ?? { width: 640, height: 480, hasAlpha: false, notes: [] }
      );
    },
    proveDecoder: () => Promise.resolve([]),
    inspectQuickly: (source, watch) =>
      provider.script.isLarge?.(source) === true ? Promise.resolve(null) : provider.inspect(source, watch),
    async analyze(source, watch) {
      provider.calls.push(`analyze ${source.uploadId}`);
      return (await provider.script.analyze?.(source, watch)) ?? ANALYSIS;
    },
    async estimate(job, watch) {
      provider.calls.push(`estimate ${job.enhancementId}`);
      return (await provider.script.estimate?.(job, watch)) ?? ANALYSIS.totalCredits;
    },
    async enhance(job, watch): Promise<EnhanceOutcome | PlannedEnhancement> {
      provider.calls.push(`enhance ${job.enhancementId}`);
      await provider.script.enhance?.(job, watch);
      watch.signal.throwIfAborted();
      return provider.script.spans === undefined ? makeResult(job) : plan(job, provider.script.spans);
    },
    async inspectAndEnhance(job, watch) {
      if (provider.script.together !== true) return null;
      const inspection = await provider.inspect(job.source, watch);
      const outcome = await provider.enhance(job, watch);
      return 'spans' in outcome ? null : { inspection, outcome };
    },
    async enhanceSpan(job, watch) {
      provider.calls.push(`span ${job.enhancementId} ${job.from}`);
      await provider.script.span?.(job, watch);
      watch.signal.throwIfAborted();
      for (let index = job.from; index < job.to; index += 1) await put(`${job.workKey}/${index}`, String(index));
      watch.onProgress({ step: 'images', fraction: 1, images: job.to - job.from });
      return { durationMs: 10 };
    },
    async assemble(job, watch) {
      provider.calls.push(`assemble ${job.enhancementId}`);
      await provider.script.assemble?.(job, watch);
      watch.signal.throwIfAborted();
      for (let index = 0; index < job.images; index += 1)
        if ((await store.head(`${job.workKey}/${index}`)) === undefined) throw new Error(`Result ${index} is missing.`);
      return makeResult(job);
    },
  };
  return provider;

  async function put(key: string, text: string): Promise<void> {
    await store.put(key, Readable.from([Buffer.from(text)]), { maxBytes: 1000 });
  }

  async function plan(job: Input<'enhance'>, sizes: readonly number[]): Promise<PlannedEnhancement> {
    const workKey = `${workPrefix(job.resultKey)}/scripted`;
    await put(`${workKey}/plan`, 'plan');
    let images = 0;
    const spans = sizes.map((size) => ({ from: images, to: (images += size) }));
    return { workKey, images, spans };
  }

  async function makeResult(job: Input<'enhance'>): Promise<EnhanceOutcome> {
    const path = join(folder, job.enhancementId);
    await writeFile(path, `enhanced ${job.source.originalFilename}`);
    const { size, sha256 } = await store.putFile(job.resultKey, path);
    const { mimetype, originalFilename: filename, size: originalSize } = job.source;
    return {
      result: { objectKey: job.resultKey, size, originalSize, sha256, mimetype, filename, width: 1280, height: 960 },
      engine: { version: 'scripted', steps: ['tone'], models: [], notes: [], durationMs: 5 },
      credits: provider.script.credits?.(job) ?? usualCredits(job),
    };
  }
}
