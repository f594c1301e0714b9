import { z } from 'zod';
import { BUCKET_NAME } from '@burnish/contract';
import { httpUrl, plainText, timestamp } from '../schemas/fields.ts';

export const bucketName = z
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
  plainText(300).meta({ description: `${what} It is stored encrypted and never returned.`, format: 'password' });

export const newBucketBody = z.strictObject({
  name: bucketName,
  url,
  endpoint: endpoint.optional(),
  region,
  accessKeyId: secret('Access key of the bucket.'),
  secretAccessKey: secret('Secret of the access key.'),
});

export const bucketSchema = z
  .object({ name: bucketName, url, endpoint, region, createdAt: timestamp })
  .meta({ id: 'Bucket', description: 'A registered bucket of an account.' });
export type BucketRepresentation = z.infer<typeof bucketSchema>;
