import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import {
  mediaKind,
  resolveImageParameters,
  priceOfImage,
  FAILURES,
  type FailureCode,
  OUTAGES,
  type Machinery,
  type PdfAnalysis,
} from '@burnish/contract';
import { accountIn } from '../../domain/files/object-keys.ts';
import { TASK_CPU_MS } from '../../domain/temporal/timeouts.ts';
import { withOriginal } from '../needed-files.ts';
import type { TestReferences } from '../test-references.ts';
import type { Input, SourceFile } from '../inputs/schemas.ts';
import type { Watch } from '../heartbeat.ts';
import type { EnhanceOutcome, Inspection, LocalContext } from './local-context.ts';

/** Longest side of the result of an image, pixels. */
const RESULT_SIDE = 256;
const OUTAGE_MS = 1_000;
const STEPS = ['test'];

/** Work of a test account that the engine does as well, because it is quick. */
interface Examiner {
  inspect(source: SourceFile, watch: Watch): Promise<Inspection>;
  inspectQuickly(source: SourceFile, watch: Watch): Promise<Inspection | null>;
  analyze(source: SourceFile, watch: Watch): Promise<PdfAnalysis>;
  estimate(job: Input<'estimate'>, watch: Watch): Promise<number>;
}

/**
 * The provider of test accounts. It inspects and analyzes files as the engine does. Its results are a small copy of an image, and
 * the bytes of a PDF. The references of records cause failures and waits.
 */
export function createTestProvider(
  { store, sandbox, withScratch, storeResult }: LocalContext,
  examiner: Examiner,
  references: TestReferences,
) {
  async function examine({ uploadId, objectKey }: SourceFile): Promise<void> {
    const { fails } = (await references.ofUpload(accountIn(objectKey), uploadId)) ?? {};
    if (fails?.part === 'file') throw failure(fails.code);
  }

  function shrink(job: Input<'enhance'>, watch: Watch): Promise<EnhanceOutcome> {
    return withScratch((scratch) =>
      withOriginal(store, job.source, async (inputPath) => {
        const started = performance.now();
        const { mimetype } = job.source;
        const outputPath = join(scratch, 'result');
        const made = { steps: STEPS, models: [], notes: [], started, unchanged: false };
        if (mediaKind(mimetype) === 'pdf') {
          const credits = await examiner.estimate(job, watch);
          await copyFile(inputPath, outputPath);
          return storeResult(
            job,
            { inputPath, outputPath },
            { ...made, mimetype, width: 0, height: 0, credits },
            watch,
          );
        }
        const options = { ...watch, account: accountIn(job.source.objectKey), cpuMs: TASK_CPU_MS.inspectLargeImage };
        await sandbox.run('preview-image', { inputPath, outputPath, side: RESULT_SIDE }, options);
        const { width, height } = await sandbox.run('inspect-image', { inputPath: outputPath }, options);
        const facts = { mimetype: 'image/webp' as const, width, height };
        const credits = priceOfImage(resolveImageParameters(job.parameters));
        return storeResult(job, { inputPath, outputPath }, { ...made, ...facts, credits }, watch);
      }),
    );
  }

  return {
    async inspect(source: SourceFile, watch: Watch) {
      await examine(source);
      return examiner.inspect(source, watch);
    },
    async inspectQuickly(source: SourceFile, watch: Watch) {
      await examine(source);
      return examiner.inspectQuickly(source, watch);
    },
    async analyze(source: SourceFile, watch: Watch) {
      await examine(source);
      return examiner.analyze(source, watch);
    },
    async enhance(job: Input<'enhance'>, watch: Watch) {
      const { enhancementId: id, source } = job;
      const { recorded, effect } = await references.ofEnhancement(accountIn(source.objectKey), {
        id,
        uploadId: source.uploadId,
      });
      const { fails } = effect ?? {};
      if (fails?.part === 'file' || fails?.part === 'enhancement') throw failure(fails.code);
      const away = effect?.waitsFor;
      if (away !== undefined && away !== 'credits' && away !== 'approval' && away !== 'destination') {
        // The first round of attempts fails. The record then names the outage, and the next round waits for its end.
        if (recorded?.waitingFor !== away) throw outage(away);
        await pause(OUTAGE_MS, undefined, { signal: watch.signal });
      }
      return shrink(job, watch);
    },
  };
}

/** Not retried, unlike an unexpected failure of the same code, and not logged. */
function failure(code: FailureCode): ApplicationFailure {
  return ApplicationFailure.create({ type: code, message: FAILURES[code].sentence, nonRetryable: true });
}

function outage(machinery: Machinery): ApplicationFailure {
  const { sentence: message } = OUTAGES[machinery];
  return ApplicationFailure.create({ type: 'UNAVAILABLE', message, nonRetryable: true, details: [{ machinery }] });
}
