import { TestWorkflowEnvironment } from '@temporalio/testing';
import { SEARCH_ATTRIBUTE_NAMES } from '../../src/domain/temporal/workflow-interface.ts';
import { startEmbeddedTemporal } from '../../src/temporal/embedded-server.ts';
import { describeSearchAttribute } from '../../src/temporal/search-attributes.ts';
import { temporalBinary } from './temporal-binary.ts';
import { temporaryFolder } from './temporary-folder.ts';
import type { WorkflowEnvironment } from './time-skipping.ts';

/**
 * A whole Temporal server in real time, the one that Burnish embeds, for what the time-skipping one lacks: `await using dev = await
 * createDevEnvironment()`. It is started by our own code, as the SDK's `createLocal` waits for it for five seconds only.
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
