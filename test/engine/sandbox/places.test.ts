import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createPlaces, type Places } from '../../../src/engine/sandbox/places.ts';

/** Requests for places, by account, and the order in which they got one. */
function entering(places: Places) {
  const order: string[] = [];
  const enter = (account: string, signal?: AbortSignal): Promise<unknown> =>
    places.enter(account, signal).then(() => order.push(account));
  return { order, enter };
}

test('accounts get places in turn, and each in the order of its requests', async () => {
  const places = createPlaces(1);
  const { order, enter } = entering(places);
  await enter('busy');
  const ending = new AbortController();
  const impatient = enter('leaves', ending.signal).catch((error: unknown) => error);
  const entries = [...Array.from({ length: 4 }, () => enter('busy')), enter('calm'), enter('calm')];
  ending.abort('Enough.');
  for (let left = entries.length; left > 0; left -= 1) {
    places.leave(order.at(-1)!);
    await setImmediate();
  }
  await Promise.all(entries);
  expect(order).toEqual(['busy', 'busy', 'calm', 'busy', 'calm', 'busy', 'busy']);
  expect(await impatient).toBe('Enough.');
});

test('an account with all the places that it may have leaves one free for another account', async () => {
  const places = createPlaces(3, 2);
  const { order, enter } = entering(places);
  const entries = Array.from({ length: 4 }, () => enter('busy'));
  await setImmediate();
  expect(order).toEqual(['busy', 'busy']);
  await enter('calm');
  // Its place goes to nobody else than a third account.
  places.leave('calm');
  await setImmediate();
  expect(order).toEqual(['busy', 'busy', 'calm']);
  for (const held of ['busy', 'busy', 'busy', 'busy']) {
    places.leave(held);
    await setImmediate();
  }
  await Promise.all(entries);
  expect(order).toEqual(['busy', 'busy', 'calm', 'busy', 'busy']);
  await Promise.all([enter('calm'), enter('calm'), enter('other')]);
});
