import { expect, test } from '@jest/globals';
import { startInstance } from '../e2e/instance.ts';
import { expectSoundBurst } from './burst/answers.ts';
import { burst } from './burst/flood.ts';

test('each of 400 parallel uploads gets 202, or 503 with Retry-After, and each 202 finishes', async () => {
  await using instance = await startInstance({});
  const answers = await burst([instance.url], instance.apiKey, 400);
  await expectSoundBurst(instance.api, answers);
  expect(await instance.stop()).toBe(0);
}, 240_000);
