import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { counted, Failure } from '@burnish/contract';
import { createLocalProvider } from '../activities/provider/local.ts';
import type { EstimatePdf } from '../api/commands/command-types.ts';
import type { PreviewEngine } from '../api/previews/previews.ts';
import type { TrialEngine } from '../api/trials/trials.ts';
import { createFairLimiter } from '../process/fair-limiter.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { isCpuLimit } from '../sandbox/failures.ts';
import type { Jail } from '../sandbox/jail.ts';
import { ENGINE_VERSION, NO_MODELS, type ModelSet, type TaskInput, type TaskOutput } from '@burnish/engine/host';
import type { UploadPasswords } from '../database/uploads/upload-passwords.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { openScratch } from './scratch.ts';

type Passwords = Pick<UploadPasswords, 'withPassword' | 'remove'>;

/** One account uses one child at a time, so that it never keeps another one waiting. */
const CHILDREN = 2;

/** Children of trials beside those of previews. A trial of one account then never waits for that of another one alone. */
const TRIALS = 2;

/** Enough for four orders on a part of a large picture, and for one page of a PDF, milliseconds. */
const TRIAL_CPU_MS = 20_000;

/** Enough for a screen-sized picture, for the structure of a large PDF, and for the estimate of an analyzed one, milliseconds. */
const CPU_MS = 10_000;

export interface PreviewEngineOptions {
  /** By default the machine's strongest isolation */
  jail?: Jail;
  /** Networks of trials; by default none */
  models?: ModelSet;
  /** Limit of one task, milliseconds */
  cpuMs?: number;
}

type TrialTask = 'try-image' | 'try-pdf-page';

/**
 * Engine of a gateway for previews, estimates and trials. It runs in child processes, which start with the first task of an account. It
 * never runs in the process that serves requests, and never takes a permit of ordered work.
 */
export async function openPreviewEngine(
  dataDir: string,
  { jail, models = NO_MODELS, cpuMs = CPU_MS }: PreviewEngineOptions = {},
): Promise<
  PreviewEngine & {
    trials: TrialEngine;
    estimatePdf(store: ObjectStore, passwords: Passwords): EstimatePdf;
    close(): Promise<void>;
  }
> {
  const scratch = await openScratch(dataDir, 'scratch-previews');
  let files = 0;
  const unlimited = createSandbox({ concurrency: CHILDREN, models, scratchDir: scratch.path, ...(jail && { jail }) });
  const sandbox: Sandbox = {
    ...unlimited,
    run: (task, input, options) => unlimited.run(task, input, { ...options, cpuMs }),
  };
  const trialPermits = createFairLimiter({ atOnce: TRIALS });

  async function runTrial<Task extends TrialTask>(
    task: Task,
    account: string,
    input: Omit<TaskInput<Task>, 'outputDir' | 'pictures'> & { orders: readonly unknown[] },
  ): Promise<TaskOutput<Task> & { pictures: Buffer[] }> {
    const outputDir = await mkdtemp(join(scratch.path, 'trial-'));
    try {
      const pictures = [...Array(input.orders.length + 1).keys()];
      const given = { ...input, outputDir, pictures } as unknown as TaskInput<Task>;
      const made = await unlimited
        .run(task, given, { account, limiter: trialPermits, cpuMs: TRIAL_CPU_MS })
        .catch((error: unknown) => {
          if (!isCpuLimit(error)) throw error;
          const detail = `The trial needs more than ${counted(TRIAL_CPU_MS / 1000, 'second')} of CPU time. Try fewer enhancements at once, or order one.`;
          throw new Failure('PROCESSING_LIMIT', { detail, cause: error });
        });
      return { ...made, pictures: await Promise.all(pictures.map((each) => readFile(join(outputDir, String(each))))) };
    } finally {
      await rm(outputDir, { recursive: true, force: true });
    }
  }

  return {
    children: CHILDREN,
    trials: {
      children: TRIALS,
      image: (account, input) => runTrial('try-image', account, input),
      pdfPage: (account, input) => runTrial('try-pdf-page', account, input),
    },
    image: (account, input) => sandbox.run('preview-image', input, { account }),
    pdfImage: (account, input) => sandbox.run('preview-pdf-image', input, { account }),
    pdfPage: (account, input) => sandbox.run('preview-pdf-page', input, { account }),
    listPdfPages: (account, input) => sandbox.run('list-pdf-pages', input, { account }),
    listPdfImages: (account, input) => sandbox.run('list-pdf-images', input, { account }),
    describePdfImages: (account, input) => sandbox.run('describe-pdf-images', input, { account }),
    buildLook: async (account, { pictures, samples }) => {
      const folder = await mkdtemp(join(scratch.path, 'look-'));
      const [picturesDir, samplesDir] = [join(folder, 'pictures'), join(folder, 'samples')];
      const numbers = samples.map((_, number) => number);
      try {
        await Promise.all([mkdir(picturesDir), mkdir(samplesDir)]);
        const links = [
          ...pictures.map(({ finished }, index) => [finished, String(index)] as const),
          ...pictures.map(({ original }, index) => [original, `original-${index}`] as const),
          ...samples.map((sample, index) => [sample, `sample-${index}`] as const),
        ];
        for (const [path, name] of links) if (path !== undefined) await symlink(path, join(picturesDir, name));
        const hasOriginal = pictures.map(({ original }) => original !== undefined);
        const input = { picturesDir, hasOriginal, samples: numbers, samplesDir };
        const built = await sandbox.run('build-look', input, { account });
        const shown = built.look === null ? [] : numbers;
        return {
          ...built,
          samples: await Promise.all(shown.map((number) => readFile(join(samplesDir, String(number))))),
        };
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
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
