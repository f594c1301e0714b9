import { Client, type WorkflowClientInterceptor } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  deleteUpload,
  openEnhancements,
  requestEnhancements,
  uploadState,
  uploadWorkflowId,
} from '../../src/domain/temporal/workflow-interface.ts';
import { readTraceHeader, withTraceHeader } from '../../src/domain/temporal/trace-header.ts';
import { workflowBundle } from '../support/workflow-bundle.ts';
import type { History } from './history-file.ts';
import { useLifecycle } from './use-lifecycle.ts';

/** Adds the header of one trace to every start and update. */
function tracedBy(name: string): WorkflowClientInterceptor {
  const trace = { traceparent: name };
  return {
    startWithDetails: (input, next) => next({ ...input, headers: withTraceHeader(input.headers, trace) }),
    startUpdate: (input, next) => next({ ...input, headers: withTraceHeader(input.headers, trace) }),
  };
}

/** The trace of each scheduled activity, as `activity: trace`. */
const tracesIn = ({ events }: History): string[] =>
  (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) => {
    const trace = readTraceHeader(scheduled?.header?.fields ?? {})?.['traceparent'];
    return scheduled ? [`${scheduled.activityType?.name}: ${trace}`] : [];
  });

// Without a cache, each task replays the workflow.
describe('an upload with traces', () => {
  const lifecycle = useLifecycle({
    cancelsTimers: true,
    worker: { maxCachedWorkflows: 0, maxConcurrentWorkflowTaskExecutions: 1 },
  });
  let client: (trace: string) => Client;
  beforeAll(() => {
    const { connection, options } = lifecycle.client;
    client = (trace) =>
      new Client({ connection, namespace: options.namespace, interceptors: { workflow: [tracedBy(trace)] } });
  });

  it('gives each activity the trace of its cause, and replays also after queries and refused updates', async () => {
    const { id, handle, enhancementIds } = await lifecycle.start({ enhancements: [{}] }, client('start'));
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    const own = (trace: string) => client(trace).workflow.getHandle(uploadWorkflowId(id));
    const order = (enhancementId: string, parameters: object) => ({
      args: [[{ id: enhancementId, parameters, maxCredits: null, creditWaitMs: 0 }]] as never,
    });
    for (const name of ['second', 'third']) {
      const enhancementId = `enh_${name.padEnd(26, '0')}`;
      await own(name).executeUpdate(requestEnhancements, order(enhancementId, { outputQuality: name.length }));
      await lifecycle.enhancementReaches(enhancementId, 'FINISHED');
      expect(await handle.query(uploadState)).toMatchObject({ status: 'UPLOAD_FINISHED' });
      expect(await handle.query(openEnhancements)).toEqual([]);
      const refused = own(name).executeUpdate(requestEnhancements, order('enh_refused', { targetResolution: 300 }));
      await expect(refused).rejects.toThrow('Update failed');
    }
    await own('deletion').executeUpdate(deleteUpload);
    await handle.result();

    const history = await handle.fetchHistory();
    const traces = tracesIn(history);
    expect(traces.filter((each) => each.startsWith('enhance:'))).toEqual([
      'enhance: start',
      'enhance: second',
      'enhance: third',
    ]);
    // The whole upload belongs to the request that created it.
    expect(traces.filter((each) => each.startsWith('deleteUploadFiles:'))).toEqual(['deleteUploadFiles: start']);
    await expect(Worker.runReplayHistory({ workflowBundle }, history)).resolves.toBeUndefined();
    expect(lifecycle.problems).toEqual([]);
  });

  it('ignores a header that is no trace', async () => {
    const unreadable: WorkflowClientInterceptor = {
      startWithDetails: (input, next) =>
        next({ ...input, headers: { '_tracer-data': { metadata: {}, data: Buffer.from('x') } } }),
    };
    const { connection, options } = lifecycle.client;
    const by = new Client({
      connection,
      namespace: options.namespace,
      interceptors: { workflow: [unreadable] },
    });
    const { handle, enhancementIds } = await lifecycle.start({ enhancements: [{}] }, by);
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    expect(tracesIn(await handle.fetchHistory())).toContain('enhance: undefined');
    await handle.executeUpdate(deleteUpload);
    await handle.result();
  });
});
