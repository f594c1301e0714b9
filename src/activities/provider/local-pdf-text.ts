import { join } from 'node:path';
import { readScan, writeReading } from '@burnish/engine/host';
import { Failure } from '../../domain/failures.ts';
import { accountIn } from '../../domain/files/object-keys.ts';
import { TASK_CPU_MS } from '../../domain/temporal/timeouts.ts';
import type { SourceFile } from '../inputs/schemas.ts';
import { withOriginal, withWorkFile } from '../needed-files.ts';
import type { LocalContext } from './local-context.ts';
import type { Watch } from './provider.ts';
import { planKey, storedReadingKey, storedResultKey } from './stored-results.ts';

export interface TextSpan {
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
export async function enhanceWithText(
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
          const found = await withPassword(source.uploadId, (secret) =>
            sandbox.run('enhance-pdf-scan', { inputPath, planPath, index, resultPath, scanPath, ...secret }, options),
          );
          const reading = await readScan(found, scanPath, languages, (scan) =>
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
