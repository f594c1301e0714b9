import {
  CancellationScope,
  createNexusServiceClient,
  isCancellation,
  proxyActivities,
  sleep,
  workflowInfo,
  type WorkflowInterceptorsFactory,
} from '@temporalio/workflow';
import * as nexus from 'nexus-rpc';
import type { EnhanceInput } from '../../src/testing/index.ts';
import type { Enhancement } from '../../src/types.ts';

/** What a caller writes: the service with its operations, and workflows of its own. */
const burnish = nexus.service('burnish', {
  enhance: nexus.operation<object, Enhancement>(),
  estimate: nexus.operation<object, { credits: number }>(),
  getEnhancement: nexus.operation<object, Enhancement>(),
});
const options = { scheduleToCloseTimeout: '60 days' } as const;
const client = () => createNexusServiceClient({ endpoint: 'shop', service: burnish });

export async function call(operation: keyof typeof burnish.operations, input: object) {
  return await client().executeOperation(operation, input as never, options);
}

/** Sends the headers in the memo of the workflow. */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  outbound: [
    {
      startNexusOperation(input, next) {
        const { headers } = workflowInfo().memo as { headers: Record<string, string> };
        return next({ ...input, headers: { ...input.headers, ...headers } });
      },
    },
  ],
});

/** Cancels an enhancement after two days. @returns its record */
export async function callAndCancel(input: object): Promise<Enhancement | undefined> {
  const scope = new CancellationScope();
  try {
    await scope.run(async () => {
      const operation = await client().startOperation('enhance', input as never, {
        ...options,
        cancellationType: 'WAIT_CANCELLATION_COMPLETED',
      });
      void CancellationScope.nonCancellable(() => sleep('2 days')).then(() => scope.cancel());
      await operation.result();
    });
  } catch (error) {
    if (!isCancellation(error)) throw error;
    return undefined;
  }
  throw new Error('The enhancement ended before its cancellation.');
}

const { enhance } = proxyActivities<{ enhance(input: EnhanceInput): Promise<Enhancement> }>({
  startToCloseTimeout: '40 days',
  retry: { maximumAttempts: 3 },
});

export async function callActivity(input: EnhanceInput): Promise<Enhancement> {
  return await enhance(input);
}
