import '../setup/quiet-temporal.ts';
import { expect, it } from '@jest/globals';
import { createGate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { ENGINE_SLOTS } from './scripted-provider.ts';
import { useLifecycle } from './use-lifecycle.ts';

const lifecycle = useLifecycle({ creditsPerPeriod: 10_000 });

it('photographs are enhanced while every slot of larger work is taken, and more of it waits', async () => {
  const gate = createGate();
  const working = new Set<string>();
  lifecycle.provider.script.inspect = async ({ mimetype }) =>
    mimetype === 'image/tiff'
      ? { width: 20_000, height: 5_000, hasAlpha: false, notes: [] }
      : { width: 4_000, height: 3_000, hasAlpha: false, notes: [] };
  lifecycle.provider.script.enhance = async ({ source }) => {
    if (source.mimetype !== 'image/tiff') return;
    working.add(source.uploadId);
    await gate.opened;
  };
  const count = 3 * ENGINE_SLOTS.large;
  const large = await Promise.all(
    Array.from({ length: count }, () => lifecycle.start({ mimetype: 'image/tiff', enhancements: [{}] })),
  );
  try {
    await until(
      () => working.size,
      (size) => size === ENGINE_SLOTS.large,
    );
    const photos = await Promise.all(Array.from({ length: 3 }, () => lifecycle.start({ enhancements: [{}] })));
    for (const { enhancementIds } of photos) await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    expect(working.size).toBe(ENGINE_SLOTS.large);
  } finally {
    gate.open();
  }
  for (const { enhancementIds } of large) await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
}, 120_000);
