import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { counted, Failure } from '@burnish/contract';
import { createLocalProvider } from '../activities/provider/local.ts';
import type { EstimatePdf } from '../api/commands/command-types.ts';
import type { PreviewEngine } from '../api/previews/previews.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { isCpuLimit } from '../sandbox/failures.ts';
import type { Jail } from '../sandbox/jail.ts';
import { ENGINE_VERSION } from '@burnish/engine/host';
import type { UploadPasswords } from '../database/uploads/upload-passwords.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { openScratch } from './scratch.ts';

type Passwords = Pick<UploadPasswords, 'withPassword' | 'remove'>;

/** One account uses one child at a time, so that it never keeps another one waiting. */
const CHILDREN = 2;

/** Enough for a screen-sized picture, for the structure of a large PDF, and for the estimate of an analyzed one, milliseconds. */
const CPU_MS = 10_000;

/**
 * Engine of a gateway for previews. It runs in child processes, which start with the first preview of an account. It never
 * runs in the process that serves requests.
 * @param jail by default the machine's strongest isolation
 * @param cpuMs limit of one task, milliseconds
 */
export async function openPreviewEngine(
  dataDir: string,
  jail?: Jail,
  cpuMs = CPU_MS,
): Promise<
  PreviewEngine & { estimatePdf(store: ObjectStore, passwords: Passwords): EstimatePdf; close(): Promise<void> }
> {
  const scratch = await openScratch(dataDir, 'scratch-previews');
  let files = 0;
  const unlimited = createSandbox({ concurrency: CHILDREN, scratchDir: scratch.path, ...(jail && { jail }) });
  const sandbox: Sandbox = {
    ...unlimited,
    run: (task, input, options) => unlimited.run(task, input, { ...options, cpuMs }),
  };
  return {
    children: CHILDREN,
    image: (account, input) => sandbox.run('preview-image', input, { account }),
    pdfImage: (account, input) => sandbox.run('preview-pdf-image', input, { account }),
    pdfPage: (account, input) => sandbox.run('preview-pdf-page', input, { account }),
    listPdfPages: (account, input) => sandbox.run('list-pdf-pages', input, { account }),
    listPdfImages: (account, input) => sandbox.run('list-pdf-images', input, { account }),
    describePdfImages: (account, input) => sandbox.run('describe-pdf-images', input, { account }),
    report: async (account, { content, pictures, outputPath }) => {
      const picturesDir = await mkdtemp(join(scratch.path, 'report-'));
      try {
        await Promise.all(pictures.map((path, index) => symlink(path, join(picturesDir, String(index)))));
        await sandbox.run('write-report', { content, picturesDir, outputPath }, { account });
      } finally {
        await rm(picturesDir, { recursive: true, force: true });
      }
    },
    listEnhancedPdfImages: (account, input) => sandbox.run('list-enhanced-pdf-images', input, { account }),
    // Workers use the same code for prices.
    estimatePdf: (store, passwords) => async (job) => {
      const parts = { sandbox, store, passwords, scratchDir: scratch.path, engineVersion: ENGINE_VERSION };
      const watch = { signal: new AbortController().signal, onProgress: () => undefined };
      return await createLocalProvider(parts)
        .estimatePdf(job, watch)
        .catch((error: unknown) => {
          if (!isCpuLimit(error)) throw error;
          const detail = `The estimate needs more than ${counted(cpuMs / 1000, 'second')} of CPU time. Order the enhancement with maxCredits 0, and approve its price later.`;
          throw new Failure('PROCESSING_LIMIT', { detail, cause: error });
        });
    },
    newPath: async () => join(scratch.path, String((files += 1))),
    async close() {
      await sandbox.close();
      await scratch.close();
    },
  };
}
