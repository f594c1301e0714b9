import { test } from '@jest/globals';
import { startWholeCluster } from '../../cluster/cluster.ts';
import { webhookReceiver } from '../../e2e/webhook-receiver.ts';
import { STAGES } from './lives.ts';
import { runRow } from './row.ts';
import { expectNamed } from '../../support/expect-named.ts';

test('a network that refuses connections for seconds delays lifecycles at each stage and loses none', async () => {
  await using receiver = await webhookReceiver();
  const whole = await startWholeCluster({
    troubledNetwork: true,
    env: { BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${receiver.port}` },
  });
  try {
    const cells = await runRow(whole, receiver, {
      component: 'network that refuses',
      fault: 'restart',
      stages: STAGES,
      times: { stop: 3, longStop: 3 },
      limitMs: 120_000,
    });
    for (const stage of STAGES) {
      const { lost, doubled, orphaned, stalledSeconds, notes } = cells[stage];
      expectNamed([stage, lost, doubled, orphaned], notes.join('\n')).toEqual([stage, 0, 0, 0]);
      expectNamed(stalledSeconds, notes.join('\n')).toBeLessThan(120);
    }
  } finally {
    await whole.cluster[Symbol.asyncDispose]();
  }
}, 300_000);
