import '../setup/quiet-temporal.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Enhancement } from '../../src/domain/enhancement.ts';
import { cancelWaiting } from '../../src/domain/messages.ts';
import { startLifecycle, type Lifecycle, type StartedUpload } from './lifecycle.ts';

describe('cancelling an enhancement that waits inside its upload', () => {
  let lifecycle: Lifecycle;
  beforeAll(async () => {
    lifecycle = await startLifecycle();
  });
  afterAll(() => lifecycle[Symbol.asyncDispose]());

  const cancel = ({ handle }: StartedUpload, enhancementId: string) =>
    handle.executeUpdate(cancelWaiting, { args: [{ enhancementId }] });

  it('ends it while the file is looked at, and the others go on', async () => {
    let letGo: (() => void) | undefined;
    lifecycle.provider.script.inspect = () =>
      new Promise((resolve) => (letGo = () => resolve({ width: 640, height: 480, notes: [] })));
    const started = await lifecycle.start({ enhancements: [{}, { parameters: { mode: 'VIVID' } }] });
    const [first, second] = started.enhancementIds as [string, string];
    await lifecycle.untilCalled('inspect', started.id);

    // Both at once: while the file is looked at, each answer takes until the workflow task has to be kept alive, some 16 s.
    const answers = await Promise.all([cancel(started, first), cancel(started, first)]);
    expect(answers).toContainEqual(null);
    expect(answers).toContainEqual(
      expect.objectContaining({ id: first, status: 'CANCELLED', chargedCredits: null } satisfies Partial<Enhancement>),
    );
    expect(await lifecycle.findEnhancement(first)).toMatchObject({ status: 'CANCELLED' });

    lifecycle.provider.script = {};
    letGo!();
    await lifecycle.enhancementReaches(second, 'FINISHED');
    expect(await lifecycle.findEnhancement(first)).toMatchObject({ status: 'CANCELLED' });
    expect(await cancel(started, first)).toBeNull();
    expect(lifecycle.provider.calls).not.toContain(`enhance ${first}`);
    expect(await lifecycle.balance()).toMatchObject({ used: 1, reserved: 0 });
  });

  it('leaves one that has a workflow of its own to that workflow, and knows no strangers', async () => {
    const started = await lifecycle.start({ enhancements: [{ parameters: { upscalingFactor: 'X2' }, maxCredits: 1 }] });
    const [id] = started.enhancementIds as [string];
    await lifecycle.enhancementReaches(id, 'AWAITING_APPROVAL');
    expect(await cancel(started, id)).toBeNull();
    expect(await cancel(started, 'enh_unknown')).toBeNull();
    expect(await lifecycle.findEnhancement(id)).toMatchObject({ status: 'AWAITING_APPROVAL' });
  });
});
