import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  createOperatorCommands,
  type OperatorCommands,
  type OperatorDeps,
} from '../../../src/api/operator/operator-commands.ts';
import { OPERATOR_KEY, useGateway } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';
import { poll } from '../../support/poll.ts';

const gateway = useGateway();
let deps: OperatorDeps;
let operator: OperatorCommands;

beforeAll(async () => {
  const { accounts: known, apiKeys, ledger, enhancements, signInLinks, signingKeys, audit } = gateway.records;
  const accounts = { ...known, initial: () => Promise.resolve(gateway.account) };
  const publicUrl = 'http://burnish.test';
  const { client } = gateway.temporal;
  const parts = { accounts, apiKeys, ledger, enhancements, signInLinks, signingKeys, audit };
  deps = { ...parts, publicUrl, operatorKey: OPERATOR_KEY, client, now: Date.now };
  operator = createOperatorCommands(deps);
});
beforeEach(() => {
  gateway.temporal.signals.length = 0;
});

const topUps = async (): Promise<number[]> => {
  const { items } = await gateway.records.ledger.lines(gateway.account.id, { limit: 100 });
  return items.filter(({ kind }) => kind === 'top_up').map(({ change }) => change);
};

describe('a top-up', () => {
  test('counts once for its reference, also with parallel and repeated requests', async () => {
    const order = { credits: 50, reference: 'inv-1' };
    const all = await Promise.all(Array.from({ length: 20 }, () => operator.topUp(order)));
    expect(all.filter(({ added }) => added)).toHaveLength(1);
    expect(await operator.topUp(order)).toMatchObject({ added: false, balance: { granted: 150, remaining: 150 } });
    expect(await topUps()).toEqual([50]);
  });

  test('is refused if its reference was used for another number of credits', async () => {
    await operator.topUp({ credits: 5, reference: 'inv-2' });
    const other = operator.topUp({ credits: 6, reference: 'inv-2' });
    await expect(other).rejects.toThrow('The reference inv-2 has already been used, for 5 credits.');
    expect(await topUps()).toEqual([5, 50]);
  });

  test('wakes enhancements that wait for credits, also if repeated after a crash', async () => {
    const upload = await storedUpload(gateway);
    const waiting = await storedEnhancement(gateway, upload, { status: 'AWAITING_CREDITS' });
    await storedEnhancement(gateway, upload, { status: 'PROCESSING' });
    const foreign = await storedUpload(gateway, { accountId: `acc_${'0'.repeat(26)}` });
    await storedEnhancement(gateway, foreign, { status: 'AWAITING_CREDITS' });
    for (let i = 0; i < 2; i += 1) await operator.topUp({ credits: 1, reference: 'inv-3' });
    const signal = `creditsChanged upload/${waiting.uploadId}`;
    expect(gateway.temporal.signals).toEqual([signal, signal]);
  });

  test('works without the workflow service', async () => {
    const alone = createOperatorCommands({ ...deps, client: undefined });
    expect((await alone.topUp({ credits: 2, reference: 'inv-4' })).added).toBe(true);
  });

  test('has a reference of up to 200 characters', async () => {
    const longest = { credits: 1, reference: 'x'.repeat(200) };
    for (const order of [{ ...longest, reference: 'y' }, longest])
      expect((await operator.topUp(order)).added).toBe(true);
  });

  test('is limited to the maximum of a period', async () => {
    await operator.topUp({ credits: 1_000_000_000, reference: 'huge-1' });
    await expect(operator.topUp({ credits: 1_000_000_000, reference: 'huge-2' })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
    });
  });

  test.each([
    [0, 'x', 'credits'],
    [-1, 'x', 'credits'],
    [1.5, 'x', 'credits'],
    [NaN, 'x', 'credits'],
    [1_000_000_001, 'x', 'credits'],
    [1, '', 'reference'],
    [1, 'a\0', 'reference'],
    [1, 'x'.repeat(201), 'reference'],
  ])('of %d credits with the reference %j is refused', async (credits, reference, field) => {
    const before = await topUps();
    await expect(operator.topUp({ credits, reference })).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field });
    expect(await topUps()).toEqual(before);
  });
});

test('the operator creates, lists and deletes keys', async () => {
  const { apiKey, key } = await operator.createApiKey(' CI ');
  expect(apiKey.name).toBe('CI');
  expect((await gateway.fetch('/v1/credits', { key })).status).toBe(200);
  expect((await operator.listApiKeys()).map(({ id }) => id)).toContain(apiKey.id);
  await operator.deleteApiKey(apiKey.id);
  // Reads take a key to be good for a moment longer, here as in another process.
  await poll(async () => (await gateway.fetch('/v1/credits', { key })).status).toBe(401);
  for (const id of [apiKey.id, 'key_1', 'a\0']) {
    await expect(operator.deleteApiKey(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
  const weak = await operator.createApiKey('Weak', { scopes: ['read'], expiresAt: '2999-01-31' });
  expect(weak.apiKey).toMatchObject({ scopes: ['read'], expiresAt: '2999-01-31T00:00:00.000Z' });
  expect((await gateway.fetch('/v1/api-keys', { key: weak.key })).status).toBe(403);
  await expect(operator.createApiKey('Late', { expiresAt: '2020-01-31' })).rejects.toMatchObject({
    field: 'expiresAt',
  });
  await expect(operator.createApiKey('  ')).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
});

test('commands of the operator explain the next step on an instance without an account', async () => {
  const empty = createOperatorCommands({
    ...deps,
    accounts: { ...deps.accounts, initial: () => Promise.resolve(undefined) },
  });
  await expect(empty.credits()).rejects.toThrow('The instance has no account. Start it, or create an account.');
});
