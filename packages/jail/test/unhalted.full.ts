import { expect, test } from '@jest/globals';
import { createJail, processIsolation, type Isolation } from '@burnish/jail';
import { decoders } from '../../../test/support/decoders.ts';
import { poll } from '../../../test/support/poll.ts';
import { faultyPool } from './pool.ts';

const ONE = { tenant: 'one' };
const children = (): number[] => decoders(process.pid);

test('a child that cannot be halted is ended when it computes between tasks', async () => {
  const isolation: Isolation = { ...processIsolation(), endsWithParent: false, wrap: (command) => command };
  await using pool = faultyPool({ jail: createJail(isolation, false) });
  await pool.run('linger', { takes: ['cpu'] }, ONE);
  expect(children()).not.toEqual([]);
  await poll(children, { timeout: 60_000 }).toEqual([]);
  expect(await pool.run('echo', { word: 'next' }, ONE)).toMatchObject({ word: 'next' });
});
