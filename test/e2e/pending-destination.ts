import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from '@jest/globals';
import type { EnhancementRepresentation } from '@burnish/contract';
import type { S3Server } from '../support/s3-server.ts';
import { until } from '../support/until.ts';
import { photo } from './files.ts';
import type { Instance } from './instance.ts';

export interface PendingDestination {
  /** Expects the file at its destination, at no further cost, once the service is back. */
  expectDelivered(instance: Instance): Promise<void>;
  /** The part of the address that no log may have */
  signature: string;
}

/** Orders an enhancement whose destination waits for the service. @param s3 not running at the call, and reachable for the instance */
export async function pendingDestination(
  { api }: Instance,
  s3: S3Server,
  { url, bucket }: { url: string; bucket: string },
): Promise<PendingDestination> {
  const { body: upload } = await api.upload(await photo(), { enhancements: [{ destination: { url } }] });
  const { id } = upload.enhancements[0]!;
  const finished = await api.reached(id, 'FINISHED');
  expect(finished).toMatchObject({ chargedCredits: 1, destination: { status: 'PENDING' } });
  const result = Buffer.from(await (await fetch(finished.fullUrl!)).arrayBuffer());
  const read = (instance: Pick<Instance, 'api'>) =>
    instance.api.get<EnhancementRepresentation>(`/v1/enhancements/${id}`);
  await until(async () => ((await read({ api })).body.waitingFor === 'destination' ? true : undefined));
  return {
    signature: new URL(url).searchParams.get('X-Amz-Signature')!,
    async expectDelivered(instance) {
      const { body: delivered } = await until(
        () => read(instance),
        ({ body }) => body.destination?.status === 'DELIVERED',
        { withinMs: 60_000 },
      );
      expect(delivered).toMatchObject({ status: 'FINISHED', waitingFor: null, chargedCredits: 1 });
      expect(await readFile(join(s3.folderOf(bucket), 'results/photo.jpg'))).toEqual(result);
    },
  };
}

/** A new bucket, and an address that allows to write one file there. */
export async function signedDestination(s3: S3Server): Promise<{ url: string; bucket: string }> {
  const bucket = await s3.createBucket();
  const client = new S3Client({
    endpoint: s3.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: {
      accessKeyId: s3.env['AWS_ACCESS_KEY_ID']!,
      secretAccessKey: s3.env['AWS_SECRET_ACCESS_KEY']!,
    },
  });
  return {
    bucket,
    url: await getSignedUrl(client, new PutObjectCommand({ Bucket: bucket, Key: 'results/photo.jpg' })),
  };
}
