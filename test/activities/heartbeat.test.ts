import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { withHeartbeat, withProgress } from '../../src/activities/heartbeat.ts';

/** Heartbeats of two seconds of work. */
async function countBeats(run: typeof withHeartbeat, heartbeatTimeoutMs: number): Promise<number> {
  const environment = new MockActivityEnvironment({ heartbeatTimeoutMs });
  let beats = 0;
  environment.on('heartbeat', () => (beats += 1));
  await environment.run(() => run(() => pause(2_200)));
  return beats;
}

test('an activity that waits for a machine outside writes to the workflow service three times in its heartbeat timeout', async () => {
  const [long, short, engine] = await Promise.all([
    countBeats(withHeartbeat, 15_000),
    countBeats(withHeartbeat, 3_000),
    countBeats(withProgress, 15_000),
  ]);
  expect(long).toBe(0);
  expect([1, 2]).toContain(short);
  expect(engine).toBeGreaterThan(2);
});
