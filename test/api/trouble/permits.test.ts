import { describe, expect, test } from '@jest/globals';
import type { Failure } from '@burnish/contract';
import { createPermits, type ArrivingBody, type Permits } from '../../../src/api/trouble/permits.ts';

const WAIT_MS = 50;
const openPermits = (uploadsAtOnce: number): Permits => createPermits({ uploadsAtOnce, permitWaitMs: WAIT_MS });

interface Slow extends ArrivingBody {
  ended: Failure | undefined;
}

/** A body that never arrives. */
function slow(rate: number | undefined = 1): Slow {
  const body: Slow = { ended: undefined, rate: () => rate, end: (failure) => void (body.ended = failure) };
  return body;
}

/** Acquires permits until one is refused. @returns the bodies that have one */
async function acquireAll(permits: Permits, account: string, most = Infinity): Promise<Slow[]> {
  const bodies: Slow[] = [];
  while (bodies.length < most) {
    const body = slow();
    if (!(await tryAcquire(permits, account, body))) return bodies;
    bodies.push(body);
  }
  return bodies;
}

const tryAcquire = (permits: Permits, account: string, body?: ArrivingBody): Promise<(() => void) | undefined> =>
  permits.acquire(account, body).catch(() => undefined);

const alive = (bodies: Slow[]): number => bodies.filter(({ ended }) => ended === undefined).length;

describe('permits of uploads', () => {
  test('one account gets at most half of them, and further uploads wait in turn', async () => {
    const permits = openPermits(4);
    const [first, second] = [await permits.acquire('a'), await permits.acquire('a')];
    const order: string[] = [];
    const third = permits.acquire('a').then((release) => (order.push('third'), release));
    const fourth = permits.acquire('a').then(
      () => order.push('fourth'),
      ({ code }: Failure) => order.push(code),
    );
    await expect(permits.acquire('a')).rejects.toMatchObject({ code: 'UNAVAILABLE', part: 'gateway' });
    first();
    first();
    (await third)();
    await fourth;
    expect(order).toEqual(['third', 'fourth']);
    second();
  });

  test.each([2, 10, 30, 99])(
    'with %d accounts that hold all they get, a further account gets a permit',
    async (count) => {
      const permits = openPermits(200);
      const others = await Promise.all(
        Array.from({ length: count }, (_, index) => acquireAll(permits, `hostile ${index}`)),
      );
      const share = Math.floor(200 / (count + 2));
      const calm = await acquireAll(permits, 'calm', share);
      expect(calm).toHaveLength(share);
      expect(others.filter((bodies) => alive(bodies) === 0)).toEqual([]);
      expect(alive(calm)).toBe(share);
    },
  );

  test('accounts that came one after the other, and hold all permits, give some to newcomers: the slowest first', async () => {
    const permits = openPermits(20);
    const first = await acquireAll(permits, 'first', 9);
    const slowest = slow(0.1);
    await permits.acquire('first', slowest);
    const second = await acquireAll(permits, 'second');
    const third = await acquireAll(permits, 'third', 4);
    expect([first.length, second.length, third.length]).toEqual([9, 6, 4]);
    expect(slowest.ended).toBeUndefined();
    const newcomer = await acquireAll(permits, 'newcomer', 4);
    expect([newcomer.length, alive(newcomer)]).toEqual([4, 4]);
    expect(slowest.ended).toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 2 });
    // Nobody below a share loses a body.
    expect([alive(first), alive(second), alive(third)]).toEqual([6, 6, 4]);
  });

  test('an upload whose body has arrived keeps its permit', async () => {
    const permits = openPermits(4);
    const arrived = slow();
    arrived.rate = () => undefined;
    for (const account of ['a', 'a', 'b', 'c']) await permits.acquire(account, arrived);
    await expect(permits.acquire('d', slow())).rejects.toMatchObject({ part: 'gateway' });
    expect(arrived.ended).toBeUndefined();
  });

  test('a permit that is given back goes to the account with the fewest', async () => {
    const permits = openPermits(4);
    const [leaveFirst, leaveSecond] = [await permits.acquire('a'), await permits.acquire('a')];
    const leaveB = await permits.acquire('b');
    await permits.acquire('c');
    const order: string[] = [];
    const waits = ['b', 'd'].map((account) =>
      permits.acquire(account).then(
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

  test('more accounts than permits wait, and one that leaves makes room', async () => {
    const permits = openPermits(3);
    const [release] = await Promise.all(['a', 'b', 'c'].map((account) => permits.acquire(account, slow())));
    const waiting = permits.acquire('d');
    release!();
    (await waiting)();
  });
});
