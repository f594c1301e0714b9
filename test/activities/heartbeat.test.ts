import { setTimeout as pause } from 'node:timers/promises';
import { expect, jest, test } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { withHeartbeat, withProgress } from '../../src/activities/heartbeat.ts';

/** Heartbeats of two seconds of work that reports these fractions of its progress, one each half a second. */
async function countBeats(
  run: typeof withHeartbeat,
  heartbeatTimeoutMs: number,
  reports: readonly number[] = [],
): Promise<number> {
  const environment = new MockActivityEnvironment({ heartbeatTimeoutMs });
  let beats = 0;
  environment.on('heartbeat', () => (beats += 1));
  await environment.run(() =>
    run(async ({ onProgress }) => {
      for (const fraction of reports) {
        onProgress({ step: 'upscale', fraction });
        await pause(550);
      }
      if (reports.length === 0) await pause(2_200);
    }),
  );
  return beats;
}

test('an activity that waits for a machine outside writes to the workflow service three times in its heartbeat timeout', async () => {
  const [long, short] = await Promise.all([countBeats(withHeartbeat, 15_000), countBeats(withHeartbeat, 3_000)]);
  expect(long).toBe(0);
  expect([1, 2]).toContain(short);
});

test('an activity also writes when its timer is a little early', async () => {
  const clock = jest.spyOn(performance, 'now').mockReturnValue(1_499).mockReturnValueOnce(0);
  const beats = await countBeats(withHeartbeat, 3_000);
  clock.mockRestore();
  expect(beats).toBe(1);
});

test('an activity of the engine writes each change of its progress, and otherwise no more than other work', async () => {
  const [moving, waiting] = await Promise.all([
    countBeats(withProgress, 15_000, [0.2, 0.4, 0.6, 0.8]),
    countBeats(withProgress, 15_000),
  ]);
  expect(moving).toBeGreaterThan(2);
  expect(waiting).toBe(0);
});
