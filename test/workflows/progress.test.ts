import { expect, test } from '@jest/globals';
import { MAIN_TASK_QUEUE, PROGRESS_WORKFLOW_ID } from '../../src/domain/temporal/workflow-interface.ts';
import { useLifecycle } from './use-lifecycle.ts';

const lifecycle = useLifecycle();
const prove = (): Promise<unknown> =>
  lifecycle.client.workflow.execute('progress', { workflowId: PROGRESS_WORKFLOW_ID, taskQueue: MAIN_TASK_QUEUE });

test('a proof of progress passes the stores and a decoder, and names the one that does not work', async () => {
  expect(await prove()).toEqual([]);
  const { proveDecoder } = lifecycle.provider;
  lifecycle.provider.proveDecoder = () => Promise.resolve(['No decoder.']);
  expect(await prove()).toEqual(['No decoder.']);
  lifecycle.provider.proveDecoder = () => Promise.reject(new Error('a worker without a disk'));
  expect(await prove()).toEqual(['No workflow worker has decoded an image in time.']);
  lifecycle.provider.proveDecoder = proveDecoder;
});
