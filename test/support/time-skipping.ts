import { TestWorkflowEnvironment } from '@temporalio/testing';
import { indexedTypes } from '../../src/temporal/search-attributes.ts';
import { timeSkippingServer } from './time-skipping-server.ts';

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
  const path = await timeSkippingServer();
  const environment = await startWithSecondChance(path);
  // This server cannot list search attributes, so a check before is impossible.
  await environment.connection.operatorService.addSearchAttributes({
    namespace: 'default',
    searchAttributes: indexedTypes(),
  });
  return { environment, [Symbol.asyncDispose]: () => environment.teardown() };
}

/** The SDK waits only five seconds for the server, and a busy machine may need longer. */
async function startWithSecondChance(path: string): Promise<TestWorkflowEnvironment> {
  const start = (): Promise<TestWorkflowEnvironment> =>
    TestWorkflowEnvironment.createTimeSkipping({ server: { executable: { type: 'existing-path', path } } });
  return start().catch(start);
}
