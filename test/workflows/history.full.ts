import { describe, expect, it } from '@jest/globals';
import { MAIN_TASK_QUEUE, deleteUpload, requestEnhancements } from '../../src/domain/temporal/workflow-interface.ts';
import { taskFailure } from './stranger.ts';
import { useLifecycle } from './use-lifecycle.ts';

/** No payload of ours is larger: Temporal's warning begins at 256 kB, and histories are kept for long. */
const MAX_PAYLOAD_BYTES = 64_000;

/** The sizes of all payloads in a history, wherever in its events they are. */
function payloadSizes(node: unknown): number[] {
  if (node instanceof Uint8Array) return [node.byteLength];
  if (Array.isArray(node)) return node.flatMap(payloadSizes);
  if (typeof node === 'object' && node !== null) return Object.values(node).flatMap(payloadSizes);
  return [];
}

describe('without a cache of workflows, so that every step is a replay,', () => {
  // One task at a time: the SDK loses local activities when tasks of several workflows are open without a cache.
  const lifecycle = useLifecycle({ worker: { maxCachedWorkflows: 0, maxConcurrentWorkflowTaskExecutions: 1 } });

  it('a lifecycle takes the same steps, and keeps every payload under 64 kB', async () => {
    const name = 'ö'.repeat(120);
    const parameters = { sharpening: 0.123456789, outputQuality: 77, mode: 'NATURAL' } as const;
    const { id, handle, enhancementIds } = await lifecycle.start({
      content: name,
      enhancements: Array.from({ length: 20 }, (_, index) => ({
        parameters: { ...parameters, outputQuality: index + 1 },
      })),
    });
    for (const each of enhancementIds) await lifecycle.enhancementReaches(each, 'FINISHED');
    const request = { id: 'enh_bycommand00000000000000000', parameters: {}, maxCredits: 10, creditWaitMs: 1000 };
    await handle.executeUpdate(requestEnhancements, { args: [[request]] });
    await lifecycle.enhancementReaches('enh_bycommand00000000000000000', 'FINISHED');
    expect(await lifecycle.balance()).toMatchObject({ reserved: 0, used: 21 });
    await handle.executeUpdate(deleteUpload);
    await handle.result();

    expect(await lifecycle.findUpload(id)).toMatchObject({ status: 'UPLOAD_DELETED' });
    const sizes = payloadSizes((await handle.fetchHistory()).events);
    expect(sizes.length).toBeGreaterThan(3);
    expect(Math.max(...sizes)).toBeLessThan(MAX_PAYLOAD_BYTES);
    expect(lifecycle.problems).toEqual([]);
  });

  it('the error of a failed workflow task is readable if payloads are not encrypted', async () => {
    const { workflow } = lifecycle.client;
    const start = { workflowId: 'upload/no-input', taskQueue: MAIN_TASK_QUEUE, args: [{}] };
    const handle = await workflow.start('upload', start);
    const failure = await taskFailure(handle);
    expect(failure).toMatchObject({
      message: expect.stringContaining('undefined') as unknown as string,
      encodedAttributes: null,
    });
    await handle.terminate();
  });
});
