import { describe, expect, test } from '@jest/globals';
import { type Account, SEED_PLANS } from '@burnish/contract';
import { createCallers, forgettingCallers } from '../../../src/api/http/authenticate.ts';
import { graphql, refusal } from '../graphql/support.ts';
import { testGateway } from '../support/gateway.ts';

const account = { id: 'acc_1', suspendedAt: null as string | null } as Account;
const plan = { id: 'FREE', ...SEED_PLANS.FREE };

/** A database of one key, which counts how often it is asked, and a clock. */
function oneKey() {
  const state = { looks: 0, good: true, now: 0, failing: false };
  const apiKeys = {
    async authenticate(key: string) {
      state.looks += 1;
      if (state.failing) throw new Error('away');
      return state.good && key === 'good'
        ? { account, plan, keyId: 'key_1', scopes: [], expiresAt: null, storedBytes: 0 }
        : undefined;
    },
  };
  return { state, callers: createCallers({ apiKeys }, () => state.now) };
}

describe('the cache of authenticated accounts', () => {
  test('serves reads for one second and no longer', async () => {
    const { state, callers } = oneKey();
    const readers = await Promise.all([callers.findRecent('good'), callers.findRecent('good')]);
    expect([readers, state.looks]).toEqual([
      [
        { account, plan, keyId: 'key_1', scopes: [], expiresAt: null, storedBytes: 0 },
        { account, plan, keyId: 'key_1', scopes: [], expiresAt: null, storedBytes: 0 },
      ],
      1,
    ]);
    state.good = false;
    state.now = 999;
    expect(await callers.findRecent('good')).toBeDefined();
    state.now = 1_000;
    expect([await callers.findRecent('good'), state.looks]).toEqual([undefined, 2]);
  });

  test('shares two lookups among a hundred parallel changes, each begun after its request', async () => {
    const { state, callers } = oneKey();
    const first = callers.find('good');
    state.good = false;
    const others = Array.from({ length: 99 }, () => callers.find('good'));
    expect([await first, ...(await Promise.all(others))]).toEqual([
      { account, plan, keyId: 'key_1', scopes: [], expiresAt: null, storedBytes: 0 },
      ...Array<undefined>(99).fill(undefined),
    ]);
    expect(state.looks).toBe(2);
    state.good = true;
    expect([await callers.find('good'), state.looks]).toEqual([
      { account, plan, keyId: 'key_1', scopes: [], expiresAt: null, storedBytes: 0 },
      3,
    ]);
  });

  test('shares a failed lookup with no request that arrived after its start', async () => {
    const { state, callers } = oneKey();
    state.failing = true;
    const first = expect(callers.find('good')).rejects.toThrow('away');
    state.failing = false;
    expect(await callers.find('good')).toBeDefined();
    await first;
  });

  test('never stores a wrong key or an unavailable database', async () => {
    const { state, callers } = oneKey();
    for (let time = 0; time < 2; time += 1) expect(await callers.findRecent('bad')).toBeUndefined();
    expect(state.looks).toBe(2);
    state.failing = true;
    await expect(callers.findRecent('good')).rejects.toThrow('away');
    state.failing = false;
    expect(await callers.findRecent('good')).toBeDefined();
  });

  test('is cleared after each change by the account, also a failed one', async () => {
    const { state, callers } = oneKey();
    const changes = forgettingCallers(
      {
        carryOut: async (claim) => {
          if (claim === null) throw new Error('refused');
          return { outcome: 'same', subjectId: 'x' };
        },
      },
      callers,
    );
    await callers.findRecent('good');
    await changes.carryOut({} as never, null as never);
    await callers.findRecent('good');
    await expect(changes.carryOut(null, null as never)).rejects.toThrow('refused');
    await callers.findRecent('good');
    expect(state.looks).toBe(3);
  });

  test('is not used for a change', async () => {
    await using gateway = await testGateway();
    const { key, apiKey } = await gateway.records.apiKeys.create(gateway.account.id, 'Gone soon');
    expect((await graphql(gateway, '{ credits { periodEnd } }', { key })).errors).toBeUndefined();
    // By another process, of which this one hears nothing.
    await gateway.records.apiKeys.remove(gateway.account.id, apiKey.id);
    const changed = await graphql(gateway, 'mutation { updateFileRetention(days: 3) { uploadRetentionDays } }', {
      key,
    });
    expect([refusal(changed), changed.data]).toEqual([['UNAUTHENTICATED', undefined], undefined]);
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"name":"x"}', key };
    expect((await gateway.fetch('/v1/api-keys', init)).status).toBe(401);
    expect((await gateway.records.accounts.get(gateway.account.id))!.retentionDays).toBe(30);
  });
});
