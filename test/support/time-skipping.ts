import '../setup/quiet-temporal.ts';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { creditPeriodAt } from '@burnish/contract';
import { indexedTypes } from '../../src/temporal/search-attributes.ts';
import { timeSkippingServer } from './time-skipping-server.ts';

/** The SDK waits only five seconds for the server, and a busy machine may need longer. */
const ATTEMPTS = 5;
/** A call of the SDK has no deadline of its own. */
const REGISTER_WITHIN_MS = 10_000;

export interface WorkflowEnvironment {
  environment: TestWorkflowEnvironment;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A Temporal server on which months pass in milliseconds, with Burnish's search attributes: `await using time = await
 * createTimeSkippingEnvironment()`. Use one per test file, because the clock belongs to the server. Time skips while a test
 * awaits a workflow's result through `environment.client`, and in `environment.sleep`. The server has no listing, no schedules,
 * no reset and no start delay.
 */
export async function createTimeSkippingEnvironment(): Promise<WorkflowEnvironment> {
  const environment = await startPatiently(timeSkippingServer);
  return { environment, [Symbol.asyncDispose]: () => environment.teardown() };
}

/** Skips to the next month: no grant of credits then lies within the days that a test skips, whatever the date is. */
export async function beginMonth(environment: TestWorkflowEnvironment): Promise<void> {
  const nowMs = await environment.currentTimeMs();
  await environment.sleep(Date.parse(creditPeriodAt(nowMs).end) - nowMs);
}

async function startPatiently(path: string): Promise<TestWorkflowEnvironment> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startEnvironment(path);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function startEnvironment(path: string): Promise<TestWorkflowEnvironment> {
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  const { connection } = environment;
  // This server cannot list search attributes, so a check before is impossible.
  const register = () =>
    connection.operatorService.addSearchAttributes({ namespace: 'default', searchAttributes: indexedTypes() });
  try {
    await connection.withDeadline(Date.now() + REGISTER_WITHIN_MS, register);
    return environment;
  } catch (error) {
    await environment.teardown();
    throw error;
  }
}
