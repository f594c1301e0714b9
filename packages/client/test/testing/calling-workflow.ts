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
import { burnishService, type EnhanceInput } from '../../src/temporal/workflow.ts';
import type { Enhancement } from '../../src/types.ts';

/** Tells the headers of its calls. */
const echoService = nexus.service('echo', { headers: nexus.operation<null, Record<string, string>>() });

const options = { scheduleToCloseTimeout: '60 days' } as const;
const client = (endpoint = 'shop') => createNexusServiceClient({ endpoint, service: burnishService });

export async function call(operation: keyof typeof burnishService.operations, input: object) {
  return await client().executeOperation(operation, input as never, options);
}

export async function callEndpoint(endpoint: string, input: EnhanceInput): Promise<Enhancement> {
  return await client(endpoint).executeOperation('enhance', input, options);
}

/** @returns the headers of a call of another service */
export async function callAnother(endpoint: string): Promise<Record<string, string>> {
  return await createNexusServiceClient({ endpoint, service: echoService }).executeOperation('headers', null, options);
}

/** Adds the headers in the memo of the workflow. */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  outbound: [
    {
      startNexusOperation(input, next) {
        const { headers } = (workflowInfo().memo ?? {}) as { headers?: Record<string, string> };
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
