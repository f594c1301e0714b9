import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { EnhancementRepresentation } from '@burnish/contract';
import { NEXUS_TASK_QUEUE, type OperationActivities } from '../../src/domain/temporal/operation-interface.ts';
import type { enhanceOperation } from '../../src/workflows/index.ts';
import { workflowBundle } from '../support/workflow-bundle.ts';

export interface OperationScript {
  /** Answers of `awaitEnhancement`, in order; at `cancelled` the test cancels the operation */
  looks: (EnhancementRepresentation | null | 'cancelled')[];
  /** Calls of `cancelEnhancement` so far */
  cancellations?: number;
}

/** The part of a record that an operation reads. */
export const endedAs = (
  status: EnhancementRepresentation['status'],
  facts: Partial<EnhancementRepresentation> = {},
): EnhancementRepresentation =>
  ({
    id: 'enh_1',
    uploadId: 'upl_1',
    status,
    errorCode: null,
    errorDetail: null,
    ...facts,
  }) as EnhancementRepresentation;

/** Starts the workflow of an operation, whose activities follow a script. */
export async function startOperation(environment: TestWorkflowEnvironment, script: OperationScript) {
  const answers = [...script.looks];
  const workflowId = `operation/${randomUUID()}`;
  const handle = () => environment.client.workflow.getHandle<typeof enhanceOperation>(workflowId);
  const activities: OperationActivities = {
    async awaitEnhancement() {
      const answer = answers.shift()!;
      if (answer !== 'cancelled') return answer;
      await handle().cancel();
      return await Context.current().cancelled;
    },
    cancelEnhancement() {
      script.cancellations = (script.cancellations ?? 0) + 1;
      return Promise.resolve();
    },
  };
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    taskQueue: NEXUS_TASK_QUEUE,
    workflowBundle,
    activities: { ...activities },
    maxHeartbeatThrottleInterval: '1 s',
  });
  const run = worker.run();
  await environment.client.workflow.start<typeof enhanceOperation>('enhanceOperation', {
    workflowId,
    taskQueue: NEXUS_TASK_QUEUE,
    args: [{ enhancementId: 'enh_1', uploadId: 'upl_1', ticket: 'ticket' }],
  });
  return {
    handle: handle(),
    workflowId,
    async [Symbol.asyncDispose]() {
      worker.shutdown();
      await run;
    },
  };
}
