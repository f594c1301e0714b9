import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import proto from '@temporalio/proto';
import { MAIN_TASK_QUEUE } from '../../src/domain/temporal/workflow-interface.ts';
import { until } from '../support/until.ts';

const { COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK } = proto.temporal.api.enums.v1.CommandType;

/**
 * Does what a program of another user can: a workflow of its own, on a queue of its own, whose tasks it answers itself, orders an activity
 * from the workers of the instance.
 * @returns the type of the failure that the activity ended with; undefined when it was carried out
 */
export async function orderActivity(
  { workflow, connection }: Client,
  activity: string,
  input: unknown,
): Promise<string | null | undefined> {
  const namespace = 'default';
  const taskQueue = { name: `stranger-${randomUUID()}` };
  const { workflowService } = connection;
  const handle = await workflow.start('stranger', { workflowId: taskQueue.name, taskQueue: taskQueue.name });
  const poll = () =>
    connection.withDeadline(Date.now() + 30_000, () =>
      workflowService.pollWorkflowTaskQueue({ namespace, taskQueue, identity: 'stranger' }),
    );
  const { taskToken } = await poll();
  await workflowService.respondWorkflowTaskCompleted({
    namespace,
    taskToken,
    commands: [
      {
        commandType: COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK,
        scheduleActivityTaskCommandAttributes: {
          activityId: '1',
          activityType: { name: activity },
          taskQueue: { name: MAIN_TASK_QUEUE },
          input: { payloads: [defaultPayloadConverter.toPayload(input)] },
          scheduleToCloseTimeout: { seconds: 20 as never },
          heartbeatTimeout: { seconds: 10 as never },
        },
      },
    ],
  });
  // The next task comes when the activity has ended.
  await poll();
  const { events } = await handle.fetchHistory();
  await handle.terminate();
  const failed = events?.find((event) => event.activityTaskFailedEventAttributes);
  return failed?.activityTaskFailedEventAttributes?.failure?.applicationFailureInfo?.type;
}

/** The failure of the first workflow task that fails. */
export async function taskFailure(handle: Pick<WorkflowHandle, 'fetchHistory'>) {
  const { workflowTaskFailedEventAttributes } = await until(
    async () => (await handle.fetchHistory()).events?.find((event) => event.workflowTaskFailedEventAttributes),
    undefined,
    { pauseMs: 200, withinMs: 20_000 },
  );
  return workflowTaskFailedEventAttributes!.failure;
}

/** What happened in a workflow, by the names of the attributes of its events. */
export async function eventTypes(handle: Pick<WorkflowHandle, 'fetchHistory'>): Promise<string[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap((event) => Object.keys(event).filter((name) => name.endsWith('EventAttributes')));
}

/** Every text in a history, also those in bytes that nothing encrypts. */
export function readable(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(readable).join('\n');
}

/**
 * Fields whose payloads the server reads, or in which the SDK notes numbers, types and times of local activities (`data`) and names of
 * patches (`patch-data`).
 */
const NOT_ENCODED = new Set(['searchAttributes', 'header', 'indexedFields', 'data', 'patch-data']);

/** Every payload in a history but those of search attributes and headers. */
export function payloadsIn(value: unknown): Payload[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('metadata' in value && 'encoding' in (value.metadata as object)) return [value as Payload];
  return Object.entries(value).flatMap(([name, field]) => (NOT_ENCODED.has(name) ? [] : payloadsIn(field)));
}
