import { afterEach, expect, it } from '@jest/globals';
import { onTestFinished } from '../support/running-test.ts';

const seen: string[] = [];

afterEach(() => void seen.push('first hook'));
afterEach(() => void seen.push('second hook'));

it('a test can register a clean-up', () => {
  onTestFinished(() => void seen.push('own'));
  expect(seen).toEqual([]);
});

it('clean-ups run in the opposite order of their registration', () => {
  expect(seen).toEqual(['second hook', 'first hook', 'own']);
});
