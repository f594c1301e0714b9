import { expect, test } from '@jest/globals';
import { derivedId, isId, newId } from '@burnish/contract';

test('ids sort by the millisecond of their creation, and differ within it', () => {
  const times = [0, 1, 31, 32, 1024, Date.UTC(2026, 0, 1), Date.UTC(2100, 0, 1)];
  const ids = times.map((time) => newId('upl', time));
  expect(ids.toSorted()).toEqual(ids);
  expect(ids.every((id) => isId('upl', id))).toBe(true);
  expect(newId('upl', 0)).not.toBe(newId('upl', 0));
});

test('a derived id depends on the prefix and the first sixteen bytes alone', () => {
  const digest = Uint8Array.from({ length: 32 }, (_, at) => at * 7);
  expect(derivedId('upl', digest)).toBe(derivedId('upl', digest.subarray(0, 16)));
  expect(derivedId('upl', digest)).not.toBe(derivedId('upl', digest.with(15, 0)));
  expect(isId('upl', derivedId('upl', digest))).toBe(true);
});

test('a text of another form is no id', () => {
  const id = newId('upl', 0);
  for (const other of [`enh_${id.slice(4)}`, id.toUpperCase(), id.slice(0, -1), `${id}0`, id.slice(4), ''])
    expect(isId('upl', other)).toBe(false);
});
