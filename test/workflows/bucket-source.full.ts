import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openPhotoBucket, waitForBucket, type PhotoBucket } from './photo-bucket.ts';
import { useLifecycle } from './use-lifecycle.ts';

const lifecycle = useLifecycle();
let bucket: PhotoBucket;
beforeAll(async () => (bucket = await openPhotoBucket(lifecycle)));
afterAll(async () => await bucket?.[Symbol.asyncDispose]());

describe('a file in a registered bucket', () => {
  // First: after ended workflows, the time-skipping server may lose an attempt of an activity.
  it('waits while its service is away, and says so', async () => {
    const { id, handle } = await waitForBucket(lifecycle, bucket);
    expect(await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED')).toMatchObject({ waitingFor: null });
    await handle.terminate();
  });

  it('becomes the original of its upload, below the prefix of the bucket', async () => {
    await bucket.put('in/1.jpg');
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
    await bucket.put('text.jpg', 'x'.repeat(20_000));
    await bucket.put('small.jpg', 'j');
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
