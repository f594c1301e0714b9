import { afterEach, expect, it } from '@jest/globals';
import { onTestFinished } from '../support/running-test.ts';

const seen: string[] = [];

afterEach(() => void seen.push('first hook'));
afterEach(() => void seen.push('second hook'));

it('registers a clean-up of its own', () => {
  onTestFinished(() => void seen.push('own'));
  expect(seen).toEqual([]);
});

it('follows a test whose clean-ups ran in the opposite order of their registration', () => {
  expect(seen).toEqual(['second hook', 'first hook', 'own']);
});
