import { describe, expect, it } from '@jest/globals';
import { cancelEnhancement, deleteUpload } from '../../src/domain/temporal/workflow-interface.ts';
import type { TestUpload } from './lifecycle.ts';
import { useLifecycle } from './use-lifecycle.ts';
import { ANALYSIS, untilStopped } from './scripted-provider.ts';
import { poll } from '../support/poll.ts';

describe('cancelling work', () => {
  const lifecycle = useLifecycle({ creditsPerPeriod: 60 });

  const IMAGE: TestUpload = { enhancements: [{ parameters: { upscalingFactor: 'X2' } }] };
  const PDF: TestUpload = { mimetype: 'application/pdf', enhancements: [{}] };

  const steps: { step: string; file: TestUpload; reach: (id: string) => Promise<unknown>; prepare?: () => void }[] = [
    {
      step: 'its price is estimated',
      file: PDF,
      prepare: () => (lifecycle.provider.script.estimate = untilStopped),
      reach: (id) => lifecycle.untilCalled('estimate', id),
    },
    {
      step: 'it waits for approval',
      file: { enhancements: [{ ...IMAGE.enhancements![0]!, maxCredits: 1 }] },
      reach: (id) => lifecycle.enhancementReaches(id, 'AWAITING_APPROVAL'),
    },
    {
      step: 'it waits for credits',
      file: { ...PDF, enhancements: [{}] },
      prepare: () => (lifecycle.provider.script.estimate = () => Promise.resolve(10_000)),
      reach: (id) => lifecycle.enhancementReaches(id, 'AWAITING_CREDITS'),
    },
    {
      step: 'the engine is at work',
      file: IMAGE,
      prepare: () => (lifecycle.provider.script.enhance = untilStopped),
      reach: (id) => lifecycle.untilCalled('enhance', id),
    },
  ];

  it.each(steps)('ends an enhancement while $step, and the ledger balances', async ({ file, reach, prepare }) => {
    const before = await lifecycle.balance();
    prepare?.();
    const { enhancementIds } = await lifecycle.start(file);
    await reach(enhancementIds[0]!);

    const answered = await lifecycle.command(cancelEnhancement, enhancementIds[0]!);

    expect(answered).toMatchObject({ status: 'CANCELLED' });
    expect(await lifecycle.findEnhancement(enhancementIds[0]!)).toMatchObject({ status: 'CANCELLED', result: null });
    expect(await lifecycle.balance()).toEqual(before);
    // The credits come first; the bytes follow.
    await poll(() => lifecycle.resultExists(enhancementIds[0]!)).toBe(false);
  });

  it('ends an enhancement that waits for its upload, and the others continue', async () => {
    const before = await lifecycle.balance();
    let letGo: (() => void) | undefined;
    lifecycle.provider.script.analyze = () => new Promise((resolve) => (letGo = () => resolve(ANALYSIS)));
    const started = await lifecycle.start({ ...PDF, enhancements: [{}, { parameters: { targetResolution: 150 } }] });
    const [first, second] = started.enhancementIds as [string, string];
    await lifecycle.untilCalled('analyze', started.id);
    const cancel = () => started.handle.executeUpdate(cancelEnhancement, { args: [{ enhancementId: first }] });
    const answers = await Promise.all([cancel(), cancel()]);
    expect(answers).toContainEqual(expect.objectContaining({ id: first, status: 'CANCELLED', chargedCredits: null }));

    lifecycle.provider.script = {};
    letGo!();
    await lifecycle.enhancementReaches(second, 'FINISHED');
    expect(await lifecycle.findEnhancement(first)).toMatchObject({ status: 'CANCELLED' });
    expect(lifecycle.provider.calls).not.toContain(`enhance ${first}`);
    expect((await lifecycle.balance()).used).toBe(before.used + 9);
  });

  it.each(steps)('deletes an upload whose enhancement is open while $step', async ({ file, reach, prepare }) => {
    const before = await lifecycle.balance();
    prepare?.();
    const { id, handle, enhancementIds } = await lifecycle.start(file);
    await reach(enhancementIds[0]!);

    const answered = await handle.executeUpdate(deleteUpload);

    expect(answered).toMatchObject({ status: 'UPLOAD_DELETED', deletionReason: 'user', objectKey: null });
    expect(await lifecycle.findUpload(id)).toMatchObject({ status: 'UPLOAD_DELETED' });
    expect(await lifecycle.findEnhancement(enhancementIds[0]!)).toMatchObject({ status: 'CANCELLED' });
    expect(await lifecycle.balance()).toEqual(before);
    expect(await lifecycle.filesOf(id)).toEqual([]);
    await handle.result();
  });

  it('deletes an upload during its inspection', async () => {
    lifecycle.provider.script.inspect = untilStopped;
    const { id, handle, enhancementIds } = await lifecycle.start({ ...IMAGE, workflowTaskTimeout: '2 s' });
    await lifecycle.untilCalled('inspect', id);
    await handle.executeUpdate(deleteUpload);
    expect(await lifecycle.findUpload(id)).toMatchObject({ status: 'UPLOAD_DELETED', deletionReason: 'user' });
    expect(await lifecycle.findEnhancement(enhancementIds[0]!)).toMatchObject({ status: 'CANCELLED' });
    expect(await lifecycle.filesOf(id)).toEqual([]);
  });

  it('deletes a PDF during its analysis', async () => {
    lifecycle.provider.script.analyze = untilStopped;
    const { id, handle, enhancementIds } = await lifecycle.start(PDF);
    await lifecycle.untilCalled('analyze', id);
    await handle.executeUpdate(deleteUpload);
    expect(await lifecycle.findEnhancement(enhancementIds[0]!)).toMatchObject({ status: 'CANCELLED' });
    expect(await lifecycle.filesOf(id)).toEqual([]);
  });

  it('deletes an upload when its workflow is ended in the Temporal Web UI', async () => {
    const { id, handle, enhancementIds } = await lifecycle.start(IMAGE);
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    await handle.cancel();
    await lifecycle.uploadReaches(id, 'UPLOAD_DELETED');
    expect(await lifecycle.filesOf(id)).toEqual([]);
  });

  it('does not change a finished enhancement', async () => {
    const { enhancementIds } = await lifecycle.start(IMAGE);
    const finished = await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    expect(await lifecycle.command(cancelEnhancement, enhancementIds[0]!)).toBeNull();
    expect(await lifecycle.findEnhancement(enhancementIds[0]!)).toEqual(finished);
  });
});
