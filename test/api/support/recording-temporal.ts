import { WorkflowNotFoundError } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import type { UploadInput } from '../../../src/domain/temporal/workflow-interface.ts';
import type { TemporalClient } from '../../../src/api/commands/command-types.ts';

export interface RecordedStart {
  type: string;
  options: Record<string, unknown> & { workflowId: string; args: [UploadInput] };
}

export interface RecordedUpdate {
  workflowId: string;
  name: string;
  args: unknown[];
  updateId: string;
}

/** Fake workflow service. It records requests, and answers updates as the test defines. */
export interface RecordingTemporal {
  client: TemporalClient;
  starts: RecordedStart[];
  updates: RecordedUpdate[];
  /** Sent signals, as `<name> <workflow id>` */
  signals: string[];
  /** Answers updates; by default, no such workflow exists. A function that it returns answers after the acceptance. */
  onUpdate: (update: RecordedUpdate) => unknown;
  /** Runs before each workflow start, and may reject it */
  onStart: () => void;
}

export function recordingTemporal(): RecordingTemporal {
  const notFound = (workflowId: string): Error => new WorkflowNotFoundError('not found', workflowId, undefined);
  const started = (workflowId: string): boolean =>
    recording.starts.some(({ options }) => options.workflowId === workflowId);
  const recording: RecordingTemporal = {
    starts: [],
    updates: [],
    signals: [],
    onUpdate: ({ workflowId }) => {
      throw notFound(workflowId);
    },
    onStart: () => undefined,
    client: {
      withDeadline: (_deadline: unknown, fn: () => Promise<unknown>) => fn(),
      workflow: {
        async start(type: string, options: RecordedStart['options']) {
          recording.onStart();
          if (!started(options.workflowId)) recording.starts.push({ type, options });
        },
        getHandle: (workflowId: string) => ({
          async startUpdate({ name }: { name: string }, { args, updateId }: { args: unknown[]; updateId: string }) {
            const update = { workflowId, name, args, updateId };
            recording.updates.push(update);
            const answer = await recording.onUpdate(update);
            return { result: async () => (typeof answer === 'function' ? (answer as () => unknown)() : answer) };
          },
          async signal({ name }: { name: string }) {
            recording.signals.push(`${name} ${workflowId}`);
          },
          async describe() {
            if (!started(workflowId)) throw notFound(workflowId);
            const typedSearchAttributes = new TypedSearchAttributes();
            return { status: { name: 'RUNNING' }, runId: workflowId, raw: {}, typedSearchAttributes };
          },
        }),
      },
    } as unknown as TemporalClient,
  };
  return recording;
}
