import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineReport, EnhancementResult } from '../../domain/enhancement.ts';
import { mediaKind } from '../../domain/media.ts';
import { resolveImageParameters, resolvePdfParameters } from '../../domain/parameters.ts';
import { PLANS } from '../../domain/plans.ts';
import { priceOfImage, priceOfPdf } from '../../domain/pricing.ts';
import { resultFilename } from '../../domain/result-filename.ts';
import type { Sandbox } from '../../engine/sandbox.ts';
import { ENGINE_VERSION } from '../../engine/version.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { EnhanceJob, Provider, Watch } from './provider.ts';

/** Wall clock of work on a PDF, milliseconds: 1,000 MB of images take hours, a hang must not. */
const PDF_TIMEOUT_MS = { analyze: 20 * 60_000, enhance: 3.5 * 3_600_000 };

export interface LocalProviderDeps {
  sandbox: Sandbox;
  store: ObjectStore;
  /** Folder for files that live as long as one job; on the same disk as storage, a result is moved, not copied */
  scratchDir: string;
}

type Made = Pick<EnhancementResult, 'mimetype' | 'width' | 'height'> &
  Pick<EngineReport, 'steps' | 'notes'> & { credits: number };

/** The provider that is built in: the engine, in its sandbox, on files of our storage. */
export function createLocalProvider({ sandbox, store, scratchDir }: LocalProviderDeps): Provider {
  return {
    inspect: (source, watch) =>
      store.withLocalFile(source.objectKey, async (inputPath) => {
        const { width, height, notes } = await sandbox.run('inspect-image', { inputPath }, watch);
        return { width, height, notes };
      }),

    analyze: (source, watch) =>
      store.withLocalFile(source.objectKey, async (inputPath) => {
        const options = { ...watch, timeoutMs: PDF_TIMEOUT_MS.analyze };
        const { analysis } = await sandbox.run('analyze-pdf', { inputPath }, options);
        return analysis;
      }),

    estimate: ({ source, parameters, plan }, watch) =>
      store.withLocalFile(source.objectKey, async (inputPath) => {
        if (mediaKind(source.mimetype) === 'image') return priceOfImage(resolveImageParameters(parameters));
        const resolved = resolvePdfParameters(parameters, PLANS[plan].maxResolution);
        const options = { ...watch, timeoutMs: PDF_TIMEOUT_MS.analyze };
        const { credits } = await sandbox.run('estimate-pdf', { inputPath, parameters: resolved }, options);
        return credits;
      }),

    async enhance(job, watch) {
      const started = performance.now();
      const scratch = await mkdtemp(join(scratchDir, 'job-'));
      try {
        const outputPath = join(scratch, 'result');
        const make = mediaKind(job.source.mimetype) === 'pdf' ? enhancePdf : enhanceImage;
        const made = await store.withLocalFile(job.source.objectKey, (path) => make(job, path, outputPath, watch));
        const durationMs = Math.round(performance.now() - started);
        watch.signal.throwIfAborted();
        const { size, sha256 } = await store.putFile(job.resultKey, outputPath);
        const { mimetype, width, height, steps, notes, credits } = made;
        const filename = resultFilename(job.source.originalFilename, mimetype);
        return {
          result: { objectKey: job.resultKey, size, sha256, mimetype, filename, width, height },
          engine: { version: ENGINE_VERSION, steps, notes, durationMs },
          credits,
        };
      } finally {
        await rm(scratch, { recursive: true, force: true });
      }
    },
  };

  async function enhanceImage(job: EnhanceJob, inputPath: string, outputPath: string, watch: Watch): Promise<Made> {
    const parameters = resolveImageParameters(job.parameters);
    const made = await sandbox.run('enhance-image', { inputPath, outputPath, parameters }, watch);
    return { ...made, credits: priceOfImage(parameters) };
  }

  async function enhancePdf(job: EnhanceJob, inputPath: string, outputPath: string, watch: Watch): Promise<Made> {
    const parameters = resolvePdfParameters(job.parameters, PLANS[job.plan].maxResolution);
    const options = { ...watch, timeoutMs: PDF_TIMEOUT_MS.enhance };
    const made = await sandbox.run('enhance-pdf', { inputPath, outputPath, parameters }, options);
    const skipped = made.skipped.map(({ reason, count }) => `${count} left alone: ${reason}.`);
    return {
      mimetype: 'application/pdf',
      width: 0,
      height: 0,
      steps: [`${made.enhanced} of ${made.images} images`],
      notes: [...made.notes, ...skipped],
      credits: priceOfPdf(made.work),
    };
  }
}
