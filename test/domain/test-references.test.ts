import { expect, test } from '@jest/globals';
import { SENT_EVENT_KINDS } from '../../src/domain/events/events.ts';
import { FAILURE_CODES } from '../../src/domain/failures.ts';
import { WAITING_FOR } from '../../src/domain/machinery.ts';
import { EVENT_CAUSES, findTestEffect, TEST_REFERENCES } from '../../src/domain/testing/test-references.ts';

test('each error code, each reason to wait and each event has a test reference or a cause', () => {
  const effects = Object.values(TEST_REFERENCES);
  expect(effects.flatMap(({ fails }) => fails?.code ?? [])).toEqual(FAILURE_CODES);
  const waits = effects.flatMap(({ waitsFor }) => waitsFor ?? []);
  // A test account never uses the hosted service.
  expect(waits).toEqual(WAITING_FOR.filter((each) => each !== 'hosted'));
  expect(Object.keys(EVENT_CAUSES).toSorted()).toEqual([...SENT_EVENT_KINDS].toSorted());
});

test('only an exact reference has an effect', () => {
  expect(findTestEffect('test:CORRUPT_FILE')).toMatchObject({ fails: { part: 'file', code: 'CORRUPT_FILE' } });
  for (const other of ['test:corrupt_file', 'CORRUPT_FILE', 'toString', undefined, null, 7]) {
    expect(findTestEffect(other)).toBeUndefined();
  }
});
