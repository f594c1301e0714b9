import { mkdir, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AuditEntry } from '@burnish/contract';
import { allOperatorCommands, type AllOperatorCommands } from '../../src/api/operator/all-operator-commands.ts';
import { createAccountChanges } from '../../src/database/accounts/account-changes.ts';
import { createAccountDeletion } from '../../src/database/accounts/account-deletion.ts';
import { createBuckets } from '../../src/database/accounts/buckets.ts';
import { createSafeFetch } from '../../src/net/safe-fetch.ts';
import { accountBucketOpener } from '../../src/runtime/open-account-buckets.ts';
import { createNexusEndpoints } from '../../src/database/accounts/nexus-endpoints.ts';
import { createPlans } from '../../src/database/accounts/plans.ts';
import { createAccountStorage } from '../../src/database/accounts/account-storage.ts';
import { createUsage } from '../../src/database/accounts/usage.ts';
import { callOperator } from '../../src/cli/operator/call.ts';
import { addOperatorCommands } from '../../src/cli/operator/commands.ts';
import { serveOperator } from '../../src/runtime/operator-server.ts';
import { operatorSocketPath } from '../../src/runtime/operator-socket.ts';
import { createAccounts } from '../../src/database/accounts/accounts.ts';
import { ensureInitialAccount } from '../../src/database/accounts/initial-account.ts';
import { createApiKeys } from '../../src/database/accounts/api-keys.ts';
import { createAuditLog } from '../../src/database/accounts/audit-log.ts';
import { createCreditLedger } from '../../src/database/credits/credit-ledger.ts';
import type { Database } from '../../src/database/database.ts';
import { createStoredFiles } from '../../src/database/uploads/stored-files.ts';
import { createEnhancements } from '../../src/database/uploads/enhancements.ts';
import { createSignInLinks } from '../../src/database/accounts/sign-in-links.ts';
import { openTestDatabase } from '../support/test-database.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { createSigningKeys } from '../../src/database/instance-secrets.ts';
import { testVault } from '../support/test-vault.ts';

const quiet = { warn: () => undefined, error: () => undefined };

let folder: TemporaryFolder;
let database: Database;
let commands: AllOperatorCommands;
/** Credits granted in this period before the test */
let granted: number;

beforeAll(async () => {
  folder = await temporaryFolder();
  database = await openTestDatabase();
  const accounts = createAccounts(database, testVault);
  await ensureInitialAccount(database, testVault, {
    plan: 'FREE',
    creditsPerPeriod: 10,
    apiKey: 'the-first-key-of-the-account',
  });
  commands = allOperatorCommands({
    accounts,
    accountChanges: createAccountChanges(database, testVault),
    plans: createPlans(database),
    deletion: createAccountDeletion(database),
    usage: createUsage(database),
    accountStorage: createAccountStorage(database),
    operatorKey: 'the-operators-key-for-tests',
    apiKeys: createApiKeys(database),
    ledger: createCreditLedger(database),
    enhancements: createEnhancements(database),
    signInLinks: createSignInLinks(database),
    audit: createAuditLog(database),
    signingKeys: createSigningKeys(database, testVault),
    publicUrl: 'http://burnish.test',
    nexusEndpoints: createNexusEndpoints(database),
    buckets: createBuckets(database, testVault),
    openBucket: accountBucketOpener(createSafeFetch({ allowedPrivateHosts: [] })),
    storedFiles: createStoredFiles(database),
    openStore: () => Promise.reject(new Error('No storage.')),
    client: undefined,
    temporal: undefined,
    fleet: undefined,
    now: Date.now,
  });
});
beforeEach(async () => {
  granted = (await commands.credits()).granted;
});
afterAll(async () => {
  await database.close();
  await folder[Symbol.asyncDispose]();
});

describe('the operator socket', () => {
  test('serves every command to another process with the data of the instance', async () => {
    const listener = await serveOperator(folder.path, commands, quiet);
    const remote = (await callOperator(folder.path))!;
    const order = { credits: 5, reference: 'inv-1' };
    expect(await remote.topUp(order)).toEqual({
      added: true,
      balance: expect.objectContaining({ granted: granted + 5 }),
    });
    expect(await remote.topUp(order)).toMatchObject({ added: false });
    expect(await remote.credits()).toEqual(await commands.credits());
    const { apiKey, key } = await remote.createApiKey('CI');
    expect(key).toMatch(/^bk_/);
    expect((await remote.listApiKeys()).map(({ name }) => name)).toEqual(['First key', 'CI']);
    const weak = await remote.createApiKey('Weak', { scopes: ['read'], expiresAt: '2999-01-31T00:00:00.000Z' });
    expect(weak.apiKey).toMatchObject({ scopes: ['read'], expiresAt: '2999-01-31T00:00:00.000Z' });
    expect(Date.parse((await remote.rotateSigningKey(false)).signsFrom)).toBeGreaterThan(Date.now());
    await remote.deleteApiKey(weak.apiKey.id);
    await remote.deleteApiKey(apiKey.id);
    await expect(remote.deleteApiKey(apiKey.id)).rejects.toThrow(
      `No key has the id ${apiKey.id}. List the keys to find it.`,
    );
    await listener.close();
    expect(await callOperator(folder.path)).toBeUndefined();
  });

  test('is accessible only to the owner of the folder', async () => {
    const listener = await serveOperator(folder.path, commands, quiet);
    const path = operatorSocketPath(folder.path)!;
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700);
    await listener.close();
  });

  test('replaces the socket of a killed process and keeps a live one', async () => {
    const path = operatorSocketPath(folder.path)!;
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, '');
    const first = await serveOperator(folder.path, commands, quiet);
    const second = await serveOperator(folder.path, commands, quiet);
    await second.close();
    expect(await callOperator(folder.path)).toBeDefined();
    await first.close();
  });

  test('is omitted with a log entry if the path of the data folder is too long', async () => {
    const warnings: string[] = [];
    const deep = join(folder.path, 'x'.repeat(100));
    const log = { ...quiet, warn: (_facts: object, message: string) => void warnings.push(message) };
    await (await serveOperator(deep, commands, log)).close();
    expect(warnings).toEqual([expect.stringContaining('too long for a socket')]);
    expect(await callOperator(deep)).toBeUndefined();
  });

  test.each([
    ['GET', '/credits', '[]'],
    ['POST', '/drop', '[]'],
    ['POST', '/__proto__', '[]'],
    ['POST', '/topUp', '[{"credits":"5"}]'],
    ['POST', '/topUp', '[]'],
    ['POST', '/topUp', '[{"credits":0,"reference":"x"}]'],
    ['POST', '/credits', ' '.repeat(20_000)],
    ['POST', '/credits', '{'],
  ])('refuses %s %s with %s', async (method, path, body) => {
    const listener = await serveOperator(folder.path, commands, quiet);
    const socketPath = operatorSocketPath(folder.path)!;
    const status = await new Promise((resolve, reject) => {
      const req = request({ socketPath, path, method }, (res) => resolve(res.resume().statusCode));
      req.on('error', reject).end(body);
    });
    expect(status).toBe(400);
    expect(await commands.credits()).toMatchObject({ granted });
    await listener.close();
  });
});

describe('the operator commands', () => {
  let listener: Awaited<ReturnType<typeof serveOperator>>;
  let remote: Awaited<ReturnType<typeof callOperator>>;
  // As beside a running instance, which accepts no other fields than it knows.
  beforeAll(async () => {
    listener = await serveOperator(folder.path, commands, quiet);
    remote = await callOperator(folder.path);
  });
  afterAll(() => listener.close());

  const run = async (...args: string[]): Promise<string[]> => {
    const lines: string[] = [];
    const program = new Command('burnish').exitOverride().configureOutput({ writeErr: () => undefined });
    const print = (printed: string[]): void => void lines.push(...printed);
    addOperatorCommands(program, async (work) => print(await work(remote!)), print);
    for (const command of program.commands) for (const each of [command, ...command.commands]) each.exitOverride();
    await program.parseAsync(args, { from: 'user' });
    return lines;
  };

  test('report the effect of a top-up and the remaining credits', async () => {
    const topUp = (): Promise<string[]> => run('credits', 'top-up', '25', '--reference', 'inv-7');
    const [first, second] = [await topUp(), await topUp()];
    expect([first[0], first.at(-1)]).toEqual(['Added 25 credits.', `Remaining  ${granted + 25}`]);
    expect(second[0]).toBe('Nothing was added: inv-7 has already been used, for 25 credits.');
    expect(await run('credits')).toEqual(second.slice(1));
    const [json, ...more] = await run('credits', 'ledger', '--json');
    expect(more).toEqual([]);
    expect(JSON.parse(json!)[0]).toMatchObject({ kind: 'top_up', reference: 'inv-7', change: 25 });
  });

  test('create, list and delete keys', async () => {
    const [key] = await run('keys', 'create', 'CI');
    expect(key).toMatch(/^bk_\w{43}$/);
    const listed = await run('keys', 'list');
    const line = listed.find((each) => each.endsWith('CI'))!;
    expect(line).toContain(key!.slice(0, 8));
    expect(listed.join('\n')).not.toContain(key!);
    const [id] = line.split(' ');
    expect(await run('keys', 'delete', id!)).toEqual([`Deleted ${id}.`]);
    expect(await run('keys', 'list')).toHaveLength(listed.length - 1);
  });

  test('create a key with fewer scopes and an expiry', async () => {
    await run('keys', 'create', 'Reader', '--scope', 'read,uploads', '--scope', 'webhooks', '--expires', '90d');
    await run('keys', 'create', 'Until then', '--expires', '2999-01-31');
    const keys = await commands.listApiKeys();
    const reader = keys.find(({ name }) => name === 'Reader')!;
    expect(reader.scopes).toEqual(['read', 'uploads', 'webhooks']);
    const days = (Date.parse(reader.expiresAt!) - Date.parse(reader.createdAt)) / 86_400_000;
    expect(Math.round(days)).toBe(90);
    expect(keys.find(({ name }) => name === 'Until then')).toMatchObject({
      scopes: ['read', 'uploads', 'destinations', 'webhooks', 'keys', 'admin'],
      expiresAt: '2999-01-31T00:00:00.000Z',
    });
    expect((await run('keys', 'list')).find((line) => line.endsWith('Reader'))).toContain('may read,uploads,webhooks');
  });

  test('print keys, links and credits as one JSON line each', async () => {
    const json = async (...args: string[]): Promise<Record<string, unknown>> => {
      const lines = await run(...args, '--json');
      expect(lines).toHaveLength(1);
      return JSON.parse(lines[0]!) as Record<string, unknown>;
    };
    const { period, ...amounts } = await commands.credits();
    expect(await json('credits')).toEqual({ ...amounts, periodStart: period.start, periodEnd: period.end });
    const topUp = await json('credits', 'top-up', '3', '--reference', 'inv-json');
    expect(topUp).toMatchObject({ added: true, granted: granted + 3 });

    const made = await json('keys', 'create', 'Machine', '--scope', 'read');
    expect(made).toMatchObject({ name: 'Machine', scopes: ['read'], expiresAt: null, lastUsedAt: null });
    expect(made['key']).toMatch(/^bk_\w{43}$/);
    const listed = (await json('keys', 'list')) as unknown as Record<string, unknown>[];
    const { key: _key, ...shown } = made;
    expect(listed).toContainEqual(shown);
    expect(await json('keys', 'delete', String(made['id']))).toEqual({ id: made['id'] });

    expect(await json('operator-key')).toEqual({ key: await commands.operatorKey() });
    const { url, expiresAt } = await json('dashboard');
    expect(url).toMatch(/\/sign-in#token=[\w-]{43}$/);
    expect(Date.parse(String(expiresAt))).toBeGreaterThan(Date.now());
    const { signsFrom } = await json('signing-key', 'rotate');
    expect(Date.parse(String(signsFrom))).toBeGreaterThan(Date.now());
  });

  test('print the whole audit log as JSON lines, newest first', async () => {
    for (let i = 0; i < 101; i += 1) await commands.signInLink();
    const entries = (await run('audit', 'export')).map((line) => JSON.parse(line) as AuditEntry);
    expect(entries.slice(0, 101).every(({ action }) => action === 'sign_in_link.create')).toBe(true);
    expect(entries.length).toBeGreaterThan(101);
    expect(entries.at(-1)).toMatchObject({ actor: 'operator', action: 'api_key.create' });
    expect(await run('audit', 'export', '--json')).toHaveLength(entries.length);
    expect(await run('audit', 'export', '--since', '2999-01-31')).toEqual([]);
    expect(await run('audit', 'export', '--until', '2999-01-31')).toHaveLength(entries.length);
  });

  test.each([
    [['keys', 'create', 'x', '--scope', 'root']],
    [['keys', 'create', 'x', '--expires', 'soon']],
    [['keys', 'create', 'x', '--expires', '2020-01-31']],
    [['audit', 'export', '--since', 'yesterday']],
    [['credits', 'top-up', '5']],
    [['credits', 'top-up', '0', '--reference', 'x']],
    [['credits', 'top-up', '-3', '--reference', 'x']],
    [['credits', 'top-up', '1.5', '--reference', 'x']],
    [['credits', 'top-up', 'many', '--reference', 'x']],
    [['keys', 'create']],
    [['keys', 'create', ' ']],
    [['keys', 'delete', 'key_1']],
  ])('refuse %j', async (args) => {
    await expect(run(...args)).rejects.toThrow();
    expect(await commands.credits()).toMatchObject({ granted });
  });
});
