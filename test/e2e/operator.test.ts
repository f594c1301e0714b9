import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Connection } from '@temporalio/client';
import type { UploadRecord } from './api.ts';
import { photo } from './files.ts';
import { cleanEnvironment, type Command, type Instance, runCommand, startInstance } from './instance.ts';
import { killAtOnce, processTree } from './processes.ts';
import { poll } from '../support/poll.ts';
import { repositoryRoot } from '../support/repository.ts';

const SEVERAL_COMMANDS = 120_000;
const OPERATOR_KEY = 'the-operator-of-this-test';

let instance: Instance;
beforeAll(async () => {
  instance = await startInstance({ env: { BURNISH_CREDITS_PER_PERIOD: '2', BURNISH_OPERATOR_KEY: OPERATOR_KEY } });
});
afterAll(async () => await instance?.[Symbol.asyncDispose]());

const burnish = async (...args: string[]): Promise<Command> =>
  runCommand(args, await cleanEnvironment({ BURNISH_DATA_DIR: instance.dataDir }));
const lines = async (...args: string[]): Promise<string[]> => {
  const command = await burnish(...args);
  expect([await command.ended, command.stderr()]).toEqual([0, '']);
  return command.stdout().trimEnd().split('\n');
};

test('the queue over HTTP has the waiting work of each account, and each worker with its process and version', async () => {
  const { body } = await instance.api.upload(await photo(8), {
    enhancements: Array.from({ length: 2 }, () => ({ upscalingFactor: 'X4' })),
  });
  await poll(() => statusOf(body.id), { timeout: 30_000 }).toBe('AWAITING_CREDITS');
  const readQueue = async () => {
    const queue = await fetch(`${instance.url}/v1/operator/queue`, { headers: { 'x-api-key': OPERATOR_KEY } });
    expect(queue.status).toBe(200);
    return (await queue.json()) as Record<string, Record<string, string>[]>;
  };
  // The first poll of a worker may come after the start.
  await poll(async () => (await readQueue())['workers'], { timeout: 30_000 }).toEqual({ main: true, engine: true });
  const { items, processes } = await readQueue();
  expect(items).toEqual([
    { accountId: expect.stringMatching(/^acc_/), accountName: 'Default', counts: { AWAITING_CREDITS: 2 } },
  ]);
  const version = await builtVersion();
  expect(new Set(processes!.map(({ taskQueue }) => taskQueue))).toEqual(
    new Set([
      'burnish-main',
      'burnish-notifications',
      'burnish-transfers',
      'burnish-inspection',
      'burnish-inspection-large',
      'burnish-engine',
      'burnish-engine-large',
    ]),
  );
  for (const each of processes!) {
    expect(each).toEqual({
      taskQueue: expect.any(String),
      process: expect.stringMatching(/^\d+@\S+$/),
      version,
      polledAt: expect.stringMatching(/Z$/),
    });
    expect(Math.abs(Date.now() - Date.parse(each['polledAt']!))).toBeLessThan(120_000);
  }
  expect((await fetch(`${instance.url}/v1/operator/queue`, { headers: { 'x-api-key': instance.apiKey } })).status).toBe(
    401,
  );
  await instance.api.call('DELETE', `/v1/uploads/${body.id}`);
});

test(
  'a top-up reaches a running instance, counts once despite kills and repetitions, and resumes waiting work',
  async () => {
    const { body } = await instance.api.upload(await photo(7), { enhancements: [{ upscalingFactor: 'X2' }] });
    await poll(() => statusOf(body.id), { timeout: 30_000 }).toBe('AWAITING_CREDITS');

    const topUp = ['credits', 'top-up', '10', '--reference', 'inv-1'];
    for (const afterMs of [50, 200, 350, 500]) {
      const command = await burnish(...topUp);
      await pause(afterMs);
      await killAtOnce(processTree(command.pid));
      await command.ended;
    }
    await Promise.all(Array.from({ length: 3 }, () => lines(...topUp)));

    await poll(() => statusOf(body.id), { timeout: 30_000 }).toBe('FINISHED');
    expect(await lines('credits')).toEqual(expect.arrayContaining(['Granted    12', 'Used       4', 'Remaining  8']));
    const wrong = await burnish('credits', 'top-up', '11', '--reference', 'inv-1');
    expect(await wrong.ended).not.toBe(0);
    expect(wrong.stderr()).toContain('The reference inv-1 has already been used, for 10 credits.');
  },
  SEVERAL_COMMANDS,
);

test(
  'keys created at the terminal are valid until they are deleted there',
  async () => {
    const [key] = await lines('keys', 'create', 'From the terminal');
    const status = async (): Promise<number> =>
      (await fetch(`${instance.url}/v1/credits`, { headers: { 'x-api-key': key! } })).status;
    expect(await status()).toBe(200);
    const listed = (await lines('keys', 'list')).find((line) => line.endsWith('From the terminal'));
    const [id] = listed!.split(' ');
    expect(await lines('keys', 'delete', id!)).toEqual([`Deleted ${id}.`]);
    await poll(status).toBe(401);
  },
  SEVERAL_COMMANDS,
);

test(
  'a worker of another version is marked over HTTP and at the terminal, where open uploads are counted',
  async () => {
    const version = await builtVersion();
    const { body } = await instance.api.upload(await photo(9), { enhancements: [{}] });
    await instance.api.settled(body.id);
    const { items } = (await instance.api.get<{ items: UploadRecord[] }>('/v1/uploads?limit=100')).body;
    const open = items.filter(({ status }) => status !== 'UPLOAD_DELETED').length;
    const connection = await Connection.connect({ address: instance.temporalAddress });
    const poller = { namespace: 'default', taskQueue: { name: 'burnish-engine' }, identity: 'burnish/0.9.0+abc 7@far' };
    const enough = new AbortController();
    const pollOnce = () => connection.workflowService.pollActivityTaskQueue(poller);
    // The server refuses a poll without a deadline.
    const polling = connection
      .withAbortSignal(enough.signal, () => connection.withDeadline(Date.now() + 60_000, pollOnce))
      .catch(() => undefined);
    const readQueue = async (): Promise<unknown> => {
      const answer = await fetch(`${instance.url}/v1/operator/queue`, { headers: { 'x-api-key': OPERATOR_KEY } });
      return answer.json();
    };
    await poll(readQueue).toMatchObject({
      version,
      processes: expect.arrayContaining([expect.objectContaining({ process: '7@far', version: '0.9.0+abc' })]),
      uploads: [
        { version: '0.9.0+abc', open: 0 },
        { version, open },
      ],
      uploadsOfEarlierVersions: 0,
    });
    expect(await lines('workers')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^7@far {2}burnish-engine {2}0\.9\.0\+abc {2}seen \d+ seconds? ago {2}OTHER VERSION$/),
        expect.stringMatching(new RegExp(`^${open} open uploads? ran on \\S+\\.$`)),
        '0 open uploads ran on 0.9.0+abc.',
        `1 worker of another version than ${version}. Replace them to end the upgrade.`,
      ]),
    );
    enough.abort();
    await polling;
    await connection.close();
    const [enhancement] = (await instance.api.settled(body.id)).enhancements;
    expect(enhancement!.engine).toMatchObject({ build: version });
  },
  SEVERAL_COMMANDS,
);

test(
  'without a running instance, the commands use the data folder directly',
  async () => {
    expect(await instance.stop()).toBe(0);
    expect((await lines('credits', 'top-up', '5', '--reference', 'inv-2'))[0]).toBe('Added 5 credits.');
    expect(await lines('credits')).toContain('Granted    17');
  },
  SEVERAL_COMMANDS,
);

/** The version of the package with the commit of the build. */
async function builtVersion(): Promise<string> {
  const read = (path: string) => readFile(join(repositoryRoot, path), 'utf8');
  const { version } = JSON.parse(await read('package.json')) as { version: string };
  const commit = await read('dist/build-commit');
  expect(commit).toMatch(/^[0-9a-f]{12}$/);
  return `${version}+${commit}`;
}

async function statusOf(uploadId: string): Promise<string | undefined> {
  const response = await fetch(`${instance.url}/v1/uploads/${uploadId}`, { headers: { 'x-api-key': instance.apiKey } });
  const { enhancements } = (await response.json()) as { enhancements: { status: string }[] };
  return enhancements[0]?.status;
}
