import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deleteUpload } from '../../src/domain/temporal/workflow-interface.ts';
import { startS3Server, type S3Server } from '../support/s3-server.ts';
import { until } from '../support/until.ts';
import type { Lifecycle } from './lifecycle.ts';

/** The registered bucket `photos` of the account, on an S3 server of its own. */
export interface PhotoBucket extends AsyncDisposable {
  s3: S3Server;
  /** Stores a file. The scripted detection takes a file of `x` for one of no supported type. */
  put(key: string, content?: string): Promise<void>;
}

export async function openPhotoBucket({ stores, account }: Lifecycle): Promise<PhotoBucket> {
  const s3 = await startS3Server();
  const bucket = await s3.createBucket();
  const folder = join(s3.folderOf(bucket), 'below');
  const place = { accountId: account.id, name: 'photos', bucket, prefix: 'below', region: 'us-east-1' };
  const credentials = {
    accessKeyId: s3.env['AWS_ACCESS_KEY_ID']!,
    secretAccessKey: s3.env['AWS_SECRET_ACCESS_KEY']!,
  };
  await stores.buckets.create({ ...place, endpoint: s3.endpoint }, credentials);
  return {
    s3,
    async put(key, content = 'j'.repeat(20_000)) {
      await mkdir(dirname(join(folder, key)), { recursive: true });
      await writeFile(join(folder, key), content);
    },
    [Symbol.asyncDispose]: () => s3[Symbol.asyncDispose](),
  };
}

/** Lets an upload wait for its bucket, and brings the bucket back. @returns the id of the upload and its workflow */
export async function waitForBucket(lifecycle: Lifecycle, { s3, put }: PhotoBucket) {
  await put('late.jpg');
  await s3.kill();
  const started = await lifecycle.start({ inBucket: { bucket: 'photos', key: 'late.jpg' }, enhancements: [{}] });
  await lifecycle.passTime('3 min');
  await until(
    () => lifecycle.findUpload(started.id),
    ({ waitingFor }) => waitingFor === 'bucket',
  );
  await s3.start();
  await lifecycle.passTime('3 min');
  return started;
}

/** Histories of uploads from a bucket: one that is away at first, and one without the file. */
export async function bucketScenario(lifecycle: Lifecycle): Promise<Record<string, string>> {
  await using bucket = await openPhotoBucket(lifecycle);
  const waited = await waitForBucket(lifecycle, bucket);
  await lifecycle.enhancementReaches(waited.enhancementIds[0]!, 'FINISHED');
  await waited.handle.executeUpdate(deleteUpload);
  const missing = await lifecycle.start({ inBucket: { bucket: 'photos', key: 'missing.jpg' } });
  await lifecycle.uploadReaches(missing.id, 'UPLOAD_FAILED');
  await missing.handle.executeUpdate(deleteUpload);
  return {
    'upload-from-bucket-that-was-away': waited.handle.workflowId,
    'upload-from-bucket-without-file': missing.handle.workflowId,
  };
}
