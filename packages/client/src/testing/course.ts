import { priceOfImage } from '../../../../src/domain/enhancement/prices.ts';
import { resolveImageParameters } from '@burnish/engine/contract';
import { Failure, FAILURES, type FailureCode } from '../../../../src/domain/failures.ts';
import type { EnhancementRepresentation } from '../../../../src/domain/representations/answers.ts';
import { APPROVAL_MS, DAY_MS, LEDGER_CHECK_MS } from '../../../../src/domain/temporal/waits.ts';
import {
  findTestEffect,
  TEST_PREFIX,
  type TestEffect,
  unknownTestReference,
} from '../../../../src/domain/testing/test-references.ts';
import type { Order } from './input.ts';
import { begunRecord, resultFields, settledDestination, type Begin } from './record.ts';

/** Milliseconds of an outage, and of a destination that counts as away (docs/testing.md). */
const OUTAGE_MS = 1_000;
const AWAY_MS = 5_000;

/** Query of the workflow that follows a course, for its current record. */
export const RECORD_QUERY = 'record';

type Fields = Partial<EnhancementRepresentation>;

/** What a test wants of one order. By default, a reference of the order applies, and any other order finishes at once. */
export interface FakeOutcome {
  /** Reference that causes an outcome, such as `test:CORRUPT_FILE`, in place of that of the order */
  reference?: string;
  /** Milliseconds of work on the clock of the environment */
  afterMs?: number;
  /** Fields of the finished record, such as `width` */
  enhancement?: Fields;
}

/** A time in which the record shows other fields. */
export interface Wait {
  ms: number;
  shown: Fields;
}

/** The life of one enhancement, from its order to its end. */
export interface Course {
  begun: EnhancementRepresentation;
  waits: Wait[];
  ended: Fields;
}

/** Price of an order in credits. Nothing tells the images of a PDF, so it costs as much as one image. */
export const priceOf = ({ parameters }: Order): number => priceOfImage(resolveImageParameters(parameters));

/**
 * Plans the life of an enhancement by the rules of docs/testing.md.
 * @throws Failure with the code of a reference that refuses the request; BAD_USER_INPUT for an unknown reference
 */
export function planCourse(order: Order, begin: Begin, outcome: FakeOutcome = {}): Course {
  const { waitsFor, fails } = effectOf(outcome.reference ?? order.reference);
  if (fails?.part === 'request') throw new Failure(fails.code);
  const credits = priceOf(order);
  const begun = begunRecord(order, begin, credits);
  const { afterMs = 0 } = outcome;
  const work = afterMs === 0 ? [] : [waiting(afterMs, 'PROCESSING', null)];
  const course = (waits: Wait[], ended: Fields): Course => ({ begun, waits, ended: { ...ended, waitingFor: null } });

  if (waitsFor === 'approval' || (order.maxCredits !== null && credits > order.maxCredits)) {
    const detail = 'Nobody approved the enhancement within 7 days, so nothing was charged.';
    return course([waiting(APPROVAL_MS, 'AWAITING_APPROVAL', 'approval')], failed('APPROVAL_REJECTED', detail));
  }
  if (waitsFor === 'credits') work.unshift(waiting(LEDGER_CHECK_MS, 'AWAITING_CREDITS', 'credits'));
  else if (waitsFor !== undefined && waitsFor !== 'destination')
    work.unshift(waiting(OUTAGE_MS, 'PROCESSING', waitsFor));
  if (fails?.part === 'file' || fails?.part === 'enhancement')
    return course(work, failed(fails.code, FAILURES[fails.code].sentence));

  const finishedMs = begin.atMs + lengthOf(work);
  const result = resultFields(order, begun, finishedMs);
  const finished = { ...result, ...outcome.enhancement };
  const { destination } = begun;
  if (destination === null) return course(work, finished);
  const awayMs = waitsFor === 'destination' ? AWAY_MS : fails?.code === 'DESTINATION_UNAVAILABLE' ? DAY_MS : 0;
  const away: Wait = { ms: awayMs, shown: { ...finished, waitingFor: 'destination' } };
  const settled = settledDestination(destination, {
    name: result.filename,
    atMs: finishedMs + awayMs,
    code: fails?.code,
  });
  return course(awayMs === 0 ? work : [...work, away], { ...finished, destination: settled });
}

/** @throws Failure BAD_USER_INPUT for a reserved reference without a meaning */
function effectOf(reference: string | null): Partial<TestEffect> {
  const effect = findTestEffect(reference);
  if (effect === undefined && reference?.startsWith(TEST_PREFIX)) throw unknownTestReference(reference);
  return effect ?? {};
}

const waiting = (
  ms: number,
  status: EnhancementRepresentation['status'],
  waitingFor: EnhancementRepresentation['waitingFor'],
): Wait => ({
  ms,
  shown: { status, waitingFor },
});

/** Milliseconds of waits */
export const lengthOf = (waits: readonly Wait[]): number => waits.reduce((sum, { ms }) => sum + ms, 0);

const failed = (errorCode: FailureCode, errorDetail: string): Fields => ({ status: 'ERROR', errorCode, errorDetail });
