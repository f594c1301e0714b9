import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import pLimit from 'p-limit';
import { FACTS_FORMAT, type EnhancementProgress, Failure } from '@burnish/contract';
import { readingName, readScan, writeReading, type QuarterTurns, type ScanToRead } from '@burnish/engine/host';
import { accountIn, factsFormatIn } from '../../domain/files/object-keys.ts';
import { PLAN_OUTDATED } from '../../domain/temporal/workflow-interface.ts';
import { TASK_CPU_MS } from '../../domain/temporal/timeouts.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { Watch } from '../heartbeat.ts';
import type { Input, SourceFile } from '../inputs/schemas.ts';
import { withOriginal, withWorkFile } from '../needed-files.ts';
import { outcomeOfPdf, paidInput, resolveParameters, type EnhanceOutcome, type LocalContext } from './local-context.ts';

/**
 * Refuses a plan of another version of Burnish, whose facts this engine does not read.
 * @throws ApplicationFailure PLAN_OUTDATED for an older plan, which must be made again; Failure UNAVAILABLE for a newer one,
 * which another worker can read
 */
function assertCurrentPlan(workKey: string): void {
  const format = factsFormatIn(workKey);
  if (format > FACTS_FORMAT)
    throw new Failure('UNAVAILABLE', { machinery: 'worker', detail: 'A newer version of Burnish made the plan.' });
  if (format < FACTS_FORMAT)
    throw ApplicationFailure.create({
      type: PLAN_OUTDATED,
      message: 'An older version of Burnish made the plan.',
      nonRetryable: true,
    });
}

/** Activities for a PDF that is too large for one activity. */
export function createPdfSpans(context: LocalContext) {
  const { sandbox, store, withScratch, withPassword, storeResult } = context;
  /** @param text whether what was read on the images belongs to the results */
  async function withResults<T>(
    { workKey, images, text }: { workKey: string; images: number; text?: string },
    folder: string,
    use: () => Promise<T>,
  ): Promise<T> {
    const files: LocalFile[] = [];
    const borrow = async (key: string, name: string): Promise<void> => {
      const file = await borrowLocalFile(store, key);
      files.push(file);
      await symlink(file.path, join(folder, name));
    };
    try {
      await forEachIndex(0, images, async (index) => {
        await borrow(storedResultKey(workKey, index), String(index));
        if (text !== undefined) await borrow(storedReadingKey(workKey, index), readingName(index));
      });
      return await use();
    } finally {
      await Promise.all(files.map((file) => file.release()));
    }
  }

  return {
    /** Makes the results of a span, except those that an earlier attempt stored. @returns milliseconds of engine time */
    async enhanceSpan(
      { source, workKey, text, ...span }: Input<'enhancePdfSpan'>,
      watch: Watch,
    ): Promise<{ durationMs: number }> {
      assertCurrentPlan(workKey);
      const started = performance.now();
      const images = await missingResults(store, workKey, span);
      const before = span.to - span.from - images.length;
      /** @param done finished images, and the finished part of the current one */
      const tell = (done: number): void =>
        watch.onProgress({ step: 'images', fraction: (before + done) / (span.to - span.from), images: before + done });
      tell(0);
      if (text !== undefined) {
        const work = { source, workKey, images, languages: text };
        await enhanceWithText(context, work, watch, (fraction) => tell(fraction * images.length));
      } else if (images.length > 0) {
        await withScratch((outputDir) =>
          withWorkFile(store, planKey(workKey), (planPath) =>
            withOriginal(store, source, async (inputPath) => {
              const mover = moveResults(store, workKey, outputDir);
              const onProgress = ({ fraction }: EnhancementProgress): void =>
                void mover.look().then((moved) => tell(Math.max(moved, fraction * images.length)));
              try {
                const options = {
                  account: accountIn(source.objectKey),
                  signal: watch.signal,
                  cpuMs: TASK_CPU_MS.pdfSpan,
                  onProgress,
                };
                const paths = { inputPath, planPath, images, outputDir };
                await withPassword(source.uploadId, (secret) =>
                  sandbox.run('enhance-pdf-span', { ...paths, ...secret }, options),
                );
              } finally {
                tell(await mover.finish());
              }
            }),
          ),
        );
      }
      return { durationMs: Math.round(performance.now() - started) };
    },

    assemble: ({ workKey, images, text, ...job }: Input<'assemblePdf'>, watch: Watch): Promise<EnhanceOutcome> =>
      withScratch(async (scratch) => {
        assertCurrentPlan(workKey);
        const [resultsDir, outputPath] = [join(scratch, 'results'), join(scratch, 'result')];
        await mkdir(resultsDir);
        return withResults({ workKey, images, ...(text !== undefined && { text }) }, resultsDir, () =>
          withWorkFile(store, planKey(workKey), (planPath) =>
            withOriginal(store, job.source, async (inputPath) => {
              const started = performance.now();
              const paths = { inputPath, planPath, resultsDir, outputPath };
              const asked = { parameters: resolveParameters(job), ...paidInput(job) };
              const options = { ...watch, account: accountIn(job.source.objectKey), cpuMs: TASK_CPU_MS.assemblePdf };
              const assembled = await withPassword(job.source.uploadId, (secret) =>
                sandbox.run('assemble-pdf', { ...paths, ...asked, ...secret }, options),
              );
              return storeResult(job, { inputPath, outputPath }, outcomeOfPdf(assembled, started), watch);
            }),
          ),
        );
      }),
  };
}

interface TextSpan {
  source: SourceFile;
  workKey: string;
  /** Indexes in the plan */
  images: readonly number[];
  /** Such as `eng+deu` */
  languages: string;
}

/**
 * Enhances images of a plan, one after the other, and reads the text of scans between them. Another attempt repeats only the image
 * that an earlier one has not finished.
 * @param onFraction finished part of the images, 0 to 1
 */
async function enhanceWithText(
  { store, sandbox, withScratch, withPassword, textReader }: LocalContext,
  { source, workKey, images, languages }: TextSpan,
  { signal }: Watch,
  onFraction: (fraction: number) => void,
): Promise<void> {
  if (textReader === undefined)
    throw new Failure('UNAVAILABLE', { machinery: 'worker', detail: 'This worker reads no text.' });
  const account = accountIn(source.objectKey);
  await withScratch((scratch) =>
    withWorkFile(store, planKey(workKey), (planPath) =>
      withOriginal(store, source, async (inputPath) => {
        const [resultPath, scanPath, readingPath] = ['result', 'scan', 'reading'].map((name) =>
          join(scratch, name),
        ) as [string, string, string];
        for (const [done, index] of images.entries()) {
          const onProgress = ({ fraction }: { fraction: number }): void =>
            onFraction((done + fraction * ENHANCED) / images.length);
          const options = { account, signal, cpuMs: TASK_CPU_MS.pdfSpan, onProgress };
          const draw = (direction?: QuarterTurns): Promise<ScanToRead> =>
            withPassword(source.uploadId, (secret) => {
              const paths = { inputPath, planPath, index, resultPath, scanPath, ...secret };
              return sandbox.run('enhance-pdf-scan', { ...paths, ...(direction && { direction }) }, options);
            });
          const reading = await readScan(draw, scanPath, languages, (scan) =>
            textReader.read(scan, { account, languages, signal }),
          );
          await writeReading(readingPath, reading);
          await store.putFile(storedReadingKey(workKey, index), readingPath);
          await store.putFile(storedResultKey(workKey, index), resultPath);
          onFraction((done + 1) / images.length);
        }
      }),
    ),
  );
}

/** Progress of an image when it is enhanced; its text follows. */
const ENHANCED = 0.5;

/** An object's bytes as a local file, for reading. */
export interface LocalFile {
  path: string;
  /** Ends the use of the path; resolves once its resources are released. */
  release(): Promise<void>;
}

/** Like `withWorkFile`, for a use that spans several functions. */
export function borrowLocalFile(store: Pick<ObjectStore, 'withLocalFile'>, key: string): Promise<LocalFile> {
  return new Promise((resolve, reject) => {
    const use = withWorkFile(
      store,
      key,
      (path) =>
        new Promise<void>((done) => {
          const release = async (): Promise<void> => {
            done();
            await use.catch(() => undefined);
          };
          resolve({ path, release });
        }),
    );
    use.catch(reject);
  });
}

/** Maximum number of concurrent storage calls. */
const AT_ONCE = 16;

export const planKey = (workKey: string): string => `${workKey}/plan`;

const storedResultKey = (workKey: string, index: number): string => `${workKey}/${index}`;

/** Key of what was read on an image of a plan. It is stored before the result, so that a result is never without it. */
const storedReadingKey = (workKey: string, index: number): string => `${workKey}/${readingName(index)}`;

async function missingResults(
  store: Pick<ObjectStore, 'head'>,
  workKey: string,
  { from, to }: { from: number; to: number },
): Promise<number[]> {
  const missing: number[] = [];
  await forEachIndex(from, to, async (index) => {
    if ((await store.head(storedResultKey(workKey, index))) === undefined) missing.push(index);
  });
  return missing.sort((a, b) => a - b);
}

/**
 * Runs a function for every number of a range, with limited concurrency.
 * @throws the first error, once no call runs any more
 */
async function forEachIndex(from: number, to: number, run: (index: number) => Promise<void>): Promise<void> {
  const limit = pLimit(AT_ONCE);
  const runs = Array.from({ length: to - from }, (_, index) => limit(run, from + index));
  const failed = (await Promise.allSettled(runs)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Moves results into storage while the engine makes the next ones. A lost worker loses only its current image. */
interface ResultMover {
  /**
   * Moves the results that are complete so far.
   * @returns the total number of moved results
   */
  look(): Promise<number>;
  /**
   * Moves the remaining results.
   * @throws the storage's error
   */
  finish(): Promise<number>;
}

function moveResults(store: Pick<ObjectStore, 'putFile'>, workKey: string, directory: string): ResultMover {
  let moved = 0;
  let moving: Promise<void> | undefined;

  async function move(): Promise<void> {
    for (const name of await readdir(directory)) {
      // The engine renames a result to its index when the file is complete.
      if (!/^\d+$/.test(name)) continue;
      await store.putFile(storedResultKey(workKey, Number(name)), join(directory, name));
      moved += 1;
    }
  }
  const start = (): Promise<void> => (moving ??= move().finally(() => (moving = undefined)));

  return {
    async look() {
      // A failure recurs in `finish`, and its caller handles it.
      await start().catch(() => undefined);
      return moved;
    },
    async finish() {
      await moving?.catch(() => undefined);
      await start();
      return moved;
    },
  };
}
