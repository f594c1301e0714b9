import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { askUntilAnswered } from '../drills/matrix/caller.ts';
import type { Api } from '../e2e/api.ts';
import { photo } from '../e2e/files.ts';
import type { WholeCluster } from './cluster.ts';

/** A Temporal cluster continues after the loss of a node. @param opened returns the running cluster */
export function temporalNodeTests(opened: () => WholeCluster): void {
  describe('a Temporal cluster of two nodes', () => {
    test.each([
      ['first', 0],
      ['second', 1],
    ])('that loses its %s node by kill -9 finishes accepted work and accepts more', async (_, index) => {
      const { cluster, gateways } = opened();
      // Earlier tests end the first gateway.
      const { api, url } = gateways[1];
      const node = cluster.temporal.nodes[index]!;
      const before = await quietCredits(api);
      // While a node takes over or returns, a start may be refused for some seconds.
      const send = async (seed: number): Promise<string> => {
        const order = new URLSearchParams({ enhancements: '[{}]' });
        const ask = { url: `${url}/v1/uploads?${order.toString()}`, apiKey: cluster.apiKey, method: 'POST' } as const;
        const file = await photo(seed);
        const heard = await askUntilAnswered({ ...ask, file, filename: `${seed}.jpg` }, performance.now() + 60_000);
        expect(heard).toMatchObject({ status: 202, wrong: [] });
        return heard.body!.id;
      };
      const seeds = Array.from({ length: 10 }, (_, each) => 1000 + index * 100 + each);
      const early = await Promise.all(seeds.map(send));
      await node.kill();
      const late = await send(1050 + index * 100);
      for (const id of [...early, late]) {
        expect((await api.settled(id)).enhancements).toMatchObject([{ status: 'FINISHED', chargedCredits: 1 }]);
      }
      expect(await api.credits()).toMatchObject({ used: before.used + 11, reserved: 0 });
      await node.start();
    });
  });
}

/** Credits after the end of earlier work. Requests without a response in an earlier test may still run. */
async function quietCredits(api: Api): ReturnType<Api['credits']> {
  for (;;) {
    const first = await api.credits();
    await delay(3_000);
    const second = await api.credits();
    if (second.used === first.used && second.reserved === 0) return second;
  }
}
