import { describe, expect, it } from '@jest/globals';
import { isTerminal, Failure } from '@burnish/contract';
import { createProgressReader } from '../../src/api/changes/progress-watch.ts';
import { cancelEnhancement, deleteUpload } from '../../src/domain/temporal/workflow-interface.ts';
import type { TestUpload } from './lifecycle.ts';
import { useLifecycle } from './use-lifecycle.ts';
import { outdatedPlan, untilStopped } from './scripted-provider.ts';
import { until } from '../support/until.ts';

const PDF: TestUpload = { mimetype: 'application/pdf', enhancements: [{}] };

describe('a PDF that is too large for one activity', () => {
  const lifecycle = useLifecycle();

  const callsOf = (work: string, id: string): string[] =>
    lifecycle.provider.calls.filter((call) => call.startsWith(`${work} ${id}`));

  const settled = (id: string) =>
    until(
      () => lifecycle.findEnhancement(id),
      ({ status }) => isTerminal(status),
      { withinMs: 45_000 },
    );

  it('is enhanced in spans, assembled once, and leaves nothing but its result', async () => {
    lifecycle.provider.script.spans = [3, 1, 2];
    const { id, enhancementIds } = await lifecycle.start(PDF);
    const [enhancementId] = enhancementIds as [string];
    const enhancement = await settled(enhancementId);
    expect(enhancement).toMatchObject({ status: 'FINISHED', chargedCredits: 9, engine: { durationMs: 35 } });
    expect(callsOf('enhance', enhancementId)).toHaveLength(1);
    expect(callsOf('span', enhancementId).sort()).toEqual([0, 3, 4].map((from) => `span ${enhancementId} ${from}`));
    expect(callsOf('assemble', enhancementId)).toHaveLength(1);
    expect((await lifecycle.filesOf(id)).filter((name) => name.endsWith('.object')).sort()).toEqual([
      `${enhancementId}.object`,
      'original.object',
    ]);
    expect(lifecycle.problems).toEqual([]);
  });

  it('with little work is one activity, as an image is', async () => {
    const { handle, enhancementIds } = await lifecycle.start(PDF);
    await settled(enhancementIds[0]!);
    const { events } = await handle.fetchHistory();
    const scheduled = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: each }) =>
      each ? [each.activityType?.name] : [],
    );
    expect(scheduled).toEqual(['analyze', 'estimate', 'enhance']);
  });

  it('has at most eight open spans, each with low priority', async () => {
    let [open, most] = [0, 0];
    lifecycle.provider.script.spans = Array.from({ length: 16 }, () => 1);
    lifecycle.provider.script.span = async () => {
      most = Math.max(most, (open += 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
      open -= 1;
    };
    const { handle, enhancementIds } = await lifecycle.start(PDF);
    await settled(enhancementIds[0]!);
    expect(most).toBeGreaterThan(1);
    const { events } = await handle.fetchHistory();
    let [pending, mostPending] = [0, 0];
    for (const event of events ?? []) {
      const span = event.activityTaskScheduledEventAttributes?.activityType?.name === 'enhancePdfSpan';
      if (span) mostPending = Math.max(mostPending, (pending += 1));
      if (span) expect(event.activityTaskScheduledEventAttributes?.priority?.priorityKey).toBe(5);
      if (event.activityTaskCompletedEventAttributes && pending > 0) pending -= 1;
    }
    expect(mostPending).toBe(8);
  });

  it('reports how many of its images are done, over all spans', async () => {
    const read = createProgressReader(lifecycle.env.client);
    let finish = (): void => undefined;
    lifecycle.provider.script.spans = [5, 5, 10];
    lifecycle.provider.script.span = async (job, watch) => {
      if (job.from < 5) return;
      watch.onProgress({ step: 'images', fraction: 0.4, images: (job.to - job.from) * 0.4 });
      await new Promise<void>((resolve) => {
        const before = finish;
        finish = () => (before(), resolve());
      });
    };
    const { id: uploadId, enhancementIds } = await lifecycle.start(PDF);
    const [enhancementId] = enhancementIds as [string];
    await lifecycle.untilCalled('span', `${enhancementId} 10`);
    // The first span's five, and two and four of the open ones: 11 of 20.
    const progress = await until(
      () => read({ id: enhancementId, uploadId }),
      (each) => each.fraction > 0.5,
    );
    expect(progress).toEqual({ step: 'images', fraction: expect.closeTo((0.95 * 11) / 20, 5) as unknown as number });
    finish();
    await settled(enhancementId);
  });

  it('is planned again when an update makes its plan outdated, and keeps nothing of the first plan', async () => {
    let outdated = 2;
    lifecycle.provider.script.spans = [1, 1];
    lifecycle.provider.script.assemble = () => (outdated-- > 0 ? Promise.reject(outdatedPlan()) : Promise.resolve());
    const { id, enhancementIds } = await lifecycle.start(PDF);
    const [enhancementId] = enhancementIds as [string];
    expect(await settled(enhancementId)).toMatchObject({ status: 'FINISHED', chargedCredits: 9 });
    expect(callsOf('enhance', enhancementId)).toHaveLength(3);
    expect(callsOf('span', enhancementId)).toHaveLength(6);
    const files = (await lifecycle.filesOf(id)).filter((name) => name.endsWith('.object')).sort();
    expect(files).toEqual([`${enhancementId}.object`, 'original.object']);
  });

  it('fails when every new plan is outdated too', async () => {
    lifecycle.provider.script.spans = [1, 1];
    lifecycle.provider.script.assemble = () => Promise.reject(outdatedPlan());
    const { enhancementIds } = await lifecycle.start(PDF);
    expect(await settled(enhancementIds[0]!)).toMatchObject({ status: 'ERROR', errorCode: 'INTERNAL' });
    expect(callsOf('enhance', enhancementIds[0]!)).toHaveLength(5);
  });

  it('continues with a span that is repeated, and repeats no other', async () => {
    let failures = 2;
    lifecycle.provider.script.spans = [1, 1, 1];
    lifecycle.provider.script.span = (job) =>
      job.from === 1 && failures-- > 0 ? Promise.reject(new Error('the worker lost its disk')) : Promise.resolve();
    const { enhancementIds } = await lifecycle.start(PDF);
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'PROCESSING');
    // Pauses between attempts are skipped.
    expect((await lifecycle.settled(enhancementIds[0]!)).status).toBe('FINISHED');
    const calls = callsOf('span', enhancementIds[0]!).map((call) => call.split(' ')[2]);
    expect(calls.filter((from) => from === '1')).toHaveLength(3);
    expect(calls.filter((from) => from !== '1').sort()).toEqual(['0', '2']);
    lifecycle.problems.length = 0;
  });

  it('fails if a span fails: the others stop, nothing is charged or left', async () => {
    lifecycle.provider.script.spans = [1, 1, 1];
    let stopped = 0;
    lifecycle.provider.script.span = async (job, watch) => {
      if (job.from === 1) throw new Failure('PROCESSING_LIMIT');
      await untilStopped(job, watch).finally(() => (stopped += 1));
    };
    const before = await lifecycle.balance();
    const { id, enhancementIds } = await lifecycle.start(PDF);
    const enhancement = await settled(enhancementIds[0]!);
    expect(enhancement).toMatchObject({ errorCode: 'PROCESSING_LIMIT', chargedCredits: null });
    expect(stopped).toBe(2);
    expect(callsOf('assemble', enhancementIds[0]!)).toEqual([]);
    expect(await lifecycle.balance()).toEqual(before);
    expect((await lifecycle.filesOf(id)).filter((name) => name.endsWith('.object'))).toEqual(['original.object']);
  });

  it.each<[string, 'span' | 'assemble']>([
    ['in the middle of its spans', 'span'],
    ['while it is put together', 'assemble'],
  ])('that is cancelled %s stops all spans and leaves nothing', async (_, moment) => {
    lifecycle.provider.script.spans = Array.from({ length: 12 }, () => 2);
    lifecycle.provider.script[moment] = untilStopped;
    const before = await lifecycle.balance();
    const { id, handle, enhancementIds } = await lifecycle.start(PDF);
    const [enhancementId] = enhancementIds as [string];
    await until(
      () => callsOf(moment, enhancementId),
      (calls) => calls.length >= (moment === 'span' ? 4 : 1),
    );
    const cancelled = await lifecycle.command(cancelEnhancement, enhancementId);
    expect(cancelled).toMatchObject({ status: 'CANCELLED' });
    expect(await lifecycle.balance()).toEqual(before);
    expect((await lifecycle.filesOf(id)).filter((name) => name.endsWith('.object'))).toEqual(['original.object']);
    const calls = lifecycle.provider.calls.length;
    await handle.executeUpdate(deleteUpload);
    expect(lifecycle.provider.calls).toHaveLength(calls);
  });

  it('that is deleted with its upload during its spans leaves no file', async () => {
    lifecycle.provider.script.spans = [1, 1, 1, 1, 1];
    lifecycle.provider.script.span = (job, watch) => (job.from < 2 ? Promise.resolve() : untilStopped(job, watch));
    const { id, handle, enhancementIds } = await lifecycle.start(PDF);
    await lifecycle.untilCalled('span', `${enhancementIds[0]!} 4`);
    // The time-skipping server loses a workflow task when an update and a completion come at the same moment.
    await until(
      async () => (await handle.describe()).memo?.['images'] as Record<string, { done: number }> | undefined,
      (images) => images[enhancementIds[0]!]?.done === 2,
    );
    await handle.executeUpdate(deleteUpload);
    expect(await lifecycle.filesOf(id)).toEqual([]);
    expect(await lifecycle.findEnhancement(enhancementIds[0]!)).toMatchObject({ status: 'CANCELLED' });
  });

  it('has at most ten events a span, for any number of images', async () => {
    lifecycle.provider.script.spans = Array.from({ length: 8 }, () => 50);
    const { handle, enhancementIds } = await lifecycle.start(PDF);
    const finished = await settled(enhancementIds[0]!);
    expect(finished.engine?.durationMs).toBe(8 * 10 + 5);
    const { events } = await handle.fetchHistory();
    expect(events!.length).toBeLessThan(60 + 8 * 10);
  });
});
