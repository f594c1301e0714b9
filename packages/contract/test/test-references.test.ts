import { expect, test } from '@jest/globals';
import { FAILURE_CODES, WAITING_FOR, findTestEffect, TEST_REFERENCES } from '@burnish/contract';

test('each error code and each reason to wait has a test reference', () => {
  const effects = Object.values(TEST_REFERENCES);
  expect(effects.flatMap(({ fails }) => fails?.code ?? [])).toEqual(FAILURE_CODES);
  const waits = effects.flatMap(({ waitsFor }) => waitsFor ?? []);
  // A test account never uses the hosted service.
  expect(waits).toEqual(WAITING_FOR.filter((each) => each !== 'hosted'));
});

test('only an exact reference has an effect', () => {
  expect(findTestEffect('test:CORRUPT_FILE')).toMatchObject({ fails: { part: 'file', code: 'CORRUPT_FILE' } });
  for (const other of ['test:corrupt_file', 'CORRUPT_FILE', 'toString', undefined, null, 7]) {
    expect(findTestEffect(other)).toBeUndefined();
  }
});
