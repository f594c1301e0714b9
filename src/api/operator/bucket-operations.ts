import { MAX_BUCKETS } from '@burnish/contract';
import { created, noContent, wholeList } from '../rest/answers.ts';
import { idPath } from '../rest/operation.ts';
import { bucketName, bucketSchema, newBucketBody } from './bucket-schemas.ts';
import { operatorOperation } from './operator-operation.ts';
import type { createBucketCommands } from './bucket-commands.ts';

interface BucketNeeds {
  bucketCommands: ReturnType<typeof createBucketCommands>;
}

const parameters = idPath('acc');

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
    async handle({ parameters: { id }, body, by }, { bucketCommands }: BucketNeeds) {
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
    handle: ({ parameters: { id } }, { bucketCommands }: BucketNeeds) => bucketCommands.listBuckets(id),
  }),
  operatorOperation({
    operationId: 'deleteBucket',
    method: 'delete',
    path: '/v1/operator/accounts/{id}/buckets/{name}',
    summary: 'Remove a bucket with its keys',
    description: 'Objects in the bucket remain. Work that needs the bucket fails with BUCKET_REFUSED.',
    parameters: parameters.extend({ name: bucketName }),
    answer: noContent('The bucket is removed.'),
    failures: ['NOT_FOUND'],
    handle: ({ parameters: { id, name: which }, by }, { bucketCommands }: BucketNeeds) =>
      bucketCommands.deleteBucket(id, which, by),
  }),
];
