import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure, WorkflowNotFoundError } from '@temporalio/common';
import { BurnishError } from '@burnish/client';
import { decisionRefusal, type Decision } from '../../../../src/domain/enhancement/approval.ts';
import { isTerminal } from '../../../../src/domain/enhancement/enhancement.ts';
import { explainInOneText } from '../../../../src/domain/explain-failure.ts';
import { FAILURES, Failure, isFailureCode } from '../../../../src/domain/failures.ts';
import type { EnhancementFilter, Enhancements } from '../enhancements.ts';
import type { Enhancement } from '../types.ts';
import { decide } from './fake-enhancement.ts';
import type { FakeWork } from './fake-work.ts';

/** The enhancements of a fake, with methods of the client. All methods throw BurnishError, as there. */
export type FakeEnhancements = Pick<Enhancements, 'get' | 'list' | 'approve' | 'reject' | 'cancel'>;

export function fakeEnhancements(work: FakeWork): FakeEnhancements {
  const get = (id: string): Promise<Enhancement> => work.read(id).catch(throwForClient);

  async function decideOn(id: string, decision: Decision): Promise<Enhancement> {
    try {
      return await work.handle(id).executeUpdate(decide, { args: [decision] });
    } catch (error) {
      // An enhancement that has ended takes no decision.
      if (!(error instanceof WorkflowNotFoundError)) return throwForClient(error);
      const { status } = await get(id);
      return throwForClient(decisionRefusal(status, null, decision) ?? error);
    }
  }

  return {
    get,
    approve: (id) => decideOn(id, 'approved'),
    reject: (id) => decideOn(id, 'rejected'),
    async cancel(id) {
      const { status } = await get(id);
      if (isTerminal(status)) {
        return throwForClient(new Failure('CONFLICT', { detail: `The enhancement is ${status} already.` }));
      }
      const handle = work.handle(id);
      await handle.cancel();
      await handle.result().catch(() => undefined);
      return await get(id);
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

/** Converts a refusal to the error of the client. */
function throwForClient(error: unknown): never {
  const reason = error instanceof WorkflowUpdateFailedError ? error.cause : error;
  const code = reason instanceof ApplicationFailure ? reason.type : reason instanceof Failure ? reason.code : undefined;
  if (!isFailureCode(code)) throw error;
  const sentence = explainInOneText(code, (reason as Error).message);
  throw new BurnishError(sentence, { code, status: FAILURES[code].httpStatus });
}
