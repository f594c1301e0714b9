import { afterAll, beforeAll, describe } from '@jest/globals';
import { type NexusCallers, printedToken, SHOP, startNexusCallers } from '../e2e/nexus-callers.ts';
import { nexusOperationTests } from '../e2e/nexus-operations.ts';
import type { WholeCluster } from './cluster.ts';

/** Workflows of other namespaces call a cluster. @param opened returns the running cluster */
export function nexusTests(opened: () => WholeCluster): void {
  describe('Nexus operations of a cluster', () => {
    let callers: NexusCallers | undefined;
    beforeAll(async () => {
      const { cluster } = opened();
      const made = await cluster.operate('endpoints', 'create', SHOP, '--account', 'Default', '--json');
      callers = await startNexusCallers(cluster.temporal.address, printedToken(made));
    });
    afterAll(() => callers?.[Symbol.asyncDispose]());

    nexusOperationTests(() => ({ callers: callers!, api: opened().cluster.api }));
  });
}
