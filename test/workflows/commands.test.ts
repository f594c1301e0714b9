import { describe, expect, it } from '@jest/globals';
import {
  approveEnhancement,
  rejectEnhancement,
  analyzeAgain,
  creditsChanged,
  deleteUpload,
  cancelEnhancement,
  hostedEvent,
  requestEnhancements,
  clockAdvanced,
} from '../../src/domain/temporal/workflow-interface.ts';
import { useLifecycle } from './use-lifecycle.ts';
import { refusalCode } from './refusal.ts';
import { until } from '../support/until.ts';

const lifecycle = useLifecycle();

const DAY_MS = 24 * 3_600_000;
const OVER_LIMIT = { parameters: { upscalingFactor: 'X2' }, maxCredits: 3 } as const;

describe('an enhancement that waits for approval', () => {
  const startOverLimit = async (): Promise<string> => {
    const { enhancementIds } = await lifecycle.start({ enhancements: [OVER_LIMIT] });
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'AWAITING_APPROVAL');
    return enhancementIds[0]!;
  };

  it('spends nothing while the estimate is over the limit', async () => {
    const before = await lifecycle.balance();
    const id = await startOverLimit();
    expect(await lifecycle.findEnhancement(id)).toMatchObject({ estimatedCredits: 4, startedAt: null });
    expect(await lifecycle.balance()).toEqual(before);
  });

  it('continues when it is approved', async () => {
    const id = await startOverLimit();
    const answered = await lifecycle.command(approveEnhancement, id);
    expect(answered?.status).not.toBe('AWAITING_APPROVAL');
    await lifecycle.enhancementReaches(id, 'FINISHED');
  });

  it('ends without a reservation when it is rejected', async () => {
    const id = await startOverLimit();
    const answered = await lifecycle.command(rejectEnhancement, id);
    expect(answered).toMatchObject({ status: 'ERROR', errorCode: 'APPROVAL_REJECTED' });
    expect(await lifecycle.balance()).toMatchObject({ reserved: 0 });
    expect(lifecycle.provider.calls).not.toContain(`enhance ${id}`);
  });

  it('accepts one of two parallel opposite decisions, and refuses the other', async () => {
    const id = await startOverLimit();
    const answers = await Promise.allSettled([
      lifecycle.command(approveEnhancement, id),
      lifecycle.command(rejectEnhancement, id),
    ]);
    // The answer for an enhancement that has ended already is null.
    const [approved, rejected] = answers.map((answer) => answer.status === 'fulfilled' && answer.value !== null);
    expect(approved).toBe(!rejected);
    const ended = await lifecycle.settled(id);
    expect(ended.status).toBe(approved ? 'FINISHED' : 'ERROR');
  });

  it('ends after 7 days without a decision', async () => {
    const id = await startOverLimit();
    await lifecycle.settled(id);
    const ended = (await lifecycle.findEnhancement(id))!;
    expect(ended).toMatchObject({ status: 'ERROR', errorCode: 'APPROVAL_REJECTED' });
    expect(ended.errorDetail).toBe('Nobody approved the enhancement within 7 days, so nothing was charged.');
    const waitedMs = Date.parse(ended.finishedAt!) - Date.parse(ended.createdAt);
    expect(waitedMs).toBeGreaterThanOrEqual(7 * DAY_MS);
    expect(waitedMs).toBeLessThan(7 * DAY_MS + 60_000);
  });

  it('is not necessary for an estimate at the limit', async () => {
    const { enhancementIds } = await lifecycle.start({ enhancements: [{ ...OVER_LIMIT, maxCredits: 4 }] });
    const finished = await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED', 'AWAITING_APPROVAL');
    expect(finished.status).toBe('FINISHED');
  });

  it('is charged at most its estimate, even if the engine reports more work', async () => {
    const before = await lifecycle.balance();
    // A result of the engine in this test costs 9 credits.
    lifecycle.provider.script.estimate = () => Promise.resolve(5);
    const { enhancementIds } = await lifecycle.start({
      mimetype: 'application/pdf',
      enhancements: [{ maxCredits: 5 }],
    });
    const finished = await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED', 'AWAITING_APPROVAL');
    delete lifecycle.provider.script.estimate;
    expect(finished).toMatchObject({ estimatedCredits: 5, chargedCredits: 5 });
    expect(await lifecycle.balance()).toMatchObject({ remaining: before.remaining - 5, reserved: 0 });
  });

  it('is the only one that accepts a decision', async () => {
    const waiting = await startOverLimit();
    await lifecycle.command(approveEnhancement, waiting);
    await lifecycle.enhancementReaches(waiting, 'FINISHED');

    let release: (() => void) | undefined;
    lifecycle.provider.script.enhance = () => new Promise((resolve) => (release = resolve));
    const { enhancementIds } = await lifecycle.start({ enhancements: [{}] });
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'PROCESSING');
    const decision = lifecycle.command(approveEnhancement, enhancementIds[0]!);
    await expect(refusalCode(decision)).resolves.toBe('CONFLICT');
    delete lifecycle.provider.script.enhance;
    release?.();
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
  });
});

describe('messages to an upload', () => {
  it('have one effect if they arrive twice: an equal enhancement runs and is charged once', async () => {
    const { id, handle } = await lifecycle.start();
    await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
    const before = await lifecycle.balance();
    const request = { id: 'enh_twice000000000000000000000', parameters: {}, maxCredits: null, creditWaitMs: 0 };
    await Promise.all([1, 2, 3].map(() => handle.executeUpdate(requestEnhancements, { args: [[request]] })));
    await lifecycle.enhancementReaches('enh_twice000000000000000000000', 'FINISHED');
    await handle.executeUpdate(requestEnhancements, { args: [[request]] });
    expect(lifecycle.provider.calls.filter((call) => call === 'enhance enh_twice000000000000000000000')).toHaveLength(
      1,
    );
    expect((await lifecycle.balance()).used).toBe(before.used + 1);
    // Nothing is waited for that has settled long ago.
    await handle.executeUpdate(deleteUpload);
    expect(await lifecycle.findUpload(id)).toMatchObject({ status: 'UPLOAD_DELETED' });
  });

  it('accept all enhancements of an order, or none if one does not fit', async () => {
    const { id, handle } = await lifecycle.start();
    await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
    const request = (name: string, parameters: object = {}) => ({
      ...{ id: `enh_${name.padEnd(26, '0')}`, parameters, maxCredits: null, creditWaitMs: 0, reference: name },
    });
    const unfit = [request('good', { sharpening: 0.1 }), request('bad', { targetResolution: 300 })];
    const refused = handle.executeUpdate(requestEnhancements, { args: [unfit] });
    expect(await refusalCode(refused)).toBe('BAD_USER_INPUT');
    const fit = [request('first', { sharpening: 0.2 }), request('second', { sharpening: 0.3 })];
    const accepted = await handle.executeUpdate(requestEnhancements, { args: [fit] });
    expect(accepted.map((each) => each.id)).toEqual(fit.map((each) => each.id));
    for (const each of fit) await lifecycle.enhancementReaches(each.id, 'FINISHED');
    expect(lifecycle.provider.calls.filter((call) => call.includes('enh_good'))).toEqual([]);
    const { searchAttributes } = await handle.describe();
    expect(searchAttributes['BurnishReference']).toEqual(['first', 'second']);
    await handle.executeUpdate(deleteUpload);
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

it('a workflow counts an advance of the clock once, also if it arrives twice', async () => {
  const { handle, enhancementIds } = await lifecycle.start({ enhancements: [{ maxCredits: 0 }] });
  await lifecycle.enhancementReaches(enhancementIds[0]!, 'AWAITING_APPROVAL');
  for (const id of ['first', 'first', 'second']) await handle.signal(clockAdvanced, { seconds: 60, id });
  await handle.signal(clockAdvanced, { seconds: 10_000, id: 'last' });
  const { memo } = await until(
    () => handle.describe(),
    (description) => Number(description.memo?.['clockAdvancedMs'] ?? 0) >= 10_000_000,
  );
  expect(memo).toMatchObject({ clockAdvancedMs: 10_120_000 });
  await handle.terminate();
});
