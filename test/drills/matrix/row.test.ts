import { test } from '@jest/globals';
import { startWholeCluster } from '../../cluster/cluster.ts';
import { webhookReceiver } from '../../e2e/webhook-receiver.ts';
import { clusterPlace } from './cluster-place.ts';
import { STAGES } from './lives.ts';
import { runRow } from './row.ts';
import { expectNamed } from '../../support/expect-named.ts';

/** Time for all lifecycles on a busy machine, milliseconds; a quiet one needs a tenth of it. */
const BUSY_MS = 240_000;

test(
  'a network that refuses connections for seconds delays lifecycles at each stage and loses none',
  async () => {
    await using receiver = await webhookReceiver();
    const env = { BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${receiver.port}` };
    await using place = clusterPlace(await startWholeCluster({ troubledNetwork: true, env }));
    const cells = await runRow(place, receiver, {
      component: 'network that refuses',
      fault: 'restart',
      stages: STAGES,
      times: { stop: 3, longStop: 3 },
      limitMs: BUSY_MS,
    });
    for (const stage of STAGES) {
      const { lost, doubled, orphaned, stalledSeconds, notes } = cells[stage];
      expectNamed([stage, lost, doubled, orphaned], notes.join('\n')).toEqual([stage, 0, 0, 0]);
      expectNamed(stalledSeconds, notes.join('\n')).toBeLessThan(BUSY_MS / 1_000);
    }
  },
  BUSY_MS + 180_000,
);
