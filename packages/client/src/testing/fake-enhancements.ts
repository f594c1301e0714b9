import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/common';
import { BurnishError } from '@burnish/client';
import {
  cancellationRefusal,
  decisionRefusal,
  type Decision,
  isTerminal,
  explainInOneText,
  FAILURES,
  Failure,
} from '@burnish/contract';
import type { EnhancementFilter, Enhancements } from '../enhancements.ts';
import type { Enhancement } from '../types.ts';
import { cancelled, decided } from './fake-enhancement.ts';
import type { FakeWork } from './fake-work.ts';

/** The enhancements of a fake, with methods of the client. All methods throw BurnishError, as there. */
export type FakeEnhancements = Pick<Enhancements, 'get' | 'list' | 'approve' | 'reject' | 'cancel'>;

export function fakeEnhancements(work: FakeWork): FakeEnhancements {
  const get = (id: string): Promise<Enhancement> => work.read(id).catch(throwForClient);

  /** Decisions on the way to their enhancements: of two at once, the first one counts. */
  const decisions = new Map<string, Decision>();

  async function decideOn(id: string, decision: Decision): Promise<Enhancement> {
    const { status } = await get(id);
    assertAllowed(decisionRefusal(status, decisions.get(id) ?? null, decision));
    decisions.set(id, decision);
    await work.handle(id).signal(decided, decision).catch(ignoreEnd);
    return await recordOnce(id, (now) => now !== 'AWAITING_APPROVAL');
  }

  async function recordOnce(id: string, holds: (status: Enhancement['status']) => boolean): Promise<Enhancement> {
    for (;;) {
      const record = await get(id);
      if (holds(record.status)) return record;
      await pause(20);
    }
  }

  return {
    get,
    approve: (id) => decideOn(id, 'approved'),
    reject: (id) => decideOn(id, 'rejected'),
    async cancel(id) {
      const { status } = await get(id);
      assertAllowed(cancellationRefusal(status));
      await work.handle(id).signal(cancelled).catch(ignoreEnd);
      return await recordOnce(id, isTerminal);
    },
    async *list(filter = {}) {
      for (const id of [...work.orders.keys()].reverse()) {
        // An order that has not started yet is unknown.
        const record = await work.read(id).catch(() => undefined);
        if (record !== undefined && matches(record, filter)) yield record;
      }
    },
  };
}

function matches(record: Enhancement, filter: EnhancementFilter): boolean {
  const { uploadId, status, reference, createdAfter, createdBefore } = filter;
  const created = Date.parse(record.createdAt);
  return (
    (uploadId === undefined || record.uploadId === uploadId) &&
    (status === undefined || record.status === status) &&
    (reference === undefined || record.reference === reference) &&
    (createdAfter === undefined || created > Date.parse(createdAfter)) &&
    (createdBefore === undefined || created < Date.parse(createdBefore))
  );
}

function assertAllowed(refusal: Failure | undefined): void {
  if (refusal !== undefined) throwForClient(refusal);
}

/** Converts a refusal to the error of the client. */
function throwForClient(error: unknown): never {
  if (!(error instanceof Failure)) throw error;
  const { code, message } = error;
  throw new BurnishError(explainInOneText(code, message), { code, status: FAILURES[code].httpStatus });
}

/** An enhancement that ended meanwhile takes no signal. */
function ignoreEnd(error: unknown): void {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}
