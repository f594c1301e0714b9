import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { AllOperatorCommands } from '../../api/operator/all-operator-commands.ts';
import type { BucketCredentials } from '../../domain/accounts/bucket.ts';
import type { BucketRepresentation } from '../../domain/representations/answers.ts';
import { UsageError } from '../command-error.ts';
import { findAccountId } from './account-commands.ts';
import { asJson, JSON_OPTION, type JsonOutput } from './json-output.ts';

interface BucketOptions extends JsonOutput {
  account: string;
  url: string;
  endpoint?: string;
  region: string;
}

export interface CredentialSources {
  env: NodeJS.ProcessEnv;
  stdin: AsyncIterable<Uint8Array> & { isTTY?: boolean | undefined };
}

/** Adds `burnish buckets`. @param run connects, and prints the given lines */
export function addBucketCommands(
  program: Command,
  run: (work: (commands: AllOperatorCommands) => Promise<string[]>) => Promise<void>,
  sources: CredentialSources = process,
): void {
  const buckets = program.command('buckets').description('S3 buckets that orders of an account may read and write');
  const account = ['--account <account>', 'id or name of the account'] as const;

  buckets
    .command('create')
    .description(
      'register a bucket if a probe object can be written; its keys come from BUCKET_ACCESS_KEY_ID and BUCKET_SECRET_ACCESS_KEY, or from two lines of stdin',
    )
    .argument('<name>', 'name of the bucket in orders, such as results')
    .requiredOption(...account)
    .requiredOption('--url <url>', 'bucket and prefix, such as s3://print-shop/burnish')
    .option('--endpoint <url>', 'address of the S3 service; default: AWS in the region')
    .option('--region <region>', 'region of the bucket', 'us-east-1')
    .option(...JSON_OPTION)
    .action((name: string, { account, json, ...place }: BucketOptions) =>
      run(async (commands) => {
        const accountId = await findAccountId(commands, account);
        const made = await commands.createBucket(accountId, { name, ...place, ...(await readCredentials(sources)) });
        return json ? asJson(made) : [`Registered ${bucketLine(made)}`];
      }),
    );

  buckets
    .command('list')
    .description('list the buckets of an account, without their keys')
    .requiredOption(...account)
    .option(...JSON_OPTION)
    .action(({ account, json }: { account: string } & JsonOutput) =>
      run(async (commands) => {
        const all = await commands.listBuckets(await findAccountId(commands, account));
        return json ? asJson(all) : all.map(bucketLine);
      }),
    );

  buckets
    .command('delete')
    .description('remove a bucket with its keys; its objects remain')
    .argument('<name>', 'name of the bucket in orders')
    .requiredOption(...account)
    .option(...JSON_OPTION)
    .action((name: string, { account, json }: { account: string } & JsonOutput) =>
      run(async (commands) => {
        await commands.deleteBucket(await findAccountId(commands, account), name);
        return json ? asJson({ name }) : [`Deleted ${name}.`];
      }),
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
