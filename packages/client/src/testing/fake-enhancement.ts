import {
  ApplicationFailure,
  CancellationScope,
  condition,
  defineQuery,
  defineSignal,
  isCancellation,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';
import {
  droppedPages,
  explainEnhancement,
  insufficientCredits,
  noApproval,
  type Decision,
  type Failure,
  type EnhancementRepresentation,
  failureOfOperation,
  APPROVAL_MS,
} from '@burnish/contract';
import { failedFields, type Course, type Fields } from './course.ts';
import type { LedgerActivities } from './ledger.ts';

/** The current record, and the end of its present wait in milliseconds since the epoch; null while it waits for nothing. */
export const look = defineQuery<{ record: EnhancementRepresentation; waitsUntil: number | null }>('look');
/** A person's decision. The fake checks it first. */
export const decided = defineSignal<[Decision]>('decided');
/** A program's cancellation. */
export const cancelled = defineSignal('cancelled');
/** The account has more credits. */
export const toppedUp = defineSignal('toppedUp');
/** Nothing skips time for the course any more. Until then its caller waits: its lock is the one that each skip cancels. */
export const released = defineSignal('released');

const { reserve, settle } = proxyLocalActivities<LedgerActivities>({ startToCloseTimeout: '10 seconds' });

/**
 * Backs one enhancement of the fake service: lets the time of its course pass, for people and credits too.
 * @throws ApplicationFailure with the code of a failed enhancement as its type
 */
export async function fakeEnhancement({
  begun,
  needsApproval,
  waits,
  ended,
  destination,
}: Course): Promise<EnhancementRepresentation> {
  const { id, creditWait, estimatedCredits } = begun;
  let record = begun;
  let waitsUntil: number | null = null;
  let decision: Decision | null = null;
  let topUps = 0;
  let isCancelled = false;
  let isReleased = false;
  const scope = new CancellationScope();
  setHandler(look, () => ({ record, waitsUntil }));
  setHandler(toppedUp, () => void (topUps += 1));
  setHandler(released, () => void (isReleased = true));
  setHandler(decided, (taken) => void (decision ??= taken));
  setHandler(cancelled, () => {
    isCancelled = true;
    scope.cancel();
  });

  const show = (fields: Fields): void => {
    record = { ...record, ...fields };
    record.explanation = explainEnhancement({ ...record, dropped: droppedPages(record.parameters.pdf?.pages).length });
  };
  /** @param isOver ends the wait before its time */
  async function wait(ms: number, shown: Fields, isOver = (): boolean => false): Promise<void> {
    show(shown);
    waitsUntil = Date.now() + ms;
    await condition(isOver, ms);
    waitsUntil = null;
  }
  const failed = ({ code, message }: Failure): Fields => failedFields(code, message);

  /** Waits for top-ups until the account has enough. @param deadline milliseconds since the epoch @returns why it never had */
  async function reserveCredits(credits: number, deadline: number): Promise<Failure | undefined> {
    for (;;) {
      const seen = topUps;
      const left = await reserve(id, credits);
      if (left === null) return undefined;
      const ms = deadline - Date.now();
      if (ms <= 0) return insufficientCredits(credits, left);
      await wait(ms, { status: 'AWAITING_CREDITS', waitingFor: 'credits' }, () => topUps > seen);
    }
  }

  /** @returns the fields of the end */
  async function produce(): Promise<Fields> {
    if (needsApproval) {
      await wait(APPROVAL_MS, { status: 'AWAITING_APPROVAL', waitingFor: 'approval' }, () => decision !== null);
      if (decision !== 'approved') return failed(noApproval(decision));
      show({ status: 'QUEUED', waitingFor: null });
    }
    const refusal = await reserveCredits(estimatedCredits ?? 0, Date.now() + creditWait * 1_000);
    if (refusal !== undefined) return failed(refusal);
    show({ status: 'PROCESSING', waitingFor: null, startedAt: now() });
    for (const { ms, shown } of waits) {
      const seen = topUps;
      await wait(ms, shown, () => shown.waitingFor === 'credits' && topUps > seen);
    }
    const end: Fields = { finishedAt: now(), ...ended };
    if (destination === null) return end;
    if (destination.awayMs > 0) await wait(destination.awayMs, { ...end, waitingFor: 'destination' });
    const { settled } = destination;
    return { ...end, destination: { ...settled, deliveredAt: settled.status === 'DELIVERED' ? now() : null } };
  }

  try {
    show({ finishedAt: now(), ...(await scope.run(produce)), waitingFor: null });
  } catch (error) {
    if (!isCancellation(error)) throw error;
    show({ status: 'CANCELLED', waitingFor: null, finishedAt: now() });
    // A caller that cancels gets a cancellation, and one whose enhancement a program cancels gets a failure.
    if (!isCancelled) throw error;
  } finally {
    await CancellationScope.nonCancellable(async () => {
      await settle(id, record.chargedCredits ?? 0);
      await condition(() => isReleased);
    });
  }
  const failure = failureOfOperation(record);
  if (failure === undefined) return record;
  throw ApplicationFailure.create(failure);
}

const now = (): string => new Date().toISOString();
