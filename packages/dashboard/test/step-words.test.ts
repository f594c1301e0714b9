import { expect, test } from '@jest/globals';
import { STEP_FEATURES } from '@burnish/contract';
import { stepWords } from '../src/uploads/words.ts';

test.each(Object.keys(STEP_FEATURES))('the step %s has words', (step) => {
  expect(stepWords(step)).not.toBe(step);
});
