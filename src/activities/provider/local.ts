import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mediaKind, resolveImageParameters, priceOfImage, priceOfPdf, priceOfSteps, Failure } from '@burnish/contract';
import { accountIn } from '../../domain/files/object-keys.ts';
import { isLargeWork } from '../../domain/enhancement/large-work.ts';
import { noteInWords } from '../../domain/notes/note-in-words.ts';
import { CLOCKS, TASK_CPU_MS } from '../../domain/temporal/timeouts.ts';
import { estimateInspectionMs, readImageSize, type TaskOutput } from '@burnish/engine/host';
import {
  createLocalContext,
  type EnhanceOutcome,
  type InspectedOutcome,
  type Inspection,
  type LocalProviderDeps,
} from './local-context.ts';
import { createLocalPdf, type PlannedEnhancement } from './local-pdf.ts';
import { createPdfSpans } from './local-pdf-spans.ts';
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
    return toInspection(await sandbox.run('inspect-image', { inputPath }, options));
  }

  return {
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

    inspectAndEnhance,

    enhance: (job: Input<'enhance'>, watch: Watch): Promise<EnhanceOutcome | PlannedEnhancement> =>
      (mediaKind(job.source.mimetype) === 'pdf' ? pdf.enhance : enhanceImage)(job, watch),

    ...createPdfSpans(context),
  };

  function enhanceImage(job: Input<'enhance'>, watch: Watch): Promise<EnhanceOutcome> {
    return context.withScratch((scratch) =>
      withOriginal(store, job.source, async (inputPath) => {
        const started = performance.now();
        const parameters = resolveImageParameters(job.parameters);
        const outputPath = join(scratch, 'result');
        const options = { ...watch, account: accountIn(job.source.objectKey), cpuMs: TASK_CPU_MS.image };
        const made = await sandbox.run('enhance-image', { inputPath, outputPath, parameters }, options);
        return storeImage(job, { inputPath, outputPath, started }, made, watch);
      }),
    );
  }

  /** @returns null for large work, and for a file or an order that the engine refuses */
  function inspectAndEnhance(job: Input<'inspectAndEnhance'>, watch: Watch): Promise<InspectedOutcome | null> {
    const { source } = job;
    return context.withScratch((scratch) =>
      withOriginal(store, source, async (inputPath) => {
        const started = performance.now();
        if (!(await isQuick(inputPath, job))) return null;
        const outputPath = join(scratch, 'result');
        const options = { ...watch, account: accountIn(source.objectKey), cpuMs: TASK_CPU_MS.quickImage };
        const input = { inputPath, outputPath, parameters: resolveImageParameters(job.parameters) };
        const made = await sandbox.run('inspect-and-enhance-image', input, options).catch((error: unknown) => {
          if (error instanceof Failure && !error.retryable) return null;
          throw error;
        });
        if (made === null) return null;
        const outcome = await storeImage(job, { inputPath, outputPath, started }, made.enhanced, watch);
        return { inspection: toInspection(made.facts), outcome };
      }),
    );
  }

  function storeImage(
    job: Input<'enhance'>,
    { started, ...paths }: { inputPath: string; outputPath: string; started: number },
    made: TaskOutput<'enhance-image'>,
    watch: Watch,
  ): Promise<EnhanceOutcome> {
    const notes = made.notes.map(noteInWords);
    const [credits, unchanged] = [priceOfSteps(made.steps), made.steps.length === 0];
    return context.storeResult(job, paths, { ...made, notes, started, credits, unchanged }, watch);
  }
}

const toInspection = ({ width, height, hasAlpha, notes }: TaskOutput<'inspect-image'>): Inspection => ({
  width,
  height,
  hasAlpha,
  notes: notes.map(noteInWords),
});

/** Whether the work on an image is quick by its header. A header that cannot be read says nothing here. */
async function isQuick(path: string, { source, parameters }: Input<'inspectAndEnhance'>): Promise<boolean> {
  const { mimetype } = source;
  const size = await readImageSize(path, mimetype).catch(() => undefined);
  return size !== undefined && !isLargeWork({ mimetype, ...size }, parameters);
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
    inspectAndEnhance: (job: Input<'inspectAndEnhance'>) => provider.inspectAndEnhance(job, currentWatch()),
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
