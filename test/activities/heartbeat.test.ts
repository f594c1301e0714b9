import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { currentWatch, heartbeatInterceptor } from '../../src/activities/heartbeat.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Runs work of some milliseconds as an activity of a worker. @returns the details of its heartbeats */
async function beatsOf(heartbeatTimeoutMs: number | undefined, workMs: number, begin = () => {}): Promise<unknown[]> {
  const info = heartbeatTimeoutMs === undefined ? {} : { heartbeatTimeoutMs };
  const environment = new MockActivityEnvironment(info, {
    interceptors: [(context) => ({ inbound: heartbeatInterceptor(context) })],
  });
  const beats: unknown[] = [];
  environment.on('heartbeat', (details: unknown) => void beats.push(details));
  const ended = environment.run(async () => {
    begin();
    await new Promise((resolve) => setTimeout(resolve, workMs));
  });
  await jest.advanceTimersByTimeAsync(workMs);
  await ended;
  await jest.advanceTimersByTimeAsync(60_000);
  return beats;
}

test('an activity that waits writes to the workflow service once in each half of its heartbeat timeout, until it ends', async () => {
  expect(await beatsOf(15_000, 7_000)).toEqual([]);
  expect(await beatsOf(15_000, 16_000)).toEqual([undefined, undefined]);
  expect(await beatsOf(undefined, 16_000)).toEqual([]);
});

test('an activity of the engine writes its latest progress within half a second, and repeats it while it waits', async () => {
  const [begun, half] = [0, 0.5].map((fraction) => ({ step: 'upscale', fraction }) as const);
  const begin = (): void => {
    const { onProgress } = currentWatch();
    onProgress(begun!);
    onProgress(half!);
  };
  expect(await beatsOf(15_000, 400, begin)).toEqual([]);
  expect(await beatsOf(15_000, 600, begin)).toEqual([half]);
  expect(await beatsOf(15_000, 8_000, begin)).toEqual([half, half]);
});
