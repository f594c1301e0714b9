import { until } from '../support/until.ts';
import { startReceiver } from './receiver.ts';
import type { Scenario } from './scenarios.ts';

/** An upload whose event has two receivers, each with an attempt of its own. */
export const twoReceiversScenario: Scenario = async (lifecycle) => {
  await using own = await startReceiver([204]);
  await using other = await startReceiver([204]);
  await lifecycle.stores.webhookEndpoints.create(lifecycle.account.id, {
    url: other.url,
    events: ['upload.status_update'],
  });
  const { id, handle } = await lifecycle.start({ webhookUrl: own.url });
  await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
  await until(() => own.requests.length + other.requests.length === 2 || undefined);
  await handle.result();
  return { 'upload-with-two-receivers': handle.workflowId };
};
