import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { startWholeCluster } from '../cluster/cluster.ts';
import { createApi } from '../e2e/api.ts';
import { photo } from '../e2e/files.ts';
import { startInstance } from '../e2e/instance.ts';
import type { CalmStep } from './neighbours/calm.ts';
import { startProgram } from './neighbours/program.ts';
import { faults, table } from './neighbours/table.ts';

/** Seconds of the calm account alone, and beside its neighbours. */
const QUIET_S = Number(process.env['DRILL_QUIET_SECONDS'] ?? 60);
const BESIDE_S = Number(process.env['DRILL_SECONDS'] ?? 300);
/** Milliseconds for an instance to be well after its neighbours have gone. */
const WELL_AFTER_MS = 60_000;
const OPERATOR_KEY = 'the-operator-of-this-drill';
const SETTINGS = { BURNISH_ALLOWED_PRIVATE_HOSTS: '127.0.0.1', BURNISH_OPERATOR_KEY: OPERATOR_KEY };

async function createAccount(url: string, name: string): Promise<string> {
  const { status, body } = await createApi(url, OPERATOR_KEY).call<{ apiKey: string }>(
    'POST',
    '/v1/operator/accounts',
    { body: { name, plan: 'FREE', creditsPerPeriod: 1_000_000 } },
  );
  expect(status).toBe(201);
  return body.apiKey;
}

/** The calm account alone, and beside a hostile account and a stranger; then the instance must be well. */
async function liveBeside(name: string, urls: readonly string[]): Promise<void> {
  const calmKey = await createAccount(urls[0]!, 'Calm');
  const hostileKey = await createAccount(urls[0]!, 'Hostile');
  const calm = async (seconds: number): Promise<CalmStep[]> => {
    await using program = await startProgram('calm', { urls, apiKey: calmKey });
    await pause(seconds * 1_000);
    return (await program.end()) as CalmStep[];
  };
  // The first photographs start decoders and load code.
  await calm(5);
  const quiet = await calm(QUIET_S);
  expect(quiet.filter(({ status }) => status < 200 || status >= 300)).toEqual([]);
  const neighbours = await Promise.all([
    startProgram('hostile', { urls, apiKey: hostileKey }),
    startProgram('stranger', { urls }),
  ]);
  try {
    const beside = await calm(BESIDE_S);
    const did = await Promise.all(neighbours.map((each) => each.end()));
    console.log(`${name}\n${table(quiet, beside)}\n${JSON.stringify(did, null, 1)}`);
    expect(faults(quiet, beside)).toEqual([]);
  } finally {
    for (const each of neighbours) await each[Symbol.asyncDispose]();
  }
  const api = createApi(urls[0]!, calmKey);
  const giveUpAt = performance.now() + WELL_AFTER_MS;
  const { status, body } = await api.upload(await photo(9), { enhancements: [{}] });
  expect(status).toBe(202);
  expect((await api.settled(body.id)).enhancements[0]).toMatchObject({ status: 'FINISHED' });
  expect(performance.now()).toBeLessThan(giveUpAt);
  for (const url of urls) expect((await fetch(`${url}/readyz`)).status).toBe(200);
}

test('a calm account on the embedded stack is neither refused nor late beside a hostile account and a stranger', async () => {
  await using instance = await startInstance({ env: SETTINGS });
  await liveBeside('embedded stack', [instance.url]);
  expect(instance.running()).toBe(true);
  expect(instance.output()).not.toMatch(/started again in place/);
  expect(await instance.stop()).toBe(0);
}, 1_200_000);

test('a calm account on PostgreSQL and two gateways is neither refused nor late beside them', async () => {
  const { cluster, gateways } = await startWholeCluster({ env: SETTINGS });
  try {
    await liveBeside(
      'PostgreSQL, two gateways',
      gateways.map(({ url }) => url),
    );
    for (const gateway of gateways) expect(await gateway.stop()).toBe(0);
  } finally {
    await cluster[Symbol.asyncDispose]();
  }
}, 1_200_000);
