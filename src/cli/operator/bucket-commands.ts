import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { BucketCredentials, BucketRepresentation } from '@burnish/contract';
import { UsageError } from '../command-error.ts';
import { findAccountId } from './account-commands.ts';
import { answer, type Run } from './answer.ts';

interface BucketOptions {
  account: string;
  url: string;
  endpoint?: string;
  region: string;
}

export interface CredentialSources {
  env: NodeJS.ProcessEnv;
  stdin: AsyncIterable<Uint8Array> & { isTTY?: boolean | undefined };
}

/** Adds `burnish buckets`. */
export function addBucketCommands(program: Command, run: Run, sources: CredentialSources = process): void {
  const buckets = program.command('buckets').description('S3 buckets that orders of an account may read and write');
  const account = ['--account <account>', 'id or name of the account'] as const;

  answer(
    buckets
      .command('create')
      .description(
        'register a bucket if a probe object can be written; its keys come from BUCKET_ACCESS_KEY_ID and BUCKET_SECRET_ACCESS_KEY, or from two lines of stdin',
      )
      .argument('<name>', 'name of the bucket in orders, such as results')
      .requiredOption(...account)
      .requiredOption('--url <url>', 'bucket and prefix, such as s3://print-shop/burnish')
      .option('--endpoint <url>', 'address of the S3 service; default: AWS in the region')
      .option('--region <region>', 'region of the bucket', 'us-east-1'),
    run,
    async (commands, name: string, { account: owner, ...place }: BucketOptions) => {
      const accountId = await findAccountId(commands, owner);
      const made = await commands.createBucket(accountId, { name, ...place, ...(await readCredentials(sources)) });
      return { json: made, lines: [`Registered ${bucketLine(made)}`] };
    },
  );

  answer(
    buckets
      .command('list')
      .description('list the buckets of an account, without their keys')
      .requiredOption(...account),
    run,
    async (commands, { account: owner }: { account: string }) => {
      const all = await commands.listBuckets(await findAccountId(commands, owner));
      return { json: all, lines: all.map(bucketLine) };
    },
  );

  answer(
    buckets
      .command('delete')
      .description('remove a bucket with its keys; its objects remain')
      .argument('<name>', 'name of the bucket in orders')
      .requiredOption(...account),
    run,
    async (commands, name: string, { account: owner }: { account: string }) => {
      await commands.deleteBucket(await findAccountId(commands, owner), name);
      return { json: { name }, lines: [`Deleted ${name}.`] };
    },
  );
}

const bucketLine = ({ name, url, endpoint, region }: BucketRepresentation): string =>
  `${name}  ${url}  ${endpoint}  ${region}`;

/** A command line appears in lists of processes and in histories of shells. @throws UsageError */
async function readCredentials({ env, stdin }: CredentialSources): Promise<BucketCredentials> {
  const { BUCKET_ACCESS_KEY_ID: accessKeyId, BUCKET_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey };
  const lines = stdin.isTTY ? [] : (await text(stdin)).split(/\r?\n/).filter(Boolean);
  const [first, second] = lines;
  if (first === undefined || second === undefined || lines.length > 2) {
    throw new UsageError(
      'The keys of the bucket are missing. Set BUCKET_ACCESS_KEY_ID and BUCKET_SECRET_ACCESS_KEY, or send both as two lines to stdin.',
    );
  }
  return { accessKeyId: first, secretAccessKey: second };
}
