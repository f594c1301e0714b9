import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { explainInOneText } from '../../../../src/domain/explain-failure.ts';
import { Failure } from '../../../../src/domain/failures.ts';
import { newId } from '../../../../src/domain/ids.ts';
import type { EnhancementRepresentation } from '../../../../src/domain/representations/answers.ts';
import { failureOfOperation } from '../../../../src/domain/temporal/operation-interface.ts';
import { planCourse, type Course } from './course.ts';
import { toOrder, type EnhanceInput } from './input.ts';
import type { FakeOptions } from './start-fake-burnish.ts';

/**
 * Makes an activity that stands for one of yours that calls Burnish. Its input and its outcomes are those of the operation `enhance`,
 * and its waits pass on the clock of the environment, so that its timeouts apply.
 * @returns an activity that throws ApplicationFailure with the code as its type; a code that a retry can mend is retried
 */
export function mockEnhance(
  environment: Pick<TestWorkflowEnvironment, 'sleep' | 'currentTimeMs'>,
  { outcome = () => ({}) }: FakeOptions = {},
): (input: EnhanceInput) => Promise<EnhancementRepresentation> {
  return async (input) => {
    const { begun, waits, ended } = plan(await environment.currentTimeMs(), input, outcome);
    for (const { ms } of waits) await pause(environment.sleep(ms));
    const record = { ...begun, ...ended };
    const failure = failureOfOperation(record);
    if (failure === undefined) return record;
    throw ApplicationFailure.create(failure);
  };
}

/** Ends the wait early when the activity is cancelled. */
async function pause(asleep: Promise<void>): Promise<void> {
  asleep.catch(() => undefined);
  await Promise.race([asleep, Context.current().cancelled]);
}

function plan(atMs: number, input: EnhanceInput, outcomeOf: NonNullable<FakeOptions['outcome']>): Course {
  try {
    const order = toOrder(input);
    const uploadId = 'uploadId' in input.source ? input.source.uploadId : newId('upl', atMs);
    return planCourse(order, { enhancementId: newId('enh', atMs), uploadId, atMs }, outcomeOf(input));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { code, message, retryable } = error;
    throw ApplicationFailure.create({ type: code, message: explainInOneText(code, message), nonRetryable: !retryable });
  }
}
