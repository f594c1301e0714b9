import '../setup/quiet-temporal.ts';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { startTestTemporal } from './test-temporal.ts';
import { temporaryFolder } from './temporary-folder.ts';
import type { WorkflowEnvironment } from './time-skipping.ts';

/**
 * The Temporal server that Burnish embeds, in real time, for features that the time-skipping server lacks: `await using dev =
 * await createDevEnvironment()`. Burnish's own code starts it, because the SDK's `createLocal` waits only five seconds.
 */
export async function createDevEnvironment(): Promise<WorkflowEnvironment> {
  const folder = await temporaryFolder();
  const server = await startTestTemporal(folder.path);
  const environment = await TestWorkflowEnvironment.createFromExistingServer({ address: server.address });
  return {
    environment,
    async [Symbol.asyncDispose]() {
      await environment.teardown();
      await server.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}
