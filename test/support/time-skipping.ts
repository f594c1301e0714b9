import { TestWorkflowEnvironment } from '@temporalio/testing';
import { indexedTypes } from '../../src/temporal/search-attributes.ts';
import { timeSkippingServer } from './time-skipping-server.ts';

export interface WorkflowEnvironment {
  environment: TestWorkflowEnvironment;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A Temporal server on which months pass in milliseconds, with our search attributes: `await using time = await
 * createTimeSkippingEnvironment()`. One a test file, as time is the server's. Time skips while a workflow's result is awaited
 * through `environment.client`, and in `environment.sleep`. It has no listing, no schedules, no reset, no start delay.
 */
export async function createTimeSkippingEnvironment(): Promise<WorkflowEnvironment> {
  const path = await timeSkippingServer();
  const environment = await startWithSecondChance(path);
  // This server cannot list them, so nothing can be asked first.
  await environment.connection.operatorService.addSearchAttributes({
    namespace: 'default',
    searchAttributes: indexedTypes(),
  });
  return { environment, [Symbol.asyncDispose]: () => environment.teardown() };
}

/** The SDK waits for the server for five seconds only, which a machine busy with other tests may exceed. */
async function startWithSecondChance(path: string): Promise<TestWorkflowEnvironment> {
  const start = (): Promise<TestWorkflowEnvironment> =>
    TestWorkflowEnvironment.createTimeSkipping({ server: { executable: { type: 'existing-path', path } } });
  return start().catch(start);
}
