import { describe, expect, it } from '@jest/globals';
import { creditPeriodAt } from '@burnish/contract';
import { creditsChanged } from '../../src/domain/temporal/workflow-interface.ts';
import { useLifecycle } from './use-lifecycle.ts';
import { startReceiver } from './receiver.ts';
import { poll } from '../support/poll.ts';

const HOUR_MS = 3_600_000;
const UPSCALE = { parameters: { upscalingFactor: 'X2' } } as const;

describe('an enhancement that waits for credits', () => {
  const lifecycle = useLifecycle({ creditsPerPeriod: 2 });

  const topUp = async (reference: string, credits: number): Promise<void> => {
    const nowMs = await lifecycle.env.currentTimeMs();
    await lifecycle.ledger.topUp({ accountId: lifecycle.account.id, credits, reference, nowMs });
  };

  it('fails at once if the caller does not want to wait', async () => {
    const { enhancementIds } = await lifecycle.start({ enhancements: [{ ...UPSCALE, creditWaitMs: 0 }] });
    const enhancement = await lifecycle.enhancementReaches(enhancementIds[0]!, 'ERROR');
    expect(enhancement).toMatchObject({ errorCode: 'INSUFFICIENT_CREDITS', chargedCredits: null });
    expect(enhancement.errorDetail).toBe('The enhancement needs 4 credits, and the account has 2 left.');
  });

  it('ends after the maximum wait of the caller, and not before', async () => {
    const { enhancementIds } = await lifecycle.start({ enhancements: [{ ...UPSCALE, creditWaitMs: 24 * HOUR_MS }] });
    const waiting = await lifecycle.enhancementReaches(enhancementIds[0]!, 'AWAITING_CREDITS');
    await lifecycle.settled(enhancementIds[0]!);

    const ended = (await lifecycle.findEnhancement(waiting.id))!;
    expect(ended).toMatchObject({ status: 'ERROR', errorCode: 'INSUFFICIENT_CREDITS' });
    const waitedMs = Date.parse(ended.finishedAt!) - Date.parse(ended.createdAt);
    expect(waitedMs).toBeGreaterThanOrEqual(24 * HOUR_MS);
    expect(waitedMs).toBeLessThan(24 * HOUR_MS + 60_000);
  });

  it('continues right after a top-up', async () => {
    const { enhancementIds } = await lifecycle.start({ enhancements: [UPSCALE] });
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'AWAITING_CREDITS');
    await topUp('first', 2);
    await lifecycle.signalOwner(enhancementIds[0]!, creditsChanged);
    const finished = await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    expect(finished.chargedCredits).toBe(4);
    expect(await lifecycle.balance()).toMatchObject({ remaining: 0, reserved: 0 });
  });

  it('is announced when its wait begins and ends', async () => {
    await using receiver = await startReceiver([200]);
    const { id, enhancementIds } = await lifecycle.start({ enhancements: [UPSCALE], webhookUrl: receiver.url });
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'AWAITING_CREDITS');
    await topUp('announced', 4);
    await lifecycle.signalOwner(enhancementIds[0]!, creditsChanged);
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    const told = (): unknown[] =>
      receiver.requests
        .map(({ body }) => JSON.parse(body) as { event: string; data: { id: string; status: string } })
        .filter(({ data }) => data.id !== id)
        .map(({ event, data }) => [event, data.id, data.status]);
    const event = (status: string): unknown[] => ['enhanced_image.status_update', enhancementIds[0], status];
    await poll(told).toHaveLength(3);
    expect(told()).toEqual(expect.arrayContaining([event('AWAITING_CREDITS'), event('PROCESSING'), event('FINISHED')]));
  });

  it('detects new credits by itself if the signal is lost', async () => {
    const { enhancementIds } = await lifecycle.start({ enhancements: [UPSCALE] });
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'AWAITING_CREDITS');
    await topUp('second', 4);
    expect((await lifecycle.settled(enhancementIds[0]!)).status).toBe('FINISHED');
  });

  it('is not affected by signals without credits, however many arrive', async () => {
    const { enhancementIds } = await lifecycle.start({ enhancements: [UPSCALE] });
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'AWAITING_CREDITS');
    await Promise.all(Array.from({ length: 5 }, () => lifecycle.signalOwner(enhancementIds[0]!, creditsChanged)));
    expect((await lifecycle.settled(enhancementIds[0]!)).status).toBe('ERROR');
    expect(await lifecycle.balance()).toMatchObject({ reserved: 0 });
  });

  it('continues with the grant of the next month', async () => {
    // The wait checks the ledger every 15 minutes.
    const nowMs = await lifecycle.env.currentTimeMs();
    await lifecycle.passTime(Date.parse(creditPeriodAt(nowMs).end) - nowMs - 2 * HOUR_MS);
    // One credit more than this month can give, and less than a fresh month gives.
    const { enhancementIds } = await lifecycle.start({
      enhancements: [{ parameters: { mode: 'ENHANCE' }, creditWaitMs: 40 * 24 * HOUR_MS }],
      retentionDays: 100,
    });
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'AWAITING_CREDITS');
    expect((await lifecycle.settled(enhancementIds[0]!)).status).toBe('FINISHED');
    const finished = (await lifecycle.findEnhancement(enhancementIds[0]!))!;
    expect(finished.finishedAt!.slice(0, 7) > finished.createdAt.slice(0, 7)).toBe(true);
  });
});
