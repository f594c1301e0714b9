import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mediaKind, resolveImageParameters, priceOfImage, priceOfPdf, priceOfSteps, Failure } from '@burnish/contract';
import { accountIn } from '../../domain/files/object-keys.ts';
import { noteInWords } from '../../domain/notes/note-in-words.ts';
import { CLOCKS, TASK_CPU_MS } from '../../domain/temporal/timeouts.ts';
import { estimateInspectionMs } from '@burnish/engine/host';
import { createLocalContext, type EnhanceOutcome, type Inspection, type LocalProviderDeps } from './local-context.ts';
import { createLocalPdf, type PlannedEnhancement } from './local-pdf.ts';
import { createPdfSpans } from './local-pdf-spans.ts';
import { createTestProvider } from './test.ts';
import { currentWatch, type Watch } from '../heartbeat.ts';
import type { Input, SourceFile } from '../inputs/schemas.ts';
import { withOriginal } from '../needed-files.ts';

/** An image with a larger estimate is a large one, milliseconds of CPU time. */
const QUICK_INSPECTION_MS = 1_000;

/**
 * The built-in provider: runs the engine in its sandbox, on files in Burnish's storage. Every method may be retried with the same
 * job, and throws a Failure with the code for the record.
 */
export function createLocalProvider(deps: LocalProviderDeps) {
  const { sandbox, store } = deps;
  const context = createLocalContext(deps);
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
    inspect: (source: SourceFile, watch: Watch): Promise<Inspection> =>
      withOriginal(store, source, (inputPath) =>
        inspectFile(source, inputPath, { ...watch, cpuMs: TASK_CPU_MS.inspectLargeImage }),
      ),

    /**
     * Inspects an image that decodes within a second. @returns null for a larger one, by its header before it takes a permit, or by
     * the time that it takes
     */
    inspectQuickly: (source: SourceFile, watch: Watch): Promise<Inspection | null> =>
      withOriginal(store, source, async (inputPath) => {
        if ((await estimateInspectionMs(inputPath, source.mimetype)) > QUICK_INSPECTION_MS) return null;
        const limits = { ...watch, cpuMs: TASK_CPU_MS.inspectImage };
        // A header that lies costs its file another turn, among the large images.
        return inspectFile(source, inputPath, limits).catch((error: unknown) => {
          if (error instanceof Failure && error.code === 'PROCESSING_LIMIT') return null;
          throw error;
        });
      }),

    /** Decodes an image of one pixel, of no account. @returns a sentence if that does not work */
    proveDecoder: ({ signal }: Pick<Watch, 'signal'>): Promise<string[]> =>
      context.withScratch(async (scratch) => {
        const inputPath = join(scratch, 'pixel');
        await writeFile(inputPath, PIXEL);
        const options = { account: NOBODY, signal, cpuMs: TASK_CPU_MS.inspectImage };
        return sandbox.run('inspect-image', { inputPath }, options).then(
          () => [],
          () => ['The decoders of a workflow worker cannot read an image.'],
        );
      }),

    analyze: pdf.analyze,
    estimatePdf: pdf.estimate,

    async estimate(job: Input<'estimate'>, watch: Watch): Promise<number> {
      if (mediaKind(job.source.mimetype) === 'pdf') return priceOfPdf((await pdf.estimate(job, watch)).work);
      return priceOfImage(resolveImageParameters(job.parameters));
    },

    enhance: (job: Input<'enhance'>, watch: Watch): Promise<EnhanceOutcome | PlannedEnhancement> =>
      (mediaKind(job.source.mimetype) === 'pdf' ? pdf.enhance : enhanceImage)(job, watch),

    ...createPdfSpans(context),
  };
  const test = deps.testReferences && createTestProvider(context, local, deps.testReferences);
  const of = ({ provider }: SourceFile) => (provider === 'test' ? (test ?? local) : local);
  return {
    ...local,
    inspect: (source: SourceFile, watch: Watch) => of(source).inspect(source, watch),
    inspectQuickly: (source: SourceFile, watch: Watch) => of(source).inspectQuickly(source, watch),
    analyze: (source: SourceFile, watch: Watch) => of(source).analyze(source, watch),
    enhance: (job: Input<'enhance'>, watch: Watch) => of(job.source).enhance(job, watch),
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

export type Provider = Omit<ReturnType<typeof createLocalProvider>, 'estimatePdf'>;

/** A GIF of one pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64');
/** The account of work that belongs to none: its decoders never get a file. */
const NOBODY = 'nobody';

/** The provider's CPU-bound activities. The Web UI shows these names. */
export function createProviderActivities(provider: Omit<Provider, 'inspect' | 'inspectQuickly' | 'proveDecoder'>) {
  return {
    analyze: (source: SourceFile) => provider.analyze(source, currentWatch()),
    estimate: (job: Input<'estimate'>) => provider.estimate(job, currentWatch()),
    enhance: (job: Input<'enhance'>) => provider.enhance(job, currentWatch()),
    enhancePdfSpan: (job: Input<'enhancePdfSpan'>) => provider.enhanceSpan(job, currentWatch()),
    assemblePdf: (job: Input<'assemblePdf'>) => provider.assemble(job, currentWatch()),
  };
}

/** Inspections of images, in queues of their own. */
export function createInspectionActivities(provider: Pick<Provider, 'inspect' | 'inspectQuickly' | 'proveDecoder'>) {
  return {
    inspectImage: (source: SourceFile) => provider.inspectQuickly(source, currentWatch()),
    inspectLargeImage: (source: SourceFile) => provider.inspect(source, currentWatch()),
    proveDecoder: () => provider.proveDecoder({ signal: AbortSignal.timeout(CLOCKS.proof.innerMs) }),
  };
}
