import { expect, it } from '@jest/globals';
import { deliveryWorkflowId, MAIN_TASK_QUEUE } from '../../src/domain/temporal/workflow-interface.ts';
import { useLifecycle } from './use-lifecycle.ts';
import { until } from '../support/until.ts';
import { startReceiver } from './receiver.ts';

const lifecycle = useLifecycle();

it('a repeated delivery adds itself to the log, carries the same event, and does not change the first', async () => {
  await using receiver = await startReceiver([200]);
  const { id } = await lifecycle.start({ webhookUrl: receiver.url });
  await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
  const { account, deliveries, env } = lifecycle;
  const [first] = await until(
    async () => (await deliveries.list(account.id, { limit: 10 })).items,
    (items) => items[0]?.status === 'DELIVERED',
  );

  // Nobody else has entered it: the gateway may be killed right after the start.
  const deliveryId = `dlv_${'1'.repeat(26)}`;
  const { eventKind } = first!;
  const input = { deliveryId, accountId: account.id, host: 'receiver', eventKind, redeliveryOf: first!.id };
  const start = { workflowId: deliveryWorkflowId(deliveryId), taskQueue: MAIN_TASK_QUEUE, args: [input] };
  const handle = await env.client.workflow.start('delivery', start);
  expect(await handle.result()).toBe('delivered');

  expect(await deliveries.get(account.id, deliveryId)).toMatchObject({
    status: 'DELIVERED',
    attempts: 1,
    eventId: first!.eventId,
    url: receiver.url,
    redeliveryOf: first!.id,
  });
  expect(await deliveries.get(account.id, first!.id)).toEqual(first);
  const [one, two] = receiver.requests;
  expect(two!.body).toBe(one!.body);
  expect(two!.headers['webhook-id']).toBe(one!.headers['webhook-id']);
});
