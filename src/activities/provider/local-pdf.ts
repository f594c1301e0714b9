import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { priceFindings, MAX_FILE_SIZE_BYTES, type PdfAnalysis } from '@burnish/contract';
import { accountIn, factsKey, workKey } from '../../domain/files/object-keys.ts';
import { TASK_CPU_MS } from '../../domain/temporal/timeouts.ts';
import { outcomeOfPdf, paidInput, resolveParameters, type EnhanceOutcome, type LocalContext } from './local-context.ts';
import type { Watch } from '../heartbeat.ts';
import type { PdfEstimate } from '@burnish/engine/host';
import { withOriginal } from '../needed-files.ts';
import { planKey } from './local-pdf-spans.ts';
import type { Input, SourceFile } from '../inputs/schemas.ts';

/** A PDF with too much work for one activity. The plan is in storage, and any engine worker may process a span. */
export interface PlannedEnhancement {
  /** Key prefix of plan and results until the PDF is assembled */
  workKey: string;
  images: number;
  /** Half-open ranges of indexes in the plan, in order: `from` is included, `to` is not */
  spans: { from: number; to: number }[];
  /** Languages of the text that is read on scans, such as `eng+deu`; absent: none is read */
  text?: string;
}

export function createLocalPdf(context: LocalContext) {
  const { sandbox, store, oneGoPixels, passwords, withScratch, withPassword, storeResult } = context;
  const keyOfFacts = ({ objectKey }: SourceFile): string => factsKey(objectKey);

  /** Runs work with a local file of the analysis facts. The file is absent if another provider or version made the analysis. */
  async function withFacts<T>(source: SourceFile, use: (known: { factsPath?: string }) => Promise<T>): Promise<T> {
    const key = keyOfFacts(source);
    if ((await store.head(key)) === undefined) return use({});
    return store.withLocalFile(key, (factsPath) => use({ factsPath }));
  }

  return {
    analyze: (source: SourceFile, watch: Watch): Promise<PdfAnalysis> =>
      withScratch((scratch) =>
        withOriginal(store, source, async (inputPath) => {
          const factsPath = join(scratch, 'facts');
          const options = { ...watch, account: accountIn(source.objectKey), cpuMs: TASK_CPU_MS.inspectPdf };
          let isNeeded = false;
          const findings = await withPassword(source.uploadId, (secret) => {
            isNeeded = secret.password !== undefined;
            return sandbox.run('analyze-pdf', { inputPath, factsPath, ...secret }, options);
          });
          watch.signal.throwIfAborted();
          if (!isNeeded) await passwords?.remove(source.uploadId);
          await store.putFile(keyOfFacts(source), factsPath);
          return priceFindings(findings);
        }),
      ),

    estimate: (job: Input<'estimate'>, watch: Watch): Promise<PdfEstimate> =>
      withFacts(job.source, async (known) => {
        const options = { ...watch, account: accountIn(job.source.objectKey), cpuMs: TASK_CPU_MS.inspectPdf };
        const parameters = resolveParameters(job);
        const run = (from: { inputPath?: string; factsPath?: string; fileBytes?: number }): Promise<PdfEstimate> =>
          withPassword(job.source.uploadId, (secret) =>
            sandbox.run('estimate-pdf', { ...from, ...secret, parameters, ...paidInput(job) }, options),
          );
        // Known facts are sufficient without the file, and its transfer from storage may take long.
        if (known.factsPath === undefined) return withOriginal(store, job.source, (inputPath) => run({ inputPath }));
        // A missing original fails the work and not its estimate.
        const fileBytes = (await store.head(job.source.objectKey))?.size ?? MAX_FILE_SIZE_BYTES;
        return run({ ...known, fileBytes });
      }),

    enhance: (job: Input<'enhance'>, watch: Watch): Promise<EnhanceOutcome | PlannedEnhancement> =>
      withScratch((scratch) =>
        withFacts(job.source, (known) =>
          withOriginal(store, job.source, async (inputPath) => {
            const started = performance.now();
            const [planPath, outputPath] = [join(scratch, 'plan'), join(scratch, 'result')];
            const paths = { inputPath, planPath, outputPath, ...known };
            const parameters = resolveParameters(job);
            const asked = { parameters, ...paidInput(job), ...(oneGoPixels === undefined ? {} : { oneGoPixels }) };
            const options = { ...watch, account: accountIn(job.source.objectKey), cpuMs: TASK_CPU_MS.enhancePdf };
            const made = await withPassword(job.source.uploadId, (secret) =>
              sandbox.run('enhance-or-plan-pdf', { ...paths, ...asked, ...secret }, options),
            );
            if (!('spans' in made))
              return storeResult(job, { inputPath, outputPath }, outcomeOfPdf(made, started), watch);
            const digest = createHash('sha256')
              .update(await readFile(planPath))
              .digest('hex');
            // The key of the results contains the digest of their plan. A different plan therefore never picks up results of an
            // earlier one.
            const key = workKey(job.resultKey, digest);
            watch.signal.throwIfAborted();
            await store.putFile(planKey(key), planPath);
            const { text, textLanguages } = parameters;
            return { workKey: key, images: made.images, spans: made.spans, ...(text && { text: textLanguages }) };
          }),
        ),
      ),
  };
}
