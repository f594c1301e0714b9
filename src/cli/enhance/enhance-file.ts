import { BurnishError, type EnhancementOrder, type Burnish, type Enhancement, type UploadEvent } from '@burnish/client';
import { explainInOneText, type EnhancementStatus } from '@burnish/contract';
import { describeRefusal } from '../describe-error.ts';
import { printableName } from '../printable.ts';
import { saveResult, type Place } from './save-result.ts';
import { formatDuration } from './enhance-format.ts';
import type { InputFile } from './enhance-input.ts';
import type { Progress } from './enhance-progress.ts';

/** Pixels (0 for PDFs) and bytes. */
export interface Measures {
  width: number;
  height: number;
  size: number;
}

export interface FileOutcome {
  file: string;
  /** `FAILED`: no enhancement started */
  state: EnhancementStatus | 'FAILED';
  before: Measures | null;
  after: Measures | null;
  /** Credits that were charged */
  credits: number | null;
  /** A stored result was used again, at no charge */
  reused: boolean;
  /** Milliseconds from sending to the saved result */
  durationMs: number | null;
  savedAs: string | null;
  /** Notes of the engine about its decisions */
  notes: string[];
  error: { code: string | null; sentence: string } | null;
}

export interface EnhanceFileOptions {
  parameters: EnhancementOrder;
  password?: string;
  /** One of many: other work has priority */
  batch: boolean;
  folder: string;
  place: (path: string) => Place;
  progress: Progress;
  signal: AbortSignal;
  /** The file came from stdin and its result goes to stdout: paths of temporary files are not shown */
  piped: boolean;
  /** Finds the upload of an earlier call with the same key */
  idempotencyKey?: string;
}

export function failed(file: string, sentence: string, code: string | null = null): FileOutcome {
  const nothing = { before: null, after: null, credits: null, durationMs: null, savedAs: null };
  return { file, state: 'FAILED', ...nothing, reused: false, notes: [], error: { code, sentence } };
}

/** Enhances one file and saves its result. A fault of this file or of its transfer is an outcome, never an error. */
export async function enhanceFile(
  client: Burnish,
  input: InputFile,
  options: EnhanceFileOptions,
): Promise<FileOutcome> {
  const { parameters, password, idempotencyKey, batch, folder, place, progress, signal, piped } = options;
  const { path, size } = input;
  const file = piped ? 'stdin' : path;
  const start = performance.now();
  try {
    progress.update(file, 'sending', 0);
    const upload = await client.process(path, parameters, {
      ...(password === undefined ? {} : { password }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(batch ? { priority: 'BATCH' } : {}),
      // Nobody waits at a terminal for the next period.
      creditWait: 0,
      signal,
      onProgress: (sent) => progress.update(file, 'sending', sent / size),
      onAccepted: () => progress.update(file, 'waiting', 0),
      onEvent: (event) => showEvent(progress, file, event),
    });
    const enhancement = upload.enhancements[0];
    const before = { width: upload.width, height: upload.height, size: upload.filesize ?? size };
    if (enhancement === undefined || upload.status === 'UPLOAD_FAILED') {
      const sentence = explainInOneText(upload.errorCode, upload.errorDetail ?? 'The upload failed.');
      return { ...failed(file, sentence, upload.errorCode), before };
    }
    const { status: state, chargedCredits: credits, errorCode: code } = enhancement;
    const outcome = {
      ...failed(file, explainInOneText(code, enhancement.errorDetail ?? `The enhancement ended as ${state}.`), code),
      state,
      before,
      credits,
    };
    if (state !== 'FINISHED') return outcome;
    const savedTo = await saveResult(client, enhancement, { folder, place, signal });
    const savedAs = piped ? 'stdout' : savedTo;
    const { width, height, filesize, reusedFrom, engine } = enhancement;
    const durationMs = performance.now() - start;
    progress.line(
      `${printableName(file)}: finished in ${formatDuration(durationMs)}, ${piped ? 'written to' : 'saved as'} ${printableName(savedAs)}`,
    );
    return {
      ...outcome,
      after: { width: width ?? 0, height: height ?? 0, size: filesize ?? 0 },
      reused: reusedFrom !== null,
      durationMs,
      savedAs,
      notes: engine?.notes ?? [],
      error: destinationError(enhancement),
    };
  } catch (error) {
    if (signal.aborted) return { ...failed(file, 'Cancelled.'), state: 'CANCELLED' };
    if (error instanceof BurnishError) return failed(file, describeRefusal(error), error.code);
    // Such as a file that was deleted after its check: the others continue.
    return failed(file, error instanceof Error ? error.message : String(error));
  } finally {
    progress.clear(file);
  }
}

/** The reason for which the destination has no result; null for none. */
function destinationError({ destination }: Enhancement): FileOutcome['error'] {
  if (destination?.status !== 'FAILED') return null;
  const { errorCode: code, errorDetail: detail } = destination;
  return { code, sentence: explainInOneText(code, detail ?? 'The result was not written to its destination.') };
}

function showEvent(progress: Progress, file: string, event: UploadEvent): void {
  if (event.kind === 'progress') {
    progress.update(file, event.step, event.fraction);
    return;
  }
  const { waitingFor, explanation } = event.kind === 'upload' ? event.upload : event.enhancement;
  if (waitingFor && explanation) progress.line(`${printableName(file)}: ${explanation.detail} ${explanation.remedy}`);
  if (event.kind === 'upload' && event.upload.subStatus === 'METADATA_ANALYZING') progress.update(file, 'analyzing', 0);
  else if (event.kind === 'enhancement' && event.enhancement.status === 'PROCESSING')
    progress.update(file, 'enhancing', 0);
  else if (
    event.kind === 'enhancement' &&
    event.enhancement.destination?.status === 'PENDING' &&
    event.enhancement.status === 'FINISHED'
  )
    progress.update(file, 'writing to the destination', 1);
}
