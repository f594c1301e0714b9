import '../setup/quiet-temporal.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteUpload, enhancementSettled, requestEnhancement } from '../../src/domain/messages.ts';
import { createDevEnvironment } from '../support/dev-server.ts';
import { startLifecycle, until, type Lifecycle } from './lifecycle.ts';

// On a whole server. The time-skipping one looks up the run that a workflow signals before it delivers: a run that goes on with a
// fresh history in between no longer takes the signal, and the sender is told that nobody is there. Only a whole server looks again.
describe('an upload that goes on with a fresh history', () => {
  let lifecycle: Lifecycle;
  beforeAll(async () => {
    lifecycle = await startLifecycle({ creditsPerPeriod: 1000, environment: createDevEnvironment });
  });
  afterAll(() => lifecycle[Symbol.asyncDispose]());

  it('gets every message that comes at the very moment of the change', async () => {
    const { id, handle } = await lifecycle.start();
    await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
    const { runId: firstRun } = await handle.describe();
    const ids = Array.from({ length: 40 }, (_, index) => `enh_flood_${index}`);

    // Signals make the history long; in between come commands, some of which meet the very moment of the change.
    for (const [index, enhancementId] of ids.entries()) {
      const noise = Array.from({ length: 12 }, (_, turn) =>
        handle.signal(enhancementSettled, { enhancementId: `enh_noise_${index}_${turn}`, status: 'FINISHED' }),
      );
      // Each differs, so that none is served by the result of another.
      const parameters = { outputQuality: index + 1 };
      const request = { id: enhancementId, parameters, maxCredits: null, creditWaitMs: 0 };
      await Promise.all([...noise, handle.executeUpdate(requestEnhancement, { args: [request] })]);
    }

    for (const enhancementId of ids) await lifecycle.enhancementReaches(enhancementId, 'FINISHED');
    const current = lifecycle.env.client.workflow.getHandle(handle.workflowId);
    const description = await until(
      () => current.describe(),
      ({ runId }) => runId !== firstRun,
    );
    expect(description.status.name).toBe('RUNNING');
    const done = lifecycle.provider.calls.filter((call) => call.startsWith('enhance enh_flood_'));
    expect(done).toHaveLength(ids.length);
    await current.executeUpdate(deleteUpload);
    expect(await lifecycle.filesOf(id)).toEqual([]);
  });
});
