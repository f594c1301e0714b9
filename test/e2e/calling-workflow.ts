import {
  CancellationScope,
  createNexusServiceClient,
  isCancellation,
  sleep,
  workflowInfo,
  type WorkflowInterceptorsFactory,
} from '@temporalio/workflow';
import * as nexus from 'nexus-rpc';

/** What another team writes: the service with the operations that it calls, and a workflow of its own. */
const burnish = nexus.service('burnish', {
  enhance: nexus.operation<object, { id: string; uploadId: string; status: string; fullUrl: string | null }>(),
  estimate: nexus.operation<object, { credits: number }>(),
  getEnhancement: nexus.operation<{ enhancementId: string }, { status: string }>(),
});

const client = (endpoint: string) => createNexusServiceClient({ endpoint, service: burnish });

export async function call(endpoint: string, operation: keyof typeof burnish.operations, input: object) {
  return await client(endpoint).executeOperation(operation, input as never, { scheduleToCloseTimeout: '5 minutes' });
}

/** Calls `enhance`, and cancels it after it has started. */
export async function callAndCancel(endpoint: string, input: object, afterMs: number): Promise<string> {
  const scope = new CancellationScope();
  try {
    return await scope.run(async () => {
      const operation = await client(endpoint).startOperation('enhance', input as never, {
        scheduleToCloseTimeout: '5 minutes',
        cancellationType: 'WAIT_CANCELLATION_COMPLETED',
      });
      void CancellationScope.nonCancellable(() => sleep(afterMs)).then(() => scope.cancel());
      const { status } = await operation.result();
      return status;
    });
  } catch (error) {
    if (isCancellation(error)) return 'cancelled';
    throw error;
  }
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
