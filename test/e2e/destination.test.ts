import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect, test } from '@jest/globals';
import type { EnhancementRepresentation } from '../../src/domain/representations/enhancement.ts';
import { copyMigratedDatabase } from '../support/migrated-database.ts';
import { startS3Server } from '../support/s3-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { photo } from './files.ts';
import { freePorts, startInstance } from './instance.ts';

test('a pending destination survives kill -9 of the instance and an outage of its service, and costs nothing more', async () => {
  await using folder = await temporaryFolder();
  await copyMigratedDatabase(folder.path);
  await using s3 = await startS3Server();
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
  const url = await getSignedUrl(client, new PutObjectCommand({ Bucket: bucket, Key: 'results/photo.jpg' }));
  const signature = new URL(url).searchParams.get('X-Amz-Signature')!;
  await s3.kill();

  const env = { BURNISH_ALLOWED_PRIVATE_HOSTS: new URL(s3.endpoint).host };
  const shared = { dataDir: folder.path, ports: await freePorts(), env };
  await using first = await startInstance(shared);
  const { body: upload } = await first.api.upload(await photo(), { enhancements: [{ destination: { url } }] });
  const { id } = upload.enhancements[0]!;
  const finished = await first.api.reached(id, 'FINISHED');
  expect(finished).toMatchObject({ chargedCredits: 1, destination: { status: 'PENDING' } });
  const result = Buffer.from(await (await fetch(finished.fullUrl!)).arrayBuffer());
  const read = (api: typeof first.api) => api.get<EnhancementRepresentation>(`/v1/enhancements/${id}`);
  await until(async () => ((await read(first.api)).body.waitingFor === 'destination' ? true : undefined));
  const { used } = await first.api.credits();
  await first.killTree();

  await s3.start();
  await using second = await startInstance({ ...shared, apiKey: first.apiKey });
  const { body: delivered } = await until(
    () => read(second.api),
    ({ body }) => body.destination?.status === 'DELIVERED',
    { withinMs: 60_000 },
  );
  expect(delivered).toMatchObject({ status: 'FINISHED', waitingFor: null, chargedCredits: 1 });
  expect(await readFile(join(s3.folderOf(bucket), 'results/photo.jpg'))).toEqual(result);
  expect((await second.api.credits()).used).toBe(used);
  for (const { output } of [first, second]) expect(output()).not.toContain(signature);
}, 180_000);
