import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { mediaKind } from '../../domain/media.ts';
import { resolveImageParameters } from '../../domain/parameters.ts';
import { priceOfImage } from '../../domain/pricing.ts';
import { createLocalPdf } from './local-pdf.ts';
import { createPdfSpans } from './local-pdf-spans.ts';
import { storeResult } from './outcome.ts';
import { shareLocalFiles } from './local-files.ts';
import type { LocalParts, LocalProviderDeps } from './local-parts.ts';
import type { EnhanceJob, EnhanceOutcome, Provider, Watch } from './provider.ts';

/** How long the local copy of a PDF waits for the next piece of work on it, milliseconds. */
const LINGER_MS = 30_000;

/** The provider that is built in: the engine, in its sandbox, on files of our storage. */
export function createLocalProvider(deps: LocalProviderDeps): Provider {
  const { sandbox, store, scratchDir } = deps;
  const originals = shareLocalFiles(store, LINGER_MS);
  const parts: LocalParts = {
    ...deps,
    withOriginal: (objectKey, use) => originals.withFile(objectKey, use),
    async withScratch(use) {
      const scratch = await mkdtemp(join(scratchDir, 'job-'));
      try {
        return await use(scratch);
      } finally {
        await rm(scratch, { recursive: true, force: true });
      }
    },
  };
  const pdf = createLocalPdf(parts);

  return {
    inspect: (source, watch) =>
      store.withLocalFile(source.objectKey, async (inputPath) => {
        const { width, height, notes } = await sandbox.run('inspect-image', { inputPath }, watch);
        return { width, height, notes };
      }),

    analyze: pdf.analyze,

    async estimate(job, watch) {
      if (mediaKind(job.source.mimetype) === 'pdf') return pdf.estimate(job, watch);
      return priceOfImage(resolveImageParameters(job.parameters));
    },

    enhance: (job, watch) => (mediaKind(job.source.mimetype) === 'pdf' ? pdf.enhance : enhanceImage)(job, watch),

    ...createPdfSpans(parts),
  };

  function enhanceImage(job: EnhanceJob, watch: Watch): Promise<EnhanceOutcome> {
    return parts.withScratch((scratch) =>
      store.withLocalFile(job.source.objectKey, async (inputPath) => {
        const started = performance.now();
        const parameters = resolveImageParameters(job.parameters);
        const outputPath = join(scratch, 'result');
        const made = await sandbox.run('enhance-image', { inputPath, outputPath, parameters }, watch);
        return storeResult(parts, job, outputPath, { ...made, started, credits: priceOfImage(parameters) }, watch);
      }),
    );
  }
}
