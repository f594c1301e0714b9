import { describe, expect, it } from '@jest/globals';
import {
  analyzeAgain,
  approveEnhancement,
  creditsChanged,
  deleteUpload,
  cancelEnhancement,
  hostedEvent,
  requestEnhancement,
} from '../../src/domain/temporal/workflow-interface.ts';
import { useLifecycle } from './use-lifecycle.ts';

describe('messages to an upload', () => {
  const lifecycle = useLifecycle({ creditsPerPeriod: 1000 });

  it('have one effect if they arrive twice: an equal enhancement runs and is charged once', async () => {
    const { id, handle } = await lifecycle.start();
    await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
    const before = await lifecycle.balance();
    const request = { id: 'enh_twice000000000000000000000', parameters: {}, maxCredits: null, creditWaitMs: 0 };
    await Promise.all([1, 2, 3].map(() => handle.executeUpdate(requestEnhancement, { args: [request] })));
    await lifecycle.enhancementReaches('enh_twice000000000000000000000', 'FINISHED');
    await handle.executeUpdate(requestEnhancement, { args: [request] });
    expect(lifecycle.provider.calls.filter((call) => call === 'enhance enh_twice000000000000000000000')).toHaveLength(
      1,
    );
    expect((await lifecycle.balance()).used).toBe(before.used + 1);
    // Nothing is waited for that has settled long ago.
    await handle.executeUpdate(deleteUpload);
    expect(await lifecycle.findUpload(id)).toMatchObject({ status: 'UPLOAD_DELETED' });
  });

  it('have no effect if they arrive late or concern unknown enhancements', async () => {
    const { id, handle, enhancementIds } = await lifecycle.start({ enhancements: [{}] });
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    const before = await lifecycle.findUpload(id);
    expect(await lifecycle.command(cancelEnhancement, enhancementIds[0]!)).toBeNull();
    const stranger = { enhancementId: 'enh_unknown' };
    expect(await handle.executeUpdate(cancelEnhancement, { args: [stranger] })).toBeNull();
    expect(await handle.executeUpdate(approveEnhancement, { args: [stranger] })).toBeNull();
    await handle.signal(hostedEvent, { eventId: 'evt_unknown' });
    await handle.signal(creditsChanged);
    await handle.executeUpdate(analyzeAgain).catch(() => undefined);
    expect(await lifecycle.findUpload(id)).toEqual(before);
    await handle.executeUpdate(deleteUpload);
  });
});
