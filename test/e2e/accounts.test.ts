import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createApi } from './api.ts';
import { photo } from './files.ts';
import { cleanEnvironment, runCommand } from './instance.ts';
import { sharedInstance, type SharedInstance } from './shared-instance.ts';
import { poll } from '../support/poll.ts';

const SEVERAL_COMMANDS = 180_000;
const WORK = { timeout: 60_000 };

let instance: SharedInstance;
beforeAll(async () => {
  instance = await sharedInstance();
});
afterAll(async () => await instance?.[Symbol.asyncDispose]());

// The output is what the test says it is: a wrong guess fails the test.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
async function burnish(...args: string[]): Promise<any> {
  const command = runCommand([...args, '--json'], await cleanEnvironment({ BURNISH_DATA_DIR: instance.dataDir }));
  expect([await command.ended, command.stderr()]).toEqual([0, '']);
  return JSON.parse(command.stdout()) as unknown;
}

test(
  'a test key of the default account is made at the terminal, and its test account is listed',
  async () => {
    const made = await burnish('keys', 'create', 'CI', '--test');
    expect(made).toMatchObject({ name: 'CI', test: true, key: expect.stringMatching(/^bk_test_/) });
    expect((await createApi(instance.url, made.key as string).get('/v1/credits')).status).toBe(200);
    const keys = (await burnish('keys', 'list')) as { id: string; test: boolean }[];
    expect(keys.find(({ id }) => id === made.id)).toMatchObject({ test: true });
    const accounts = (await burnish('accounts', 'list')) as { id: string; testOf: string | null }[];
    const own = accounts.filter(({ testOf }) => testOf !== null);
    expect(accounts.map(({ id }) => id)).toEqual(expect.arrayContaining(own.map(({ testOf }) => testOf)));
    expect(own).not.toEqual([]);
  },
  SEVERAL_COMMANDS,
);

test(
  'two accounts on different plans work in parallel, and one is suspended, resumed and deleted at the terminal',
  async () => {
    const { account, apiKey } = await burnish('accounts', 'create', 'Second', '--plan', 'BUSINESS', '--jobs', '50');
    expect(account).toMatchObject({ name: 'Second', plan: 'BUSINESS', effective: { jobsAtOnce: 50 } });
    const second = createApi(instance.url, apiKey as string);
    const sent = await Promise.all(
      [instance.api, second].map(async (api, index) => {
        const { body } = await api.upload(await photo(index + 1), { enhancements: [{}] });
        return { api, id: body.id };
      }),
    );
    for (const { api, id } of sent) {
      const status = async () => {
        const { body } = await api.get(`/v1/uploads/${id}`);
        return (body as { enhancements: { status: string }[] }).enhancements[0]!.status;
      };
      await poll(status, WORK).toBe('FINISHED');
    }
    expect((await second.get(`/v1/uploads/${sent[0]!.id}`)).status).toBe(404);
    expect((await instance.api.get(`/v1/uploads/${sent[1]!.id}`)).status).toBe(404);

    expect(await burnish('accounts', 'credits', 'Second', '5', '--reference', 'inv-1')).toMatchObject({ added: true });
    expect((await burnish('accounts', 'suspend', 'Second')).status).toBe('SUSPENDED');
    await poll(async () => (await second.get('/v1/credits')).status).toBe(403);
    expect((await instance.api.get('/v1/credits')).status).toBe(200);
    const usage = await burnish('usage', 'Second');
    expect(usage).toMatchObject([{ accountId: account.id, kind: 'image', finished: 1, failed: 0 }]);
    expect((await burnish('accounts', 'resume', 'Second')).status).toBe('ACTIVE');
    expect((await burnish('accounts', 'plan', 'Second', 'FREE')).plan).toBe('FREE');

    expect((await burnish('accounts', 'delete', 'Second', '--yes')).status).toBe('DELETED');
    const receipt = async () => (await burnish('accounts', 'show', account.id as string)).deletion;
    await poll(async () => (await receipt()).finishedAt, WORK).not.toBeNull();
    const { uploads, results, bytes } = await receipt();
    expect([uploads, results, bytes > 10_000]).toEqual([1, 1, true]);
    expect((await instance.api.get(`/v1/uploads/${sent[0]!.id}`)).status).toBe(200);
    const listed = (await burnish('accounts', 'list')).filter(({ name }: { name: string }) =>
      ['Second', 'Default'].includes(name),
    );
    expect(listed).toMatchObject([
      { name: 'Second', status: 'DELETED' },
      { name: 'Default', status: 'ACTIVE' },
    ]);
  },
  SEVERAL_COMMANDS,
);

test(
  'a plan that is changed at the terminal applies to the API without a restart',
  async () => {
    expect(await burnish('plans', 'set', 'FREE', '--requests-per-minute', '5999')).toMatchObject({
      id: 'FREE',
      maxResolution: 300,
      requestsPerMinute: 5999,
    });
    const limit = async () => {
      const response = await fetch(`${instance.url}/v1/credits`, { headers: { 'x-api-key': instance.apiKey } });
      return response.headers.get('ratelimit-policy');
    };
    await poll(limit).toMatch(/^"account"; q=5999; w=60;/);
  },
  SEVERAL_COMMANDS,
);
