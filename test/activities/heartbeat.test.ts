import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { currentWatch, heartbeatInterceptor } from '../../src/activities/heartbeat.ts';

/** Runs work as an activity of a worker. @returns the details of its heartbeats */
async function beatsOf(heartbeatTimeoutMs: number | undefined, work: () => Promise<void>): Promise<unknown[]> {
  const info = heartbeatTimeoutMs === undefined ? {} : { heartbeatTimeoutMs };
  const environment = new MockActivityEnvironment(info, {
    interceptors: [(context) => ({ inbound: heartbeatInterceptor(context) })],
  });
  const beats: unknown[] = [];
  environment.on('heartbeat', (details: unknown) => void beats.push(details));
  await environment.run(work);
  await pause(150);
  return beats;
}

test('an activity that waits writes to the workflow service once in each half of its heartbeat timeout, until it ends', async () => {
  const wait = (): Promise<void> => pause(350);
  const [long, short, none] = await Promise.all([beatsOf(15_000, wait), beatsOf(200, wait), beatsOf(undefined, wait)]);
  expect(long).toEqual([]);
  expect([2, 3]).toContain(short.length);
  expect(none).toEqual([]);
});

test('an activity of the engine writes each change of its progress, and repeats the latest one while it waits', async () => {
  const [begun, half] = [0, 0.5].map((fraction) => ({ step: 'upscale', fraction }) as const);
  const beats = await beatsOf(400, async () => {
    const { onProgress } = currentWatch();
    onProgress(begun!);
    onProgress(half!);
    await pause(250);
  });
  expect(beats).toEqual([begun, half, half]);
});
