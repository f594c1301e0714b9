import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { completeUpload, deleteUpload } from '../../src/domain/temporal/workflow-interface.ts';
import { incomingKey } from '../../src/domain/files/object-keys.ts';
import type { StartedUpload } from './lifecycle.ts';
import { useLifecycle } from './use-lifecycle.ts';
import { refusalCode } from './refusal.ts';

const HOUR_MS = 3_600_000;
const JPEG = 'image/jpeg';

describe('a file that is uploaded straight into storage', () => {
  const lifecycle = useLifecycle();

  const start = (size = 11, mimetype: 'image/jpeg' | 'image/png' = JPEG): Promise<StartedUpload> =>
    lifecycle.start({ declared: { size, mimetype }, direct: true, enhancements: [{}] });
  /** As a caller's PUT leaves it in the bucket */
  async function put({ id }: StartedUpload, content = 'hello world'): Promise<string> {
    const { accountId } = (await lifecycle.findUpload(id))!;
    const body = Readable.from([Buffer.from(content)]);
    return (await lifecycle.store.put(incomingKey(accountId, id), body, { maxBytes: 1000 })).sha256;
  }
  const complete = ({ handle }: StartedUpload) => handle.executeUpdate(completeUpload);

  it('is accepted at completion and processed as any other', async () => {
    const started = await start();
    expect(await refusalCode(complete(started))).toBe('BAD_USER_INPUT');
    expect(await lifecycle.findUpload(started.id)).toMatchObject({ status: 'UPLOAD_PENDING', objectKey: null });
    const sha256 = await put(started);
    const file = { size: 11, sha256, mimetype: JPEG };
    expect(await complete(started)).toMatchObject({ status: 'UPLOAD_FINISHED', file });
    await lifecycle.enhancementReaches(started.enhancementIds[0]!, 'FINISHED');
    expect((await lifecycle.filesOf(started.id)).filter((name) => name.includes('incoming'))).toEqual([]);
    // A late PUT changes nothing, and goes with the upload.
    await put(started, 'HELLO WORLD');
    expect(await complete(started)).toMatchObject({ status: 'UPLOAD_FINISHED', file });
    await started.handle.executeUpdate(deleteUpload);
    expect(await lifecycle.filesOf(started.id)).toEqual([]);
  });

  it('is accepted once, also by parallel completions', async () => {
    const started = await start();
    await put(started);
    const answers = await Promise.all([complete(started), complete(started), complete(started)]);
    expect(answers.map(({ status }) => status)).toEqual(Array(3).fill('UPLOAD_FINISHED'));
  });

  it.each([
    ['shorter', 'hello', JPEG, 'the file has 5 bytes of image/jpeg.'],
    ['of another type', 'hello world', 'image/png', 'the file has 11 bytes of image/jpeg.'],
    ['empty', '', JPEG, 'the file has 0 bytes of a type that is not supported.'],
  ] as const)('fails if the stored object is %s, and leaves no bytes', async (_what, content, mimetype, detail) => {
    const started = await start(11, mimetype);
    await put(started, content);
    const failed = { status: 'UPLOAD_FAILED', errorCode: 'UPLOAD_MISMATCH', objectKey: null };
    const answered = await complete(started);
    expect(answered).toMatchObject(failed);
    expect(answered.errorDetail).toContain(detail);
    expect(await lifecycle.filesOf(started.id)).toEqual([]);
  });

  it('expires by a timer without completion, and leaves no bytes', async () => {
    const started = await start();
    await put(started);
    await lifecycle.env.sleep(HOUR_MS + 60_000);
    expect(await lifecycle.uploadReaches(started.id, 'UPLOAD_FAILED')).toMatchObject({
      errorCode: 'SIGNED_URL_EXPIRED',
    });
    expect(await lifecycle.filesOf(started.id)).toEqual([]);
  });
});
