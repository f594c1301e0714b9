import { expect, test } from '@jest/globals';
import { type CallFailure, rejected, unavailable } from '../../src/hosted/call-failure.ts';
import { createCircuit } from '../../src/hosted/circuit.ts';

function circuit() {
  const clock = { ms: 0 };
  const changes: string[] = [];
  const options = { now: () => clock.ms, random: () => 0, threshold: 3, pauseMs: 10_000, maxPauseMs: 40_000 };
  const made = createCircuit({ ...options, onChange: (state) => changes.push(state) });
  let calls = 0;
  return {
    clock,
    changes,
    calls: () => calls,
    succeed: () => made.run(async () => (calls += 1)),
    fail: (error: Error = unavailable('gone')): Promise<CallFailure> =>
      made
        .run(async () => {
          calls += 1;
          throw error;
        })
        .then(
          () => {
            throw new Error('no failure');
          },
          (thrown: CallFailure) => thrown,
        ),
    run: made.run,
  };
}

test('the circuit lets every call through while some are answered', async () => {
  const { succeed, fail, calls } = circuit();
  for (let round = 0; round < 5; round += 1) {
    await fail();
    await fail();
    await succeed();
  }
  expect(calls()).toBe(15);
});

test('the circuit opens after failed calls in a row, and then fails at once with the time to retry', async () => {
  const { fail, calls, changes } = circuit();
  for (let call = 0; call < 3; call += 1) await fail();
  const refused = await fail();
  expect(refused).toMatchObject({ code: 'PROVIDER_UNAVAILABLE', retryable: true, retryAfterSeconds: 10 });
  expect(refused.mayHaveActed).toBe(false);
  expect(calls()).toBe(3);
  expect(changes).toEqual(['open']);
});

test('the circuit stays closed despite refusals: a refusal is an answer', async () => {
  const { fail, calls } = circuit();
  for (let call = 0; call < 10; call += 1) await fail(rejected('no'));
  expect(calls()).toBe(10);
});

test('the circuit ignores calls that their caller aborted', async () => {
  const { fail, calls } = circuit();
  for (let call = 0; call < 10; call += 1) await fail(new DOMException('ended', 'AbortError'));
  expect(calls()).toBe(10);
});

test('the circuit closes when the probe is answered', async () => {
  const { clock, fail, succeed, calls, changes } = circuit();
  for (let call = 0; call < 3; call += 1) await fail();
  clock.ms = 10_000;
  await succeed();
  await succeed();
  expect(calls()).toBe(5);
  expect(changes).toEqual(['open', 'closed']);
});

test('the circuit waits longer after each failed probe, up to a bound', async () => {
  const { clock, fail } = circuit();
  for (let call = 0; call < 3; call += 1) await fail();
  const rests: unknown[] = [];
  for (let probe = 0; probe < 4; probe += 1) {
    const { retryAfterSeconds = 0 } = await fail();
    rests.push(retryAfterSeconds);
    clock.ms += retryAfterSeconds * 1000;
    await fail();
  }
  expect(rests).toEqual([10, 20, 40, 40]);
});

test('the circuit sends one probe at a time', async () => {
  const { clock, fail, run } = circuit();
  for (let call = 0; call < 3; call += 1) await fail();
  clock.ms = 10_000;
  let answer = (): void => undefined;
  const probe = run(() => new Promise<void>((resolve) => (answer = resolve)));
  expect(await fail()).toMatchObject({ retryAfterSeconds: 10 });
  answer();
  await probe;
  await run(async () => undefined);
});
