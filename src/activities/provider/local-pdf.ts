import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accountIn, factsKey, workKey } from '../../domain/files/object-keys.ts';
import { priceFindings, priceOfPdf } from '../../domain/enhancement/prices.ts';
import { counted, formatNumber, resolvePdfParameters } from '@burnish/engine/contract';
import { toPlanTerms } from '../../domain/accounts/account.ts';
import { noteInWords } from '../../domain/notes/note-in-words.ts';
import { MAX_FILE_SIZE_BYTES } from '../../domain/upload/file-size.ts';
import { TASK_CPU_MS } from '../../domain/temporal/timeouts.ts';
import type { LocalContext, Made } from './local-context.ts';
import type { Provider, Watch } from './provider.ts';
import type { AssembledPdf, PdfEstimate } from '@burnish/engine/host';
import { withOriginal } from '../needed-files.ts';
import { planKey } from './stored-results.ts';
import type { Input, SourceFile } from '../inputs/schemas.ts';

export interface LocalPdf extends Pick<Provider, 'analyze' | 'enhance'> {
  estimate(job: Input<'estimate'>, watch: Watch): Promise<PdfEstimate>;
}

export function createLocalPdf(context: LocalContext): LocalPdf {
  const { sandbox, store, oneGoPixels, passwords, withScratch, withPassword, storeResult } = context;
  const keyOfFacts = ({ objectKey }: SourceFile): string => factsKey(objectKey);

  /** Runs work with a local file of the analysis facts. The file is absent if another provider or version made the analysis. */
  async function withFacts<T>(source: SourceFile, use: (known: { factsPath?: string }) => Promise<T>): Promise<T> {
    const key = keyOfFacts(source);
    if ((await store.head(key)) === undefined) return use({});
    return store.withLocalFile(key, (factsPath) => use({ factsPath }));
  }

  return {
    analyze: (source, watch) =>
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

    estimate: (job, watch) =>
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

    enhance: (job, watch) =>
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
            if (!('spans' in made)) return storeResult(job, { inputPath, outputPath }, madeOfPdf(made, started), watch);
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

function resolveParameters({ parameters, plan }: Input<'estimate'>) {
  return resolvePdfParameters(parameters, toPlanTerms(plan).maxResolution);
}

export const paidInput = ({ paidExcept }: Input<'estimate'>): { paidExcept?: number[][] } =>
  paidExcept === undefined ? {} : { paidExcept };

export function madeOfPdf(assembled: AssembledPdf, started: number): Made {
  const skipped = assembled.skipped.map(({ reason, count }) => `${formatNumber(count)} unchanged: ${reason}.`);
  return {
    mimetype: 'application/pdf',
    width: 0,
    height: 0,
    steps: [`${formatNumber(assembled.enhanced)} of ${counted(assembled.images, 'image')}`],
    notes: [...assembled.notes.map(noteInWords), ...skipped],
    credits: priceOfPdf(assembled.work),
    unchanged: assembled.enhanced + assembled.textPages === 0,
    ...(assembled.uncertain.length > 0 && { uncertainPages: assembled.uncertain }),
    ...(assembled.split.length > 0 && { splitPages: assembled.split }),
    started,
  };
}
