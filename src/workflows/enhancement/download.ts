import { counted } from '@burnish/contract';
import type { EnhanceOutcome } from '../../activities/provider/local-context.ts';
import type { AnnouncedDelivery } from '../../activities/records.ts';
import type { EnhancementWork } from './enhancement-run.ts';

/** A result in storage that no record names yet. */
export interface Outcome extends EnhanceOutcome {
  /** The enhancement whose result this is; absent for a new one */
  reusedFrom?: string;
}

/**
 * The step that offers the result for download: one statement records it as finished, charges its credits and records its event.
 * Each later read of the record signs the URL anew. Nothing cancels this step.
 * @returns the deliveries of the event
 */
export function download({ open: { tracker } }: EnhancementWork, outcome: Outcome): Promise<AnnouncedDelivery[]> {
  const { result, engine, credits, reusedFrom } = outcome;
  const finishedAt = new Date().toISOString();
  const finished = { status: 'FINISHED', result, engine, chargedCredits: credits, finishedAt } as const;
  if (reusedFrom !== undefined) {
    const sentence = `Finished: same file and parameters as ${reusedFrom}, so its result is reused at no charge.`;
    const reused = { ...finished, estimatedCredits: 0, reusedFrom, basedOn: null };
    return tracker.record(reused, sentence, { announce: true, settle: 'release' });
  }
  const { basedOn } = tracker.state;
  const paid = basedOn ? `, beside what ${basedOn} has paid` : '';
  const facts = `${result.filename}, ${counted(result.size, 'byte')}, ${counted(credits, 'credit')}${paid}`;
  const sentence = `Finished: ${engine.unchanged ? 'no picture needed a change; ' : ''}${facts}.`;
  return tracker.record(finished, sentence, { announce: true, settle: { capture: credits } });
}
