import { describe, expect, it } from '@jest/globals';
import { approveEnhancement, rejectEnhancement } from '../../src/domain/temporal/workflow-interface.ts';
import { useLifecycle } from './use-lifecycle.ts';
import { refusalCode } from './refusal.ts';

const DAY_MS = 24 * 3_600_000;
const OVER_LIMIT = { parameters: { upscalingFactor: 'X2' }, maxCredits: 3 } as const;

describe('an enhancement that waits for approval', () => {
  const lifecycle = useLifecycle();

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
    await expect(refusalCode(decision)).resolves.toBe('BAD_USER_INPUT');
    delete lifecycle.provider.script.enhance;
    release?.();
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
  });
});
