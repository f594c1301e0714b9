import { z } from 'zod';
import { BUCKET_NAME, MAX_BUCKETS } from '../../domain/accounts/bucket.ts';
import { created, noContent, wholeList } from '../rest/answers.ts';
import { idPath } from '../rest/operation.ts';
import { httpUrl, plainText, timestamp } from '../schemas/fields.ts';
import type { BucketCommands } from './bucket-commands.ts';
import { operatorOperation } from './operator-operation.ts';

const name = z
  .string()
  .regex(BUCKET_NAME, 'expected small letters, digits and hyphens, with a letter first')
  .meta({ description: 'Name by which orders of the account refer to the bucket.', example: 'results' });
const url = plainText(300).meta({
  description: 'Bucket and prefix. Keys of orders lie below the prefix.',
  example: 's3://print-shop/burnish',
});
const region = z
  .string()
  .regex(/^[a-z0-9-]{1,60}$/, 'expected a region such as eu-central-1')
  .meta({ description: 'Region of the bucket, for signatures.', example: 'eu-central-1' });
const endpoint = httpUrl.meta({
  description:
    'Address of the S3 service. Default: AWS in the region. Private hosts need the permission of the instance.',
  example: 'https://s3.example.com',
});
const secret = (what: string) =>
  plainText(300).meta({ description: `${what} It is stored encrypted and never returned.` });

export const newBucketBody = z.strictObject({
  name,
  url,
  endpoint: endpoint.optional(),
  region,
  accessKeyId: secret('Access key of the bucket.'),
  secretAccessKey: secret('Secret of the access key.').meta({ format: 'password' }),
});

const bucketSchema = z
  .object({ name, url, endpoint, region, createdAt: timestamp })
  .meta({ id: 'Bucket', description: 'A registered bucket of an account.' });

const parameters = idPath('acc');
type Commands = { bucketCommands: BucketCommands };

/** `/v1/operator/accounts/{id}/buckets`: buckets that orders of the account may read and write. */
export const bucketOperations = [
  operatorOperation({
    operationId: 'createBucket',
    method: 'post',
    path: '/v1/operator/accounts/{id}/buckets',
    summary: 'Register a bucket for an account',
    description: `Writes, reads and deletes a probe object first. An account has at most ${MAX_BUCKETS} buckets.`,
    parameters,
    body: newBucketBody,
    example: {
      name: 'results',
      url: 's3://print-shop/burnish',
      region: 'eu-central-1',
      accessKeyId: 'AKIA…',
      secretAccessKey: '…',
    },
    answer: created('The bucket, without its keys.', bucketSchema),
    failures: ['NOT_FOUND', 'URL_NOT_ALLOWED', 'BUCKET_REFUSED'],
    async handle({ parameters: { id }, body, by }, { bucketCommands }: Commands) {
      const bucket = await bucketCommands.createBucket(id, body, by);
      return { location: `/v1/operator/accounts/${id}/buckets`, body: bucket };
    },
  }),
  operatorOperation({
    operationId: 'listBuckets',
    method: 'get',
    path: '/v1/operator/accounts/{id}/buckets',
    summary: 'List the buckets of an account',
    parameters,
    answer: wholeList(bucketSchema, 'by name'),
    failures: ['NOT_FOUND'],
    handle: ({ parameters: { id } }, { bucketCommands }: Commands) => bucketCommands.listBuckets(id),
  }),
  operatorOperation({
    operationId: 'deleteBucket',
    method: 'delete',
    path: '/v1/operator/accounts/{id}/buckets/{name}',
    summary: 'Remove a bucket with its keys',
    description: 'Objects in the bucket remain. Work that needs the bucket fails with BUCKET_REFUSED.',
    parameters: parameters.extend({ name }),
    answer: noContent('The bucket is removed.'),
    failures: ['NOT_FOUND'],
    handle: ({ parameters: { id, name: which }, by }, { bucketCommands }: Commands) =>
      bucketCommands.deleteBucket(id, which, by),
  }),
];
