import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Burnish, BurnishError, type EnhancementOrder } from '@burnish/client';
import {
  counted,
  uploadWorkflowUrl,
  type CreditsRepresentation,
  type EnhancementRepresentation,
  type UploadWithEnhancementsRepresentation,
} from '@burnish/contract';
import { callersUmask } from '../../process/private-umask.ts';
import { CommandError } from '../command-error.ts';
import { describeRefusal } from '../describe-error.ts';
import { createNarrator } from './demo-narrator.ts';
import { tellPages } from './demo-pages.ts';
import { saveResult } from '../enhance/save-result.ts';
import { formatBytes, formatDuration } from '../enhance/enhance-format.ts';
import { createProgress, type Output, type Progress } from '../enhance/enhance-progress.ts';

const SAMPLES = fileURLToPath(new URL('../../../samples/', import.meta.url));

const JOBS: { name: string; parameters: EnhancementOrder }[] = [
  {
    name: 'dark-room.jpg',
    parameters: { mode: 'ENHANCE', noiseReductionProfilingMode: 'AUTO', artifactsDetectionRemoval: 'AUTO_AI' },
  },
  { name: 'page.jpg', parameters: { mode: 'DOCUMENT', upscalingFactor: 'X2' } },
  { name: 'document.pdf', parameters: { targetResolution: 300 } },
];

export interface DemoOptions {
  baseUrl: string;
  apiKey: string;
  /** URL of the Temporal Web UI; null where there is none to link to */
  temporalUiUrl: string | null;
  namespace: string;
  folder?: string;
  /** Makes a link that signs in at the dashboard once; absent where the key may belong to another account than the link */
  signInLink?: (() => Promise<string>) | undefined;
  /** The instance ends with the demo */
  isEnding?: boolean;
  /** A person sees the output at a terminal */
  interactive?: boolean;
  /** Aborting it cancels what runs */
  signal?: AbortSignal;
  /** Prints one line of JSON, and the states to the second output */
  json?: boolean;
}

/**
 * `burnish demo`: sends samples through a running instance and prints their states, and the pages that compare them.
 * @returns the exit code: 0 when all were enhanced and saved
 */
export async function runDemo(
  options: DemoOptions,
  out: Output = process.stdout,
  errors: Output = process.stderr,
): Promise<number> {
  const { folder = 'out', signal, json = false } = options;
  const client = new Burnish(options);
  const progress = createProgress(json ? errors : out);
  const start = performance.now();
  try {
    await mkdir(folder, { recursive: true, mode: 0o777 & ~callersUmask() });
    const before = await client.credits();
    progress.line(
      `Credits before: ${before.remainingCreditsThisPeriod} left, ${before.usedCreditsThisPeriod} used this period.`,
    );
    progress.line('');
    const settled = await Promise.allSettled(
      JOBS.map((job) => enhanceSample(client, job, { folder, signal, progress })),
    );
    progress.line('');
    const failures = settled.filter((each) => each.status === 'rejected');
    if (failures.length > 0) {
      for (const { reason } of failures) progress.line(`The demo failed: ${describeFailure(reason)}`);
      return 1;
    }
    const results = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    for (const result of results) progress.line(resultLine(result));
    progress.line('');
    tellCredits(progress, results, await client.credits());
    const uploads = results.map(({ name, upload }) => ({ name, uploadId: upload.id }));
    await tellPages(uploads, { ...options, folder }, progress);
    tellWorkflows(progress, results, options);
    if (json) out.write(`${JSON.stringify({ results: results.map(toJson) })}\n`);
    progress.line(`Done in ${formatDuration(performance.now() - start)}.`);
    return 0;
  } catch (error) {
    progress.line(`The demo failed: ${describeFailure(error)}`);
    return 1;
  } finally {
    progress.close();
  }
}

interface SampleResult {
  name: string;
  upload: UploadWithEnhancementsRepresentation;
  enhancement: EnhancementRepresentation;
  savedAs: string;
}

async function enhanceSample(
  client: Burnish,
  { name, parameters }: (typeof JOBS)[number],
  { folder, signal, progress }: { folder: string; signal: AbortSignal | undefined; progress: Progress },
): Promise<SampleResult> {
  const narrator = createNarrator(name, progress);
  try {
    narrator.tell('SENT', `POST ${client.baseUrl}/v1/uploads`);
    const upload = await client.process(join(SAMPLES, name), parameters, {
      signal,
      onAccepted: ({ id }) => narrator.tell('ACCEPTED', id),
      onEvent: narrator.event,
    });
    const enhancement = upload.enhancements[0];
    if (enhancement?.status !== 'FINISHED') {
      const { errorCode, errorDetail } = enhancement?.errorCode ? enhancement : upload;
      throw new CommandError(
        `${name}: ${errorDetail ?? `the enhancement ended as ${enhancement?.status ?? upload.status}`} (${errorCode ?? 'no code'})`,
      );
    }
    const savedAs = await saveResult(client, enhancement, {
      folder,
      place: (path) => ({ path, overwrite: true }),
      signal,
    });
    narrator.tell('SAVED', shown(savedAs));
    return { name, upload, enhancement, savedAs };
  } finally {
    progress.clear(name);
  }
}

const toJson = ({ name, enhancement, savedAs }: SampleResult) => ({ file: name, savedAs: shown(savedAs), enhancement });

function resultLine({ upload, enhancement, savedAs }: SampleResult): string {
  const sizes = `${formatBytes(upload.filesize ?? 0)} → ${formatBytes(enhancement.filesize ?? 0)}`;
  const pixels =
    upload.width > 0 ? `${upload.width}×${upload.height} → ${enhancement.width}×${enhancement.height} pixels, ` : '';
  return `  ${shown(savedAs)}: ${pixels}${sizes}, ${counted(enhancement.chargedCredits ?? 0, 'credit')}`;
}

function tellCredits(progress: Progress, results: readonly SampleResult[], after: CreditsRepresentation): void {
  progress.line(
    `Credits after: ${after.remainingCreditsThisPeriod} left, ${after.usedCreditsThisPeriod} used this period.`,
  );
  for (const { name, enhancement } of results) {
    if (enhancement.reusedFrom === null) continue;
    progress.line(`  ${name}: the stored result of an equal enhancement was reused, at 0 credits.`);
  }
  progress.line('');
}

function tellWorkflows(
  progress: Progress,
  results: readonly SampleResult[],
  { temporalUiUrl, namespace }: DemoOptions,
): void {
  if (temporalUiUrl === null) return;
  progress.line('The Temporal Web UI shows the workflows:');
  for (const { name, upload } of results)
    progress.line(`  ${name}: ${uploadWorkflowUrl({ url: temporalUiUrl, namespace }, upload.id)}`);
  progress.line('');
}

function shown(path: string): string {
  const short = relative('.', path);
  return short.startsWith('..') ? path : short;
}

function describeFailure(error: unknown): string {
  return error instanceof BurnishError
    ? describeRefusal(error)
    : error instanceof Error
      ? error.message
      : String(error);
}
