import { ApplicationFailure, defineQuery, isCancellation, setHandler, sleep } from '@temporalio/workflow';
import type { EnhancementRepresentation } from '../../../../src/domain/representations/answers.ts';
import { failureOfOperation } from '../../../../src/domain/temporal/operation-interface.ts';
import { RECORD_QUERY, type Course } from './course.ts';

const readRecord = defineQuery<EnhancementRepresentation>(RECORD_QUERY);

/**
 * Backs the operation `enhance` of the fake service: lets the time of a course pass.
 * @throws ApplicationFailure with the code of a failed enhancement as its type
 */
export async function fakeEnhancement({ begun, waits, ended }: Course): Promise<EnhancementRepresentation> {
  let record = begun;
  setHandler(readRecord, () => record);
  try {
    for (const { ms, shown } of waits) {
      record = { ...record, ...shown };
      await sleep(ms);
    }
  } catch (error) {
    if (isCancellation(error)) {
      record = { ...record, status: 'CANCELLED', waitingFor: null, finishedAt: new Date().toISOString() };
    }
    throw error;
  }
  record = { ...record, ...ended };
  const failure = failureOfOperation(record);
  if (failure === undefined) return record;
  throw ApplicationFailure.create(failure);
}
