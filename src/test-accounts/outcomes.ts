import { setTimeout as pause } from 'node:timers/promises';
import { Failure, findTestEffect, LOW_CREDIT_LEVELS } from '@burnish/contract';
import type { WriteToDestination } from '../activities/destination.ts';
import type { SendDelivery } from '../activities/notify.ts';
import type { CreditLedger } from '../database/credits/credit-ledger.ts';
import type { LifecycleSteps } from '../database/uploads/lifecycle-steps.ts';
import { createTestReferences, type TestReferences, type TestReferencesDeps } from './references.ts';

/** What a worker does otherwise for a test account whose reference asks for it. */
export interface Outcomes {
  steps: LifecycleSteps;
  send: SendDelivery;
  writeToDestination: WriteToDestination;
}

/** Share of the granted credits that reports low credits. */
const LOW_SHARE = LOW_CREDIT_LEVELS[0] / 100;

/**
 * Adds the outcomes that references of test accounts ask for: reservations, deliveries and destinations. The work of any other
 * account stays as it is.
 */
export function withTestOutcomes<Deps extends Outcomes & TestReferencesDeps & { ledger: CreditLedger }>(
  deps: Deps,
): Deps & Outcomes {
  const references = createTestReferences(deps);
  return {
    ...deps,
    steps: withTestReservations(deps, references),
    send: withTestDeliveries(deps.send),
    writeToDestination: withTestDestinations(deps.writeToDestination, references),
  };
}

/** A test may reserve more than the account has left, or more than the price. */
function withTestReservations(
  { steps, ledger }: { steps: LifecycleSteps; ledger: CreditLedger },
  references: TestReferences,
): LifecycleSteps {
  type Step = Parameters<LifecycleSteps['beginEnhancement']>[0];

  async function creditsOf({ enhancement, credits, nowMs }: Step): Promise<number | null> {
    const { recorded, effect } = await references.ofEnhancement(enhancement.accountId, enhancement);
    if (credits === null || effect === undefined) return credits;
    const { granted, remaining } = await ledger.balance(enhancement.accountId, nowMs);
    if (effect.waitsFor === 'credits' && recorded?.status !== 'AWAITING_CREDITS') return remaining + 1;
    return effect.lowersCredits ? Math.max(credits, remaining - Math.floor(granted * LOW_SHARE)) : credits;
  }

  return {
    ...steps,
    async beginEnhancement(step) {
      if (step.enhancement.provider !== 'test') return steps.beginEnhancement(step);
      return steps.beginEnhancement({ ...step, credits: await creditsOf(step) });
    },
  };
}

/** A reference may change the counted outcome of an attempt, or delay it. The receiver gets the event all the same. */
function withTestDeliveries(send: SendDelivery): SendDelivery {
  return async (context, number) => {
    const { delivery } = (context.ofTest && findTestEffect(context.event.data['reference'])) || {};
    if (delivery === undefined || number > (delivery.attempts ?? Infinity)) return send(context, number);
    if (delivery.delayMs !== undefined) await pause(delivery.delayMs);
    const sent = await send(context, number);
    const { httpStatus, retryAfterMs = null } = delivery;
    if (httpStatus === undefined) return sent;
    const answer = 'The reference of the test sets this outcome.';
    return { ...sent, httpStatus, answer, retryAfterMs, outcome: httpStatus === 410 ? 'gone' : 'failed' };
  };
}

function withTestDestinations(write: WriteToDestination, references: TestReferences): WriteToDestination {
  return async (work) => {
    const { accountId, enhancementId: id, uploadId } = work;
    const { effect, recorded } = await references.ofEnhancement(accountId, { id, uploadId });
    if (effect?.fails?.part === 'destination') throw new Failure(effect.fails.code, { retryable: false });
    if (effect?.waitsFor === 'destination' && recorded?.waitingFor !== 'destination')
      throw new Failure('DESTINATION_UNAVAILABLE', { detail: 'Away for a test.', retryable: false });
    return write(work);
  };
}
