import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startS3Server, type S3Server } from '../support/s3-server.ts';
import { until } from '../support/until.ts';
import { useLifecycle } from './use-lifecycle.ts';

const lifecycle = useLifecycle();
let s3: S3Server;
let folder: string;
beforeAll(async () => {
  s3 = await startS3Server();
  const bucket = await s3.createBucket();
  folder = join(s3.folderOf(bucket), 'below');
  const place = { accountId: lifecycle.account.id, name: 'photos', bucket, prefix: 'below', region: 'us-east-1' };
  const credentials = {
    accessKeyId: s3.env['AWS_ACCESS_KEY_ID']!,
    secretAccessKey: s3.env['AWS_SECRET_ACCESS_KEY']!,
  };
  await lifecycle.stores.buckets.create({ ...place, endpoint: s3.endpoint }, credentials);
});
afterAll(async () => await s3?.[Symbol.asyncDispose]());

/** The scripted detection takes a file of `x` for one of no supported type. */
async function put(key: string, content = 'j'.repeat(20_000)): Promise<void> {
  await mkdir(dirname(join(folder, key)), { recursive: true });
  await writeFile(join(folder, key), content);
}

describe('a file in a registered bucket', () => {
  // First: after ended workflows, the time-skipping server may lose an attempt of an activity.
  it('waits while its service is away, and says so', async () => {
    await put('late.jpg');
    await s3.kill();
    const { id, handle } = await lifecycle.start({ inBucket: { bucket: 'photos', key: 'late.jpg' } });
    await lifecycle.passTime('3 min');
    await until(
      () => lifecycle.findUpload(id),
      ({ waitingFor }) => waitingFor === 'bucket',
    );
    await s3.start();
    await lifecycle.passTime('3 min');
    expect(await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED')).toMatchObject({ waitingFor: null });
    await handle.terminate();
  });

  it('becomes the original of its upload, below the prefix of the bucket', async () => {
    await put('in/1.jpg');
    const { id, handle } = await lifecycle.start({ inBucket: { bucket: 'photos', key: 'in/1.jpg' } });
    const upload = await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED', 'UPLOAD_FAILED');
    expect(upload).toMatchObject({ status: 'UPLOAD_FINISHED', file: { size: 20_000, mimetype: 'image/jpeg' } });
    await handle.terminate();
  });

  it.each([
    ['without an object under its key', 'missing.jpg', 'SOURCE_MISSING'],
    ['of a type that is not supported', 'text.jpg', 'UNSUPPORTED_MEDIA_TYPE'],
    ['that is too small', 'small.jpg', 'FILE_TOO_SMALL'],
  ])('%s fails its upload with %s', async (_what, key, code) => {
    await put('text.jpg', 'x'.repeat(20_000));
    await put('small.jpg', 'j');
    const { id, handle } = await lifecycle.start({ inBucket: { bucket: 'photos', key } });
    const upload = await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED', 'UPLOAD_FAILED');
    expect(upload).toMatchObject({ status: 'UPLOAD_FAILED', errorCode: code });
    await handle.terminate();
  });

  it('of a bucket that the operator removed fails its upload', async () => {
    const { id, handle } = await lifecycle.start({ inBucket: { bucket: 'never', key: 'a.jpg' } });
    expect(await lifecycle.uploadReaches(id, 'UPLOAD_FAILED')).toMatchObject({
      errorCode: 'BUCKET_REFUSED',
      errorDetail: 'The operator has removed the bucket never.',
    });
    await handle.terminate();
  });
});
