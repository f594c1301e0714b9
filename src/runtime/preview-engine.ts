import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createLocalProvider } from '../activities/provider/local.ts';
import type { EstimatePdf } from '../api/commands/command-types.ts';
import type { PreviewEngine } from '../api/previews/previews.ts';
import { Failure } from '../domain/failures.ts';
import { createSandbox, type RunOptions } from '../engine/sandbox.ts';
import type { Jail } from '../engine/sandbox/jail.ts';
import { ENGINE_VERSION } from '../engine/version.ts';
import type { UploadPasswords } from '../database/uploads/upload-passwords.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { openScratch } from './scratch.ts';

type Passwords = Pick<UploadPasswords, 'withPassword' | 'remove'>;

/** A minute of CPU time is enough for a screen-sized picture, and for the structure of the largest PDF. */
const LIMITS: RunOptions = { cpuMs: 60_000 };

/** An analyzed PDF takes milliseconds. A PDF that an older version analyzed is analyzed again. */
const ESTIMATE_MS = 60_000;
const TOO_SLOW =
  'The estimate takes longer than 60 seconds. Order the enhancement with maxCredits 0, and approve its price later.';

/**
 * Engine of a gateway for previews. It runs in one child process, which starts with the first preview. It never runs in the
 * process that serves requests.
 * @param jail by default the machine's strongest isolation
 */
export async function openPreviewEngine(
  dataDir: string,
  jail?: Jail,
): Promise<
  PreviewEngine & { estimatePdf(store: ObjectStore, passwords: Passwords): EstimatePdf; close(): Promise<void> }
> {
  const scratch = await openScratch(dataDir, 'scratch-previews');
  let files = 0;
  const sandbox = createSandbox({ concurrency: 1, scratchDir: scratch.path, ...(jail && { jail }) });
  return {
    image: (input) => sandbox.run('preview-image', input, LIMITS),
    pdfImage: (input) => sandbox.run('preview-pdf-image', input, LIMITS),
    pdfPage: (input) => sandbox.run('preview-pdf-page', input, LIMITS),
    listPdfPages: (input) => sandbox.run('list-pdf-pages', input, LIMITS),
    listPdfImages: (input) => sandbox.run('list-pdf-images', input, LIMITS),
    describePdfImages: (input) => sandbox.run('describe-pdf-images', input, LIMITS),
    report: async ({ content, pictures, outputPath }) => {
      const picturesDir = await mkdtemp(join(scratch.path, 'report-'));
      try {
        await Promise.all(pictures.map((path, index) => symlink(path, join(picturesDir, String(index)))));
        await sandbox.run('write-report', { content, picturesDir, outputPath }, LIMITS);
      } finally {
        await rm(picturesDir, { recursive: true, force: true });
      }
    },
    listEnhancedPdfImages: (input) => sandbox.run('list-enhanced-pdf-images', input, LIMITS),
    // Workers use the same code for prices.
    estimatePdf: (store, passwords) => async (job) => {
      const parts = { sandbox, store, passwords, scratchDir: scratch.path, engineVersion: ENGINE_VERSION };
      const signal = AbortSignal.timeout(ESTIMATE_MS);
      const watch = { signal, onProgress: () => undefined };
      return await createLocalProvider(parts)
        .estimatePdf(job, watch)
        .catch((error: unknown) => {
          if (!signal.aborted) throw error;
          throw new Failure('PROCESSING_LIMIT', { detail: TOO_SLOW, cause: error });
        });
    },
    newPath: async () => join(scratch.path, String((files += 1))),
    async close() {
      await sandbox.close();
      await scratch.close();
    },
  };
}
