import '../setup/quiet-temporal.ts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { isTerminal } from '@burnish/contract';
import { createDevEnvironment } from '../support/dev-server.ts';
import { startLifecycle, type Lifecycle } from '../workflows/lifecycle.ts';
import { outdatedPlan } from '../workflows/scripted-provider.ts';
import { until } from '../support/until.ts';

let lifecycle: Lifecycle;
beforeAll(async () => {
  lifecycle = await startLifecycle({ environment: createDevEnvironment });
}, 120_000);
afterAll(async () => await lifecycle[Symbol.asyncDispose]());

// The time-skipping server loses the second failure.
it('an enhancement ends when two spans of its PDF fail at the same moment', async () => {
  lifecycle.provider.script.spans = [1, 1];
  lifecycle.provider.script.span = () => Promise.reject(outdatedPlan());
  const { enhancementIds } = await lifecycle.start({ mimetype: 'application/pdf', enhancements: [{}] });
  const ended = await until(
    async () => lifecycle.stores.enhancements.get(lifecycle.account.id, enhancementIds[0]!),
    (e) => e !== undefined && isTerminal(e.status),
    { withinMs: 40_000 },
  );
  expect(ended).toMatchObject({ status: 'ERROR', errorCode: 'INTERNAL' });
});
