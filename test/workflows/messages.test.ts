import '../setup/quiet-temporal.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  analyzeAgain,
  creditsChanged,
  deleteUpload,
  enhancementSettled,
  providerEvent,
  requestEnhancement,
} from '../../src/domain/messages.ts';
import { startLifecycle, until, type Lifecycle } from './lifecycle.ts';

describe('messages to an upload', () => {
  let lifecycle: Lifecycle;
  beforeAll(async () => {
    lifecycle = await startLifecycle({ creditsPerPeriod: 1000 });
  });
  afterAll(() => lifecycle[Symbol.asyncDispose]());

  it('may come twice: the same enhancement asked for again is done and charged once', async () => {
    const { id, handle } = await lifecycle.start();
    await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
    const before = await lifecycle.balance();
    const request = { id: 'enh_twice', parameters: {}, maxCredits: null, creditWaitMs: 0 };
    await Promise.all([1, 2, 3].map(() => handle.executeUpdate(requestEnhancement, { args: [request] })));
    await lifecycle.enhancementReaches('enh_twice', 'FINISHED');
    await handle.executeUpdate(requestEnhancement, { args: [request] });
    expect(lifecycle.provider.calls.filter((call) => call === 'enhance enh_twice')).toHaveLength(1);
    expect((await lifecycle.balance()).used).toBe(before.used + 1);
    // Nothing is waited for that has settled long ago.
    await handle.executeUpdate(deleteUpload);
    expect(await lifecycle.findUpload(id)).toMatchObject({ status: 'UPLOAD_DELETED' });
  });

  it('may come late or about strangers: nothing changes', async () => {
    const { id, handle, enhancementIds } = await lifecycle.start({ enhancements: [{}] });
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    const before = await lifecycle.findUpload(id);
    await handle.signal(enhancementSettled, { enhancementId: enhancementIds[0]!, status: 'FINISHED' });
    await handle.signal(enhancementSettled, { enhancementId: 'enh_unknown', status: 'ERROR' });
    await handle.signal(providerEvent, { eventId: 'evt_unknown' });
    await handle.signal(creditsChanged);
    await handle.executeUpdate(analyzeAgain).catch(() => undefined);
    expect(await lifecycle.findUpload(id)).toEqual(before);
    await handle.executeUpdate(deleteUpload);
  });

  it('are not lost while the upload goes on with a fresh history', async () => {
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
