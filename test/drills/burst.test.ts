import { expect, test } from 'vitest';
import { startInstance } from '../e2e/instance.ts';
import { burst, expectSoundBurst } from './burst.ts';

test('of 300 uploads at once each is accepted or refused in time, and what was accepted finishes', async () => {
  await using instance = await startInstance({});
  const answers = await burst(instance, 300);
  await expectSoundBurst(instance, answers);
  expect(await instance.stop()).toBe(0);
}, 240_000);
