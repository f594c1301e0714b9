import type { BeginOutcome } from '../../activities/records.ts';
import { resultFilename } from '../../domain/upload/filenames.ts';
import { copyResult } from '../activities.ts';
import { step } from '../step.ts';
import type { Outcome } from './download.ts';
import type { EnhancementWork } from './enhancement-run.ts';

type EarlierEnhancement = Extract<BeginOutcome, { outcome: 'reusable' }>['earlier'];

/**
 * Copies an equal earlier result.
 * @returns undefined when it no longer exists, or when storage has damaged it; the order is then fulfilled as usual
 */
export async function reuse(
  { open, job, upload }: EnhancementWork,
  earlier: EarlierEnhancement,
): Promise<Outcome | undefined> {
  const { tracker } = open;
  const objectKey = job.resultKey;
  open.mayHaveResult = true;
  const { objectKey: from, size, sha256 } = earlier.result;
  // The earlier upload may be deleted meanwhile.
  const copy = { from, to: objectKey, expected: { size, sha256 } };
  const copied = await step(tracker.waits, copyResult, {}, copy);
  if (copied === 'damaged') {
    // The account has paid for the damaged result.
    const sentence = `The result of ${earlier.id} is damaged in storage. The work is repeated at no charge.`;
    await tracker.move({ estimatedCredits: 0 }, sentence);
  }
  if (copied !== true) return undefined;
  const filename = resultFilename(upload.state.originalFilename, earlier.result.mimetype);
  const engine = { ...earlier.engine, durationMs: 0 };
  return { result: { ...earlier.result, objectKey, filename }, engine, credits: 0, reusedFrom: earlier.id };
}
