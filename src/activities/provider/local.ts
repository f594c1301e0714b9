import { mkdtemp, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { accountIn } from '../../domain/files/object-keys.ts';
import { mediaKind, resolveImageParameters } from '@burnish/engine/contract';
import { resultFilename } from '../../domain/upload/filenames.ts';
import { priceOfImage, priceOfPdf, priceOfSteps } from '../../domain/enhancement/prices.ts';
import { Failure } from '../../domain/failures.ts';
import { noteInWords } from '../../domain/notes/note-in-words.ts';
import { TASK_CPU_MS } from '../../domain/temporal/timeouts.ts';
import { estimateInspectionMs } from '@burnish/engine/host';
import { createLocalPdf, type LocalPdf } from './local-pdf.ts';
import { createPdfSpans } from './local-pdf-spans.ts';
import type { LocalContext, LocalProviderDeps } from './local-context.ts';
import type { EnhanceOutcome, Inspection, Provider, Watch } from './provider.ts';
import { createTestProvider } from './test.ts';
import { withProgress } from '../heartbeat.ts';
import type { Input, SourceFile } from '../inputs/schemas.ts';
import { withOriginal } from '../needed-files.ts';

/** An image with a larger estimate is a large one, milliseconds of CPU time. */
const QUICK_INSPECTION_MS = 1_000;

/** The built-in provider: runs the engine in its sandbox, on files in Burnish's storage. */
export function createLocalProvider(deps: LocalProviderDeps): Provider & { estimatePdf: LocalPdf['estimate'] } {
  const { sandbox, store, scratchDir, engineVersion, build } = deps;
  const context: LocalContext = {
    ...deps,
    withPassword: deps.passwords?.withPassword ?? ((_uploadId, work) => work({})),
    async withScratch(use) {
      const scratch = await mkdtemp(join(scratchDir, 'job-'));
      try {
        return await use(scratch);
      } finally {
        // The result of an image has been moved, and leaves an empty folder.
        await rmdir(scratch).catch(() => rm(scratch, { recursive: true, force: true }));
      }
    },
    async storeResult(job, { inputPath, outputPath }, made, { signal }) {
      const {
        started,
        credits,
        mimetype,
        width,
        height,
        steps,
        models = [],
        fellBack = false,
        notes,
        unchanged,
        fidelity,
        uncertainPages,
        splitPages,
      } = made;
      const durationMs = Math.round(performance.now() - started);
      signal.throwIfAborted();
      const { size: originalSize } = await stat(inputPath);
      const { size, sha256 } = await store.putFile(job.resultKey, outputPath);
      const filename = resultFilename(job.source.originalFilename, mimetype);
      return {
        result: { objectKey: job.resultKey, size, originalSize, sha256, mimetype, filename, width, height },
        // A result of a fallback must not be reused, so its engine version differs.
        engine: {
          version: fellBack ? `${engineVersion}-fallback` : engineVersion,
          ...(build && { build }),
          steps,
          models,
          notes: unchanged ? [...notes, 'The enhancement changed no picture and costs nothing.'] : notes,
          durationMs,
          ...(unchanged && { unchanged }),
          ...(fidelity && { fidelity }),
          ...(uncertainPages && { uncertainPages }),
          ...(splitPages && { splitPages }),
        },
        credits,
      };
    },
  };
  const pdf = createLocalPdf(context);

  async function inspectFile(
    { objectKey }: SourceFile,
    inputPath: string,
    limits: Watch & { cpuMs: number },
  ): Promise<Inspection> {
    const options = { ...limits, account: accountIn(objectKey) };
    const { width, height, hasAlpha, notes } = await sandbox.run('inspect-image', { inputPath }, options);
    return { width, height, hasAlpha, notes: notes.map(noteInWords) };
  }

  const local = {
    inspect: (source: SourceFile, watch: Watch) =>
      withOriginal(store, source, (inputPath) =>
        inspectFile(source, inputPath, { ...watch, cpuMs: TASK_CPU_MS.inspectLargeImage }),
      ),

    inspectQuickly: (source: SourceFile, watch: Watch) =>
      withOriginal(store, source, async (inputPath) => {
        if ((await estimateInspectionMs(inputPath, source.mimetype)) > QUICK_INSPECTION_MS) return null;
        const limits = { ...watch, cpuMs: TASK_CPU_MS.inspectImage };
        // A header that lies costs its file another turn, among the large images.
        return inspectFile(source, inputPath, limits).catch((error: unknown) => {
          if (error instanceof Failure && error.code === 'PROCESSING_LIMIT') return null;
          throw error;
        });
      }),

    analyze: pdf.analyze,
    estimatePdf: pdf.estimate,

    async estimate(job: Input<'estimate'>, watch: Watch) {
      if (mediaKind(job.source.mimetype) === 'pdf') return priceOfPdf((await pdf.estimate(job, watch)).work);
      return priceOfImage(resolveImageParameters(job.parameters));
    },

    enhance: (job: Input<'enhance'>, watch: Watch) =>
      (mediaKind(job.source.mimetype) === 'pdf' ? pdf.enhance : enhanceImage)(job, watch),

    ...createPdfSpans(context),
  };
  const test = deps.testReferences && createTestProvider(context, local, deps.testReferences);
  const of = ({ provider }: SourceFile) => (provider === 'test' ? (test ?? local) : local);
  return {
    ...local,
    inspect: (source, watch) => of(source).inspect(source, watch),
    inspectQuickly: (source, watch) => of(source).inspectQuickly(source, watch),
    analyze: (source, watch) => of(source).analyze(source, watch),
    enhance: (job, watch) => of(job.source).enhance(job, watch),
  };

  function enhanceImage(job: Input<'enhance'>, watch: Watch): Promise<EnhanceOutcome> {
    return context.withScratch((scratch) =>
      withOriginal(store, job.source, async (inputPath) => {
        const started = performance.now();
        const parameters = resolveImageParameters(job.parameters);
        const outputPath = join(scratch, 'result');
        const options = { ...watch, account: accountIn(job.source.objectKey), cpuMs: TASK_CPU_MS.image };
        const made = await sandbox.run('enhance-image', { inputPath, outputPath, parameters }, options);
        return context.storeResult(
          job,
          { inputPath, outputPath },
          {
            ...made,
            notes: made.notes.map(noteInWords),
            started,
            credits: priceOfSteps(made.steps),
            unchanged: made.steps.length === 0,
          },
          watch,
        );
      }),
    );
  }
}

/** The provider's CPU-bound activities. The Web UI shows these names. */
export function createProviderActivities(provider: Omit<Provider, 'inspect' | 'inspectQuickly'>) {
  return {
    analyze: (source: SourceFile) => withProgress((watch) => provider.analyze(source, watch)),
    estimate: (job: Input<'estimate'>) => withProgress((watch) => provider.estimate(job, watch)),
    enhance: (job: Input<'enhance'>) => withProgress((watch) => provider.enhance(job, watch)),
    enhancePdfSpan: (job: Input<'enhancePdfSpan'>) => withProgress((watch) => provider.enhanceSpan(job, watch)),
    assemblePdf: (job: Input<'assemblePdf'>) => withProgress((watch) => provider.assemble(job, watch)),
  };
}

/** Inspections of images, in queues of their own. */
export function createInspectionActivities(provider: Pick<Provider, 'inspect' | 'inspectQuickly'>) {
  return {
    inspectImage: (source: SourceFile) => withProgress((watch) => provider.inspectQuickly(source, watch)),
    inspectLargeImage: (source: SourceFile) => withProgress((watch) => provider.inspect(source, watch)),
  };
}
