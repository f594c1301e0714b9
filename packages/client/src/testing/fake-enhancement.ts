import {
  ApplicationFailure,
  CancellationScope,
  allHandlersFinished,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  isCancellation,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';
import { insufficientCredits } from '../../../../src/domain/accounts/credits.ts';
import { decisionRefusal, noApproval, type Decision } from '../../../../src/domain/enhancement/approval.ts';
import type { Failure } from '../../../../src/domain/failures.ts';
import type { EnhancementRepresentation } from '../../../../src/domain/representations/answers.ts';
import { failureOfOperation } from '../../../../src/domain/temporal/operation-interface.ts';
import { APPROVAL_MS } from '../../../../src/domain/temporal/waits.ts';
import { failedFields, type Course, type Fields } from './course.ts';
import type { LedgerActivities } from './ledger.ts';

/** The current record, and the end of its present wait in milliseconds since the epoch; null while it waits for nothing. */
export const look = defineQuery<{ record: EnhancementRepresentation; waitsUntil: number | null }>('look');
/** A person's decision. @returns the record after it */
export const decide = defineUpdate<EnhancementRepresentation, [Decision]>('decide');
/** The account has more credits. */
export const toppedUp = defineSignal('toppedUp');

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
  setHandler(look, () => ({ record, waitsUntil }));
  setHandler(toppedUp, () => void (topUps += 1));
  setHandler(
    decide,
    async (taken) => {
      decision ??= taken;
      await condition(() => record.status !== 'AWAITING_APPROVAL');
      return record;
    },
    {
      validator(wanted) {
        const refusal = decisionRefusal(record.status, decision, wanted);
        if (refusal) throw ApplicationFailure.nonRetryable(refusal.message, refusal.code);
      },
    },
  );

  const show = (fields: Fields): void => void (record = { ...record, ...fields });
  /** @returns whether `isOver` ended the wait before its time */
  async function wait(ms: number, shown: Fields, isOver = (): boolean => false): Promise<boolean> {
    show(shown);
    waitsUntil = Date.now() + ms;
    const early = await condition(isOver, ms);
    waitsUntil = null;
    return early;
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
    show({ finishedAt: now(), ...(await produce()), waitingFor: null });
  } catch (error) {
    if (isCancellation(error)) show({ status: 'CANCELLED', waitingFor: null, finishedAt: now() });
    throw error;
  } finally {
    await CancellationScope.nonCancellable(async () => {
      await settle(id, record.chargedCredits ?? 0);
      await condition(allHandlersFinished);
    });
  }
  const failure = failureOfOperation(record);
  if (failure === undefined) return record;
  throw ApplicationFailure.create(failure);
}

const now = (): string => new Date().toISOString();
