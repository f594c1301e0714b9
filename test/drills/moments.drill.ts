import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, test } from '@jest/globals';
import { until } from '../support/until.ts';
import { type WebhookReceiver, webhookReceiver } from '../e2e/webhook-receiver.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { type Drill, expectSurvival, startDrill } from './interrupted.ts';

let folder: TemporaryFolder;
let receiver: WebhookReceiver;
let drill: Drill;
beforeAll(async () => {
  folder = await temporaryFolder();
  receiver = await webhookReceiver();
  drill = await startDrill(folder.path, receiver);
});
afterAll(async () => {
  await drill?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

/** All cases share one folder, so that each start sees the traces of earlier kills. */
test.each<[moment: string, Parameters<typeof expectSurvival>[3]]>([
  ['right after the 202', () => Promise.resolve()],
  ['while the file is looked at', () => delay(60)],
  ['when the work has begun', ({ api }, id) => api.reached(id, 'PROCESSING')],
  ['a second into the work', ({ api }, id) => api.reached(id, 'PROCESSING').then(() => delay(1000))],
  ['once it has finished', ({ api }, id) => api.reached(id, 'FINISHED')],
  ['before a receiver that fails has taken the news', failingReceiver],
])('kill -9 %s loses nothing', async (moment, act) => {
  const seed = 100 + moment.length;
  await expectSurvival(drill, receiver, seed, act);
});

async function failingReceiver(...[{ api }, id]: Parameters<Parameters<typeof expectSurvival>[3]>): Promise<void> {
  receiver.answerWith(503);
  await api.reached(id, 'FINISHED');
  await until(() => receiver.deliveries.find(({ event }) => event.data['id'] === id));
  receiver.answerWith(204);
}
