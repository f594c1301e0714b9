import { expect, test } from '@jest/globals';
import { startInstance } from '../e2e/instance.ts';
import { expectSoundBurst } from './burst/answers.ts';
import { burst } from './burst/flood.ts';

test('each of 300 parallel uploads is accepted or refused in time, and accepted ones finish', async () => {
  await using instance = await startInstance({});
  const { answers } = await burst([instance.url], instance.apiKey, 300);
  await expectSoundBurst(instance.api, answers);
  expect(await instance.stop()).toBe(0);
}, 240_000);
