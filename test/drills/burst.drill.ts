import { expect, test } from 'vitest';
import { startInstance } from '../e2e/instance.ts';
import { burst, expectSoundBurst, figures } from './burst.ts';

test('of 3,000 uploads at once each is accepted or refused within 15 seconds, and what was accepted finishes', async () => {
  await using instance = await startInstance({});
  const answers = await burst(instance, 3_000);
  console.log(figures(answers));
  console.log(await expectSoundBurst(instance, answers));
  expect(await instance.stop()).toBe(0);
});
