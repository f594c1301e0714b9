import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { withHeartbeat, withProgress } from '../../src/activities/heartbeat.ts';

/** Heartbeats of two seconds of work. */
async function countBeats(run: typeof withHeartbeat): Promise<number> {
  const environment = new MockActivityEnvironment();
  let beats = 0;
  environment.on('heartbeat', () => (beats += 1));
  await environment.run(() => run(() => pause(2_200)));
  return beats;
}

test('an activity that waits for a machine outside seldom writes to the workflow service; one of the engine does so often', async () => {
  const [waiting, engine] = await Promise.all([countBeats(withHeartbeat), countBeats(withProgress)]);
  expect(waiting).toBe(0);
  expect(engine).toBeGreaterThan(1);
});
