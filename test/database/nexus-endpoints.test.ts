import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PREVIOUS_TOKEN_MS } from '@burnish/contract';
import { ensureInitialAccount } from '../../src/database/accounts/initial-account.ts';
import { createNexusEndpoints } from '../../src/database/accounts/nexus-endpoints.ts';
import type { Database } from '../../src/database/database.ts';
import { nexusEndpoints } from '../../src/database/schema/nexus-endpoints.ts';
import type { FileUrls } from '../../src/api/files/file-urls.ts';
import { createOperationActivities } from '../../src/nexus/operation-activities.ts';
import { createTickets } from '../../src/nexus/ticket.ts';
import { testKeyRing, testVault } from '../support/test-vault.ts';
import { DATABASES, type TestDatabase } from './databases.ts';

describe.each(DATABASES)('tokens of Nexus endpoints in %s', (_name, open) => {
  let opened: TestDatabase;
  let database: Database;
  let endpoints: ReturnType<typeof createNexusEndpoints>;
  let accountId: string;
  let aheadMs = 0;
  beforeAll(async () => {
    opened = await open();
    ({ database } = opened);
    endpoints = createNexusEndpoints(database, () => Date.now() + aheadMs);
    accountId = (await ensureInitialAccount(database, testVault, { plan: 'FREE', creditsPerPeriod: 1 })).account.id;
  });
  afterAll(() => opened.close());

  const isProven = async (name: string, token: string) => (await endpoints.prove(name, token))?.proven;

  test('only a hash is stored, and no answer has it', async () => {
    const { endpoint, token } = await endpoints.create({ name: 'hashed', accountId, scopes: ['enhance'] });
    const stored = JSON.stringify(await database.orm.select().from(nexusEndpoints));
    expect(stored).not.toContain(token!);
    const rotated = await endpoints.rotateToken('hashed', { atOnce: false });
    const shown = JSON.stringify([endpoint, await endpoints.list(), await endpoints.get('hashed'), rotated!.endpoint]);
    expect(shown).not.toMatch(/[0-9a-f]{64}/);
  });

  describe('the ticket of an operation', () => {
    const subject = { enhancementId: 'enh_1', uploadId: 'upl_1' };
    const NEVER = new Error('A record was read.');

    async function issued(name: string) {
      const { endpoint } = await endpoints.create({ name, accountId, scopes: ['enhance'] });
      const now = () => Date.now() + aheadMs;
      const tickets = createTickets(testKeyRing.sealer('operations'), now);
      const enhancements = { get: () => Promise.reject(NEVER) };
      const deps = { tickets, nexusEndpoints: endpoints, enhancements, fanout: { subscribe: () => () => undefined } };
      const commands = { cancel: () => Promise.reject(NEVER) };
      const accounts = { get: () => Promise.reject(NEVER), getPlanOfAccount: () => Promise.reject(NEVER) };
      const activities = createOperationActivities({ ...deps, commands, accounts, urls: {} as FileUrls });
      const first = tickets.issue(subject, endpoint);
      /** Whether both activities go on to the records, or refuse the ticket */
      const outcomes = (awaited = first) =>
        Promise.all(
          [activities.awaitEnhancement, activities.cancelEnhancement].map((activity) =>
            new MockActivityEnvironment().run(activity, awaited).catch((error: Error) => error.message),
          ),
        );
      return { outcomes, renew: async () => tickets.issue(subject, (await endpoints.get(name))!) };
    }
    const good = [NEVER.message, NEVER.message];
    const ended = Array(2).fill(expect.stringContaining('The ticket of this operation has ended'));

    test('outlives a replaced token, and ends with one that ended at once', async () => {
      const { outcomes, renew } = await issued('tickets-rotated');
      expect(await outcomes()).toEqual(good);
      await endpoints.rotateToken('tickets-rotated', { atOnce: false });
      expect(await outcomes()).toEqual(good);
      aheadMs += 1_000;
      await endpoints.rotateToken('tickets-rotated', { atOnce: true });
      expect(await outcomes()).toEqual(ended);
      expect(await outcomes(await renew())).toEqual(good);
    });

    test('ends with its endpoint, also if another one gets its name', async () => {
      const { outcomes } = await issued('tickets-deleted');
      await endpoints.delete('tickets-deleted');
      expect(await outcomes()).toEqual(ended);
      aheadMs += 1_000;
      await endpoints.create({ name: 'tickets-deleted', accountId, scopes: ['enhance'] });
      expect(await outcomes()).toEqual(ended);
    });

    test('ends after the longest operation', async () => {
      const { outcomes } = await issued('tickets-expired');
      aheadMs += 44 * 86_400_000;
      expect(await outcomes()).toEqual(good);
      aheadMs += 86_400_000;
      expect(await outcomes()).toEqual(ended);
    });
  });

  test('a previous token ends after its time, and an older one at the next rotation', async () => {
    const name = 'rotated';
    const first = (await endpoints.create({ name, accountId, scopes: ['enhance'] })).token!;
    const second = (await endpoints.rotateToken(name, { atOnce: false }))!.token;
    aheadMs += PREVIOUS_TOKEN_MS - 60_000;
    expect([await isProven(name, first), await isProven(name, second)]).toEqual([true, true]);
    aheadMs += 120_000;
    expect([await isProven(name, first), await isProven(name, second)]).toEqual([false, true]);
    const third = (await endpoints.rotateToken(name, { atOnce: false }))!.token;
    await endpoints.rotateToken(name, { atOnce: false });
    expect([await isProven(name, second), await isProven(name, third)]).toEqual([false, true]);
  });

  test('rotations at once leave two valid tokens at most', async () => {
    const name = 'contended';
    await endpoints.create({ name, accountId, scopes: ['enhance'] });
    const rotated = await Promise.all(Array.from({ length: 8 }, () => endpoints.rotateToken(name, { atOnce: false })));
    const proven = await Promise.all(rotated.map((each) => isProven(name, each!.token)));
    expect(proven.filter(Boolean)).toHaveLength(2);
  });

  test('an unknown endpoint has no token', async () => {
    expect(await endpoints.prove('unknown', 'bne_')).toBeUndefined();
    expect(await endpoints.rotateToken('unknown', { atOnce: true })).toBeUndefined();
  });
});
