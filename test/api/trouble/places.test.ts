import { describe, expect, test } from '@jest/globals';
import type { Failure } from '../../../src/domain/failures.ts';
import { createPlaces, type ArrivingBody, type Places } from '../../../src/api/trouble/places.ts';

const WAIT_MS = 50;
const openPlaces = (uploadsAtOnce: number): Places => createPlaces({ uploadsAtOnce, placeWaitMs: WAIT_MS });

interface Slow extends ArrivingBody {
  ended: Failure | undefined;
}

/** A body that never arrives. */
function slow(rate: number | undefined = 1): Slow {
  const body: Slow = { ended: undefined, rate: () => rate, end: (failure) => void (body.ended = failure) };
  return body;
}

/** Takes places until one is refused. @returns the bodies that have one */
async function takeAll(places: Places, account: string, most = Infinity): Promise<Slow[]> {
  const bodies: Slow[] = [];
  while (bodies.length < most) {
    const body = slow();
    if (!(await tryTake(places, account, body))) return bodies;
    bodies.push(body);
  }
  return bodies;
}

const tryTake = (places: Places, account: string, body?: ArrivingBody): Promise<(() => void) | undefined> =>
  places.take(account, body).catch(() => undefined);

const alive = (bodies: Slow[]): number => bodies.filter(({ ended }) => ended === undefined).length;

describe('places of uploads', () => {
  test('one account gets at most half of them, and further uploads wait in turn', async () => {
    const places = openPlaces(4);
    const [first, second] = [await places.take('a'), await places.take('a')];
    const order: string[] = [];
    const third = places.take('a').then((leave) => (order.push('third'), leave));
    const fourth = places.take('a').then(
      () => order.push('fourth'),
      ({ code }: Failure) => order.push(code),
    );
    await expect(places.take('a')).rejects.toMatchObject({ code: 'UNAVAILABLE', part: 'gateway' });
    first();
    first();
    (await third)();
    await fourth;
    expect(order).toEqual(['third', 'fourth']);
    second();
  });

  test.each([2, 10, 30, 99])(
    'with %d accounts that hold all they get, a further account gets a place',
    async (count) => {
      const places = openPlaces(200);
      const others = await Promise.all(
        Array.from({ length: count }, (_, index) => takeAll(places, `hostile ${index}`)),
      );
      const share = Math.floor(200 / (count + 2));
      const calm = await takeAll(places, 'calm', share);
      expect(calm).toHaveLength(share);
      expect(others.filter((bodies) => alive(bodies) === 0)).toEqual([]);
      expect(alive(calm)).toBe(share);
    },
  );

  test('accounts that came one after the other, and hold all places, give some to newcomers: the slowest first', async () => {
    const places = openPlaces(20);
    const first = await takeAll(places, 'first', 9);
    const slowest = slow(0.1);
    await places.take('first', slowest);
    const second = await takeAll(places, 'second');
    const third = await takeAll(places, 'third', 4);
    expect([first.length, second.length, third.length]).toEqual([9, 6, 4]);
    expect(slowest.ended).toBeUndefined();
    const newcomer = await takeAll(places, 'newcomer', 4);
    expect([newcomer.length, alive(newcomer)]).toEqual([4, 4]);
    expect(slowest.ended).toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 2 });
    // Nobody below a share loses a body.
    expect([alive(first), alive(second), alive(third)]).toEqual([6, 6, 4]);
  });

  test('an upload whose body has arrived keeps its place', async () => {
    const places = openPlaces(4);
    const arrived = slow();
    arrived.rate = () => undefined;
    for (const account of ['a', 'a', 'b', 'c']) await places.take(account, arrived);
    await expect(places.take('d', slow())).rejects.toMatchObject({ part: 'gateway' });
    expect(arrived.ended).toBeUndefined();
  });

  test('a place that is given back goes to the account with the fewest', async () => {
    const places = openPlaces(4);
    const [leaveFirst, leaveSecond] = [await places.take('a'), await places.take('a')];
    const leaveB = await places.take('b');
    await places.take('c');
    const order: string[] = [];
    const waits = ['b', 'd'].map((account) =>
      places.take(account).then(
        () => order.push(account),
        () => order.push(`not ${account}`),
      ),
    );
    leaveFirst();
    leaveSecond();
    leaveB();
    await Promise.all(waits);
    expect(order[0]).toBe('d');
  });

  test('more accounts than places wait, and one that leaves makes room', async () => {
    const places = openPlaces(3);
    const [leave] = await Promise.all(['a', 'b', 'c'].map((account) => places.take(account, slow())));
    const waiting = places.take('d');
    leave!();
    (await waiting)();
  });
});
