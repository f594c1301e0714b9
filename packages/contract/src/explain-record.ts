import { APPROVAL_MS, DAY_MS } from './enhancement/waits.ts';
import type { BatchPauseReason, BatchStatus } from './batch/batch.ts';
import type { DestinationStatus } from './enhancement/destination.ts';
import { counted } from './engine/counted.ts';
import { explainFailure } from './explain-failure.ts';
import { FAILURES, type FailureCode } from './failures.ts';
import { OUTAGES, type WaitingFor } from './machinery.ts';

/** What a record waits for or what was wrong with it, and what to do, in sentences. */
export interface Explanation {
  detail: string;
  remedy: string;
}

interface Failed {
  errorCode: FailureCode | null;
  errorDetail: string | null;
}

interface Waiting extends Failed {
  waitingFor: WaitingFor | null;
}

const CONTINUES = 'Wait: the work continues by itself, for up to a day.';

const outage = ({ sentence }: { sentence: string }): Explanation => ({ detail: sentence, remedy: CONTINUES });

/** What each wait is for. An enhancement says more about credits and an approval. */
const WAITS: Record<WaitingFor, Explanation> = {
  storage: outage(OUTAGES.storage),
  database: outage(OUTAGES.database),
  disk: { ...outage(OUTAGES.disk), remedy: 'Ask the operator for space. The work continues by itself.' },
  memory: outage(OUTAGES.memory),
  worker: { ...outage(OUTAGES.worker), remedy: 'Ask the operator to start a worker. The work continues by itself.' },
  bucket: outage(OUTAGES.bucket),
  hosted: outage({ sentence: 'The hosted service does not answer, or has no free place.' }),
  credits: {
    detail: FAILURES.INSUFFICIENT_CREDITS.sentence,
    remedy: `${FAILURES.INSUFFICIENT_CREDITS.remedy} The work then continues by itself.`,
  },
  approval: {
    detail: 'The estimate is above maxCredits.',
    remedy: `Check the price, and approve or reject it within ${counted(APPROVAL_MS / DAY_MS, 'day')}.`,
  },
  destination: {
    detail: 'The destination does not answer, and the result is finished.',
    remedy: 'Check the destination. The result is written by itself, for up to a day.',
  },
};

const explainError = ({ errorCode, errorDetail }: Failed): Explanation | null =>
  errorCode === null ? null : explainFailure(errorCode, errorDetail ?? FAILURES[errorCode].sentence);

/** Explains an upload that waits or failed; null for any other. */
export const explainUpload = (upload: Waiting): Explanation | null =>
  upload.waitingFor === null ? explainError(upload) : WAITS[upload.waitingFor];

/** Explains an enhancement that waits or failed, or whose result has no destination; null for any other. */
export function explainEnhancement(
  enhancement: Waiting & {
    estimatedCredits: number | null;
    maxCredits: number | null;
    /** Number of pages that its order drops */
    dropped: number;
    destination: (Failed & { status: DestinationStatus }) | null;
  },
): Explanation | null {
  const { waitingFor, estimatedCredits, maxCredits, dropped, destination } = enhancement;
  if (waitingFor === 'credits' && estimatedCredits !== null)
    return { ...WAITS.credits, detail: `It needs ${counted(estimatedCredits, 'credit')}, and the account has fewer.` };
  if (waitingFor === 'approval' && dropped > 0) {
    const price = estimatedCredits === null ? '' : `, and it costs ${counted(estimatedCredits, 'credit')}`;
    const detail = `The result would be without ${counted(dropped, 'page')} of the PDF${price}.`;
    return { detail, remedy: WAITS.approval.remedy.replace('the price', 'the pages and the price') };
  }
  if (waitingFor === 'approval' && estimatedCredits !== null && maxCredits !== null) {
    const detail = `The estimate of ${counted(estimatedCredits, 'credit')} is above maxCredits, which is ${maxCredits}.`;
    return { ...WAITS.approval, detail };
  }
  if (waitingFor !== null) return WAITS[waitingFor];
  return explainError(enhancement) ?? (destination?.status === 'FAILED' ? explainError(destination) : null);
}

const PAUSES: Record<BatchPauseReason, Explanation> = {
  request: { detail: 'The account paused the batch.', remedy: 'Resume the batch to start the other files.' },
  budget: {
    detail: 'maxCredits does not cover a further file.',
    remedy: 'Resume the batch with a higher maxCredits, or cancel it.',
  },
  credits: {
    detail: 'The account has too few credits for a further file.',
    remedy: 'Ask the operator for credits, and resume the batch.',
  },
};

/** Explains a batch that waits or has failed files; null for any other. */
export function explainBatch({
  status,
  pauseReason,
  failed,
}: {
  status: BatchStatus;
  pauseReason: BatchPauseReason | null;
  failed: number;
}): Explanation | null {
  if (pauseReason !== null) return PAUSES[pauseReason];
  if (status === 'COLLECTING')
    return { detail: 'The batch accepts further files.', remedy: 'Close the batch to start its samples.' };
  if (status === 'APPROVAL_NEEDED')
    return { detail: 'The samples have ended.', remedy: 'Check the samples and the price, and approve or cancel it.' };
  if (failed === 0) return null;
  return { detail: `${counted(failed, 'file')} failed.`, remedy: 'Read their errors in the manifest, and retry them.' };
}

/** Explains a failed item of a batch; null for any other. */
export const explainBatchItem = (errorCode: FailureCode | null): Explanation | null =>
  explainError({ errorCode, errorDetail: null });

/** Explains a delivery without a success so far; null for any other. */
export function explainDelivery({
  status,
  attempts,
  nextAttemptAt,
}: {
  status: 'PENDING' | 'DELIVERED' | 'FAILED';
  attempts: readonly { httpStatus: number | null; answer: string }[];
  nextAttemptAt: string | null;
}): Explanation | null {
  if (status === 'DELIVERED') return null;
  const last = attempts.at(-1);
  if (last === undefined)
    return status === 'PENDING' ? null : { detail: 'The endpoint is disabled or deleted.', remedy: REDELIVER };
  const detail =
    last.httpStatus === null
      ? `The receiver did not answer: ${last.answer}`
      : `The receiver answered with the HTTP status ${last.httpStatus}.`;
  const remedy = nextAttemptAt === null ? REDELIVER : 'Correct the receiver. The next attempt follows by itself.';
  return { detail, remedy };
}

const REDELIVER = 'Correct or enable the receiver, and send the delivery again.';
