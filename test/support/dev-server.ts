import '../setup/quiet-temporal.ts';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { SEARCH_ATTRIBUTE_NAMES } from '../../src/domain/temporal/workflow-interface.ts';
import { startEmbeddedTemporal } from '../../src/temporal/embedded-server.ts';
import { describeSearchAttribute } from '../../src/temporal/search-attributes.ts';
import { temporalBinary } from './temporal-binary.ts';
import { temporaryFolder } from './temporary-folder.ts';
import type { WorkflowEnvironment } from './time-skipping.ts';

/**
 * The Temporal server that Burnish embeds, in real time, for features that the time-skipping server lacks: `await using dev =
 * await createDevEnvironment()`. Burnish's own code starts it, because the SDK's `createLocal` waits only five seconds.
 */
export async function createDevEnvironment(): Promise<WorkflowEnvironment> {
  const folder = await temporaryFolder();
  const server = await startEmbeddedTemporal({
    binary: await temporalBinary(),
    dataDir: folder.path,
    host: '127.0.0.1',
    port: 0,
    uiPort: undefined,
    namespace: 'default',
    searchAttributes: SEARCH_ATTRIBUTE_NAMES.map(describeSearchAttribute),
  });
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
