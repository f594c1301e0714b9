import '../setup/quiet-temporal.ts';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Failure } from '../../src/domain/failures.ts';
import { newId } from '../../src/domain/ids.ts';
import { deleteUpload, deliveryWorkflowId } from '../../src/domain/temporal/workflow-interface.ts';
import type { Lifecycle } from './lifecycle.ts';
import { useLifecycle } from './use-lifecycle.ts';
import { startReceiver } from './receiver.ts';

describe('an upload whose deliveries a restored database has lost', () => {
  const lifecycle = useLifecycle();
  let context: Lifecycle['deliveries']['context'];
  beforeEach(() => {
    ({ context } = lifecycle.deliveries);
  });
  afterEach(() => void (lifecycle.deliveries.context = context));

  it.each([
    ['sends nothing', () => Promise.resolve(undefined)],
    ['is not stopped by the failure that an earlier worker recorded', () => Promise.reject(new Failure('NOT_FOUND'))],
  ])('%s, finishes and is deleted', async (_what, lost) => {
    await using receiver = await startReceiver([200]);
    lifecycle.deliveries.context = lost;
    const { id, handle, enhancementIds } = await lifecycle.start({ enhancements: [{}], webhookUrl: receiver.url });
    expect(await lifecycle.settled(enhancementIds[0]!)).toMatchObject({ status: 'FINISHED' });
    expect(await handle.executeUpdate(deleteUpload)).toMatchObject({ id, status: 'UPLOAD_DELETED' });
    await handle.result();
    expect(receiver.requests).toEqual([]);
    const { events } = await handle.fetchHistory();
    expect((events ?? []).filter((event) => event.workflowTaskFailedEventAttributes)).toEqual([]);
  });

  it('ends the delivery workflow of a missing delivery', async () => {
    lifecycle.deliveries.context = () => Promise.resolve(undefined);
    const deliveryId = newId('dlv', Date.now());
    const handle = await lifecycle.client.workflow.start('delivery', {
      workflowId: deliveryWorkflowId(deliveryId),
      taskQueue: 'burnish',
      args: [{ deliveryId, accountId: lifecycle.account.id, host: 'example.com', eventKind: 'upload.deleted' }],
    });
    expect(await handle.result()).toBe('gone');
  });
});
