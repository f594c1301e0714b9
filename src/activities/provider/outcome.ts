import { stat } from 'node:fs/promises';
import { counted, formatNumber } from '../../domain/counted.ts';
import type { EngineReport, EnhancementResult } from '../../domain/enhancement/enhancement.ts';
import { priceOfPdf } from '../../domain/enhancement/parameters.ts';
import { resultFilename } from '../../domain/upload/media.ts';
import type { AssembledPdf } from '../../engine/pdf/enhance/assemble.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { EnhanceJob, EnhanceOutcome, Watch } from './provider.ts';

/** The engine's output and its start time. */
type Made = Pick<EnhancementResult, 'mimetype' | 'width' | 'height'> &
  Pick<EngineReport, 'steps' | 'models' | 'notes'> & { credits: number; started: number; fellBack?: boolean };

/**
 * Moves a finished file into storage, and returns the data for the record.
 * @param paths local files
 */
export async function storeResult(
  { store, engineVersion }: { store: Pick<ObjectStore, 'putFile'>; engineVersion: string },
  job: EnhanceJob,
  { inputPath, outputPath }: { inputPath: string; outputPath: string },
  { started, credits, mimetype, width, height, steps, models = [], fellBack = false, notes }: Made,
  { signal }: Pick<Watch, 'signal'>,
): Promise<EnhanceOutcome> {
  const durationMs = Math.round(performance.now() - started);
  signal.throwIfAborted();
  const { size: originalSize } = await stat(inputPath);
  const { size, sha256 } = await store.putFile(job.resultKey, outputPath);
  const filename = resultFilename(job.source.originalFilename, mimetype);
  return {
    result: { objectKey: job.resultKey, size, originalSize, sha256, mimetype, filename, width, height },
    // A result of a fallback must not be reused, so its engine version differs.
    engine: { version: fellBack ? `${engineVersion}-fallback` : engineVersion, steps, models, notes, durationMs },
    credits,
  };
}

/** The report on an enhanced PDF. */
export function madeOfPdf(assembled: AssembledPdf, started: number): Made {
  const skipped = assembled.skipped.map(({ reason, count }) => `${formatNumber(count)} left alone: ${reason}.`);
  return {
    mimetype: 'application/pdf',
    width: 0,
    height: 0,
    steps: [`${formatNumber(assembled.enhanced)} of ${counted(assembled.images, 'image')}`],
    notes: [...assembled.notes, ...skipped],
    credits: priceOfPdf(assembled.work),
    started,
  };
}
