import { join } from 'node:path';
import type { PreviewEngine } from '../api/previews/previews.ts';
import { createSandbox, type RunOptions, type Sandbox } from '../engine/sandbox.ts';
import type { Jail } from '../engine/sandbox/jail.ts';
import { openScratch } from './scratch.ts';

/** A minute is plenty for a picture that browsers hold, and for the structure of the largest PDF. */
const LIMITS: RunOptions = { timeoutMs: 60_000 };

/**
 * The engine as a gateway uses it, to let people look at files: one child process, started when somebody first looks, and never
 * the process that serves.
 * @param jail by default the strongest of this machine
 */
export async function openPreviewEngine(
  dataDir: string,
  jail?: Jail,
): Promise<PreviewEngine & { close(): Promise<void> }> {
  const scratch = await openScratch(dataDir, 'scratch-previews');
  let sandbox: Sandbox | undefined;
  let files = 0;
  const child = (): Sandbox =>
    (sandbox ??= createSandbox({ concurrency: 1, scratchDir: scratch.path, ...(jail && { jail }) }));
  return {
    image: (input) => child().run('preview-image', input, LIMITS),
    pdfImage: (input) => child().run('preview-pdf-image', input, LIMITS),
    pdfPage: (input) => child().run('preview-pdf-page', input, LIMITS),
    listPdfPages: (input) => child().run('list-pdf-pages', input, LIMITS),
    listPdfImages: (input) => child().run('list-pdf-images', input, LIMITS),
    listEnhancedPdfImages: (input) => child().run('list-enhanced-pdf-images', input, LIMITS),
    newPath: async () => join(scratch.path, String((files += 1))),
    async close() {
      await sandbox?.close();
      await scratch.close();
    },
  };
}
