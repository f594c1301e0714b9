import { Readable } from 'node:stream';
import { Command } from 'commander';
import { expect, test } from '@jest/globals';
import type { AllOperatorCommands } from '../../src/api/operator/all-operator-commands.ts';
import { addBucketCommands, type CredentialSources } from '../../src/cli/operator/bucket-commands.ts';

const ORDER = ['create', 'results', '--account', 'acc_1', '--url', 's3://bucket/prefix', '--region', 'eu-central-1'];

async function run(args: string[], sources: Partial<CredentialSources> = {}) {
  const calls: unknown[][] = [];
  const lines: string[] = [];
  const made = { name: 'results', url: 's3://bucket/prefix', endpoint: 'https://s3.test', region: 'r', createdAt: '' };
  const commands = {
    createBucket: async (...given: unknown[]) => (calls.push(given), made),
    listBuckets: async () => [made],
    deleteBucket: async (...given: unknown[]) => void calls.push(given),
  } as unknown as AllOperatorCommands;
  const program = new Command().exitOverride();
  addBucketCommands(program, async (work) => void lines.push(...(await work(commands))), {
    env: {},
    stdin: Readable.from([]),
    ...sources,
  });
  await program.parseAsync(['buckets', ...args], { from: 'user' });
  return { calls, lines };
}

test('the keys of a bucket come from the environment', async () => {
  const env = { BUCKET_ACCESS_KEY_ID: 'key', BUCKET_SECRET_ACCESS_KEY: 'secret' };
  const { calls, lines } = await run(ORDER, { env });
  const place = { name: 'results', url: 's3://bucket/prefix', region: 'eu-central-1' };
  expect(calls).toEqual([['acc_1', { ...place, accessKeyId: 'key', secretAccessKey: 'secret' }]]);
  expect(lines).toEqual(['Registered results  s3://bucket/prefix  https://s3.test  r']);
});

test('the keys of a bucket come from stdin as two lines', async () => {
  const { calls } = await run(ORDER, { stdin: Readable.from([Buffer.from('key\nsecret\n')]) });
  expect(calls[0]![1]).toMatchObject({ accessKeyId: 'key', secretAccessKey: 'secret' });
});

test('a bucket without keys is refused with both ways to give them', async () => {
  const message = 'Set BUCKET_ACCESS_KEY_ID and BUCKET_SECRET_ACCESS_KEY, or send both as two lines to stdin.';
  await expect(run(ORDER)).rejects.toThrow(message);
  const stdin = Object.assign(Readable.from([]), { isTTY: true });
  await expect(run(ORDER, { stdin })).rejects.toThrow(message);
});

test('buckets are listed and deleted by their account', async () => {
  expect((await run(['list', '--account', 'acc_1'])).lines).toEqual([
    'results  s3://bucket/prefix  https://s3.test  r',
  ]);
  const { calls, lines } = await run(['delete', 'results', '--account', 'acc_1']);
  expect([calls, lines]).toEqual([[['acc_1', 'results']], ['Deleted results.']]);
});
