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
} from '@burnish/contract';
import { accountIn } from '../domain/files/object-keys.ts';
import { TASK_CPU_MS } from '../domain/temporal/timeouts.ts';
import { withOriginal } from '../activities/needed-files.ts';
import type { Input, SourceFile } from '../activities/inputs/schemas.ts';
import type { Watch } from '../activities/heartbeat.ts';
import {
  createLocalContext,
  type EnhanceOutcome,
  type LocalProviderDeps,
} from '../activities/provider/local-context.ts';
import { createLocalProvider, type Provider } from '../activities/provider/local.ts';
import { createTestReferences, type TestReferences, type TestReferencesDeps } from './references.ts';

/** Longest side of the result of an image, pixels. */
const RESULT_SIDE = 256;
const OUTAGE_MS = 1_000;
const STEPS = ['test'];

/** The local provider, with the provider of tests for files of test accounts. */
export function createProviderWithTests(deps: LocalProviderDeps, records: TestReferencesDeps): Provider {
  const local = createLocalProvider(deps);
  const test = createTestProvider(deps, local, createTestReferences(records));
  const of = ({ provider }: SourceFile) => (provider === 'test' ? test : local);
  return {
    ...local,
    inspect: (source, watch) => of(source).inspect(source, watch),
    inspectQuickly: (source, watch) => of(source).inspectQuickly(source, watch),
    analyze: (source, watch) => of(source).analyze(source, watch),
    enhance: (job, watch) => of(job.source).enhance(job, watch),
  };
}

/**
 * The provider of test accounts. It inspects and analyzes files as the engine does. Its results are a small copy of an image, and
 * the bytes of a PDF. The references of records cause failures and waits.
 */
function createTestProvider(
  deps: LocalProviderDeps,
  examiner: Pick<Provider, 'inspect' | 'inspectQuickly' | 'analyze' | 'estimate'>,
  references: TestReferences,
) {
  const { store, sandbox, withScratch, storeResult } = createLocalContext(deps);

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
