import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { FACTS_FORMAT, type EnhancementProgress } from '@burnish/engine/contract';
import { readingName } from '@burnish/engine/host';
import { Failure } from '../../domain/failures.ts';
import { accountIn, factsFormatIn } from '../../domain/files/object-keys.ts';
import { PLAN_OUTDATED } from '../../domain/temporal/workflow-interface.ts';
import { TASK_CPU_MS } from '../../domain/temporal/timeouts.ts';
import { enhanceWithText } from './local-pdf-text.ts';
import { borrowLocalFile, type LocalFile, type LocalContext } from './local-context.ts';
import { madeOfPdf, paidInput } from './local-pdf.ts';
import type { Provider } from './provider.ts';
import { withOriginal, withWorkFile } from '../needed-files.ts';
import {
  forEachIndex,
  missingResults,
  moveResults,
  planKey,
  storedReadingKey,
  storedResultKey,
} from './stored-results.ts';

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
export function createPdfSpans(context: LocalContext): Pick<Provider, 'enhanceSpan' | 'assemble'> {
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
    async enhanceSpan({ source, workKey, text, ...span }, watch) {
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

    assemble: ({ workKey, images, text, ...job }, watch) =>
      withScratch(async (scratch) => {
        assertCurrentPlan(workKey);
        const [resultsDir, outputPath] = [join(scratch, 'results'), join(scratch, 'result')];
        await mkdir(resultsDir);
        return withResults({ workKey, images, ...(text !== undefined && { text }) }, resultsDir, () =>
          withWorkFile(store, planKey(workKey), (planPath) =>
            withOriginal(store, job.source, async (inputPath) => {
              const started = performance.now();
              const paths = { inputPath, planPath, resultsDir, outputPath, ...paidInput(job) };
              const options = { ...watch, account: accountIn(job.source.objectKey), cpuMs: TASK_CPU_MS.assemblePdf };
              const assembled = await withPassword(job.source.uploadId, (secret) =>
                sandbox.run('assemble-pdf', { ...paths, ...secret }, options),
              );
              return storeResult(job, { inputPath, outputPath }, madeOfPdf(assembled, started), watch);
            }),
          ),
        );
      }),
  };
}
