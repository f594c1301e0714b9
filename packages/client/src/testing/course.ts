import {
  droppedPages,
  priceOfImage,
  type Destination,
  resolveImageParameters,
  Failure,
  FAILURES,
  type FailureCode,
  type EnhancementRepresentation,
  DAY_MS,
  LEDGER_CHECK_MS,
  findTestEffect,
  TEST_PREFIX,
  type TestEffect,
  unknownTestReference,
} from '@burnish/contract';
import type { Order } from './input.ts';
import { begunRecord, resultFields, settledDestination, type Begin } from './record.ts';

/** Milliseconds of an outage, and of a destination that counts as away (docs/test-references.md). */
const OUTAGE_MS = 1_000;
const AWAY_MS = 5_000;

export type Fields = Partial<EnhancementRepresentation>;

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

/** The life of one enhancement, from its order to its end. Only people and credits change it. */
export interface Course {
  begun: EnhancementRepresentation;
  /** The price exceeds the limit, the order drops pages, or the reference asks for it */
  needsApproval: boolean;
  /** Waits before the end, after approval and credits */
  waits: Wait[];
  /** Fields of the end, without times */
  ended: Fields;
  /** The outcome of the destination, without its time, and the milliseconds for which it counts as away */
  destination: { awayMs: number; settled: Destination } | null;
}

/** Price of an order in credits. Nothing tells the images of a PDF, so it costs as much as one image. */
export const priceOf = ({ parameters }: Order): number => priceOfImage(resolveImageParameters(parameters));

/**
 * Plans the life of an enhancement by the rules of docs/test-references.md.
 * @throws Failure with the code of a reference that refuses the request; BAD_USER_INPUT for an unknown reference
 */
export function planCourse(order: Order, begin: Begin, outcome: FakeOutcome = {}): Course {
  const { waitsFor, fails } = effectOf(outcome.reference ?? order.reference);
  if (fails?.part === 'request') throw new Failure(fails.code);
  const credits = priceOf(order);
  const begun = begunRecord(order, begin, credits);
  const isCostly = order.maxCredits !== null && credits > order.maxCredits;
  const needsApproval = waitsFor === 'approval' || isCostly || droppedPages(order.parameters.pages).length > 0;
  const waits: Wait[] = [];
  if (waitsFor === 'credits')
    waits.push({ ms: LEDGER_CHECK_MS, shown: { status: 'AWAITING_CREDITS', waitingFor: 'credits' } });
  else if (waitsFor !== undefined && waitsFor !== 'approval' && waitsFor !== 'destination')
    waits.push({ ms: OUTAGE_MS, shown: { status: 'PROCESSING', waitingFor: waitsFor } });
  if (outcome.afterMs) waits.push({ ms: outcome.afterMs, shown: { status: 'PROCESSING', waitingFor: null } });
  const course = { begun, needsApproval, waits };
  if (fails?.part === 'file' || fails?.part === 'enhancement')
    return { ...course, ended: failedFields(fails.code, FAILURES[fails.code].sentence), destination: null };

  const result = resultFields(order, begun);
  const awayMs = waitsFor === 'destination' ? AWAY_MS : fails?.code === 'DESTINATION_UNAVAILABLE' ? DAY_MS : 0;
  return {
    ...course,
    ended: { ...result, ...outcome.enhancement },
    destination: begun.destination && {
      awayMs,
      settled: settledDestination(begun.destination, result.filename, fails?.code),
    },
  };
}

/** @throws Failure BAD_USER_INPUT for a reserved reference without a meaning */
function effectOf(reference: string | null): Partial<TestEffect> {
  const effect = findTestEffect(reference);
  if (effect === undefined && reference?.startsWith(TEST_PREFIX)) throw unknownTestReference(reference);
  return effect ?? {};
}

/** Fields of an enhancement that failed. */
export const failedFields = (errorCode: FailureCode, errorDetail: string): Fields => ({
  status: 'ERROR',
  errorCode,
  errorDetail,
});
