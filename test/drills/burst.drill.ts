import { expect, test } from '@jest/globals';
import { startWholeCluster } from '../cluster/cluster.ts';
import { startInstance } from '../e2e/instance.ts';
import { expectSoundBurst, figures } from './burst/answers.ts';
import { burst } from './burst/flood.ts';

const COUNT = 3_000;

test('each of 3,000 parallel uploads to one instance gets 202, or 503 with Retry-After, and each 202 finishes', async () => {
  await using instance = await startInstance({});
  const answers = await burst([instance.url], instance.apiKey, COUNT);
  console.log(`1 instance: ${figures(answers)}`);
  await expectSoundBurst(instance.api, answers);
  expect(await instance.stop()).toBe(0);
});

test('each of 3,000 parallel uploads to two gateways gets 202, or 503 with Retry-After, and each 202 finishes', async () => {
  const { cluster, gateways } = await startWholeCluster({});
  try {
    const urls = gateways.map(({ url }) => url);
    const answers = await burst(urls, cluster.apiKey, COUNT);
    console.log(`2 gateways: ${figures(answers)}`);
    await expectSoundBurst(cluster.api, answers);
    for (const gateway of gateways) expect(await gateway.stop()).toBe(0);
  } finally {
    await cluster[Symbol.asyncDispose]();
  }
});
