import '../setup/quiet-temporal.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { SourceFile } from '../../src/activities/inputs/schemas.ts';
import type { Inspection } from '../../src/activities/provider/local-context.ts';
import { deleteUpload } from '../../src/domain/temporal/workflow-interface.ts';
import { createGate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { useLifecycle } from './use-lifecycle.ts';

const INSPECTED: Inspection = { width: 640, height: 480, hasAlpha: false, notes: [] };
/** More than a worker has slots for workflow tasks. */
const WAITING = 45;
/** Time for an answer on a busy machine, milliseconds. Behind a decoder that does not answer it would never come. */
const PROMPT_MS = 30_000;
/** Longer than a workflow task may last without an event, milliseconds. */
const STILL_MS = 10_000;

const lifecycle = useLifecycle();

/** Fails if an answer does not come in time. */
function promptly<T>(answer: Promise<T>): Promise<T> {
  const late = delay(PROMPT_MS, undefined, { ref: false }).then(() => {
    throw new Error('The answer waited for an inspection.');
  });
  return Promise.race([answer, late]);
}

describe('while 45 images wait for a decoder that does not answer', () => {
  it('commands to them and to others are answered, and nothing is added to their histories', async () => {
    const gate = createGate();
    lifecycle.provider.script.inspect = async () => {
      await gate.opened;
      return INSPECTED;
    };
    const calm = await lifecycle.start({ mimetype: 'application/pdf' });
    await lifecycle.uploadReaches(calm.id, 'METADATA_ANALYZED_SUCCESSFULLY');
    const waiting = await Promise.all(Array.from({ length: WAITING }, () => lifecycle.start()));
    try {
      await until(
        () => lifecycle.provider.calls,
        (calls) => calls.some((call) => call.startsWith('inspect')),
      );
      const enhancementId = await promptly(lifecycle.order(calm.id));
      await promptly(lifecycle.enhancementReaches(enhancementId, 'FINISHED'));
      await promptly(calm.handle.executeUpdate(deleteUpload));
      // It waits in the queue: the decoders are busy with the first ones.
      const last = waiting.at(-1)!;
      expect(lifecycle.provider.calls).not.toContain(`inspect ${last.id}`);
      const { historyLength } = await last.handle.describe();
      await delay(STILL_MS);
      expect((await last.handle.describe()).historyLength).toBe(historyLength);
      await promptly(last.handle.executeUpdate(deleteUpload));
    } finally {
      gate.open();
    }
    for (const { id } of waiting.slice(0, -1)) await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
  }, 240_000);
});

it('large images delay no other one, whatever they take', async () => {
  const gate = createGate();
  const isInspection = (call: string): boolean => call.startsWith('inspect');
  const before = lifecycle.provider.calls.filter(isInspection).length;
  const isLarge = ({ mimetype }: SourceFile): boolean => mimetype !== 'image/png';
  lifecycle.provider.script.isLarge = isLarge;
  lifecycle.provider.script.inspect = async (source) => {
    if (isLarge(source)) await gate.opened;
    return INSPECTED;
  };
  const large = await Promise.all(Array.from({ length: 10 }, () => lifecycle.start()));
  try {
    await until(
      () => lifecycle.provider.calls,
      (calls) => calls.filter(isInspection).length > before,
    );
    const photo = await lifecycle.start({ mimetype: 'image/png' });
    await promptly(lifecycle.uploadReaches(photo.id, 'UPLOAD_FINISHED'));
    // That of the photograph, and the first large one
    expect(lifecycle.provider.calls.filter(isInspection).length - before).toBe(2);
  } finally {
    gate.open();
  }
  for (const { id } of large) await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
}, 240_000);
