import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { originalKey, incomingKey } from '../../src/domain/files/object-keys.ts';
import {
  completeUpload,
  deleteUpload,
  putFile,
  refuseLongFile,
  requestEnhancements,
} from '../../src/domain/temporal/workflow-interface.ts';
import type { ArrivedFile } from '../../src/domain/upload/new-upload.ts';
import type { StartedUpload } from './lifecycle.ts';
import { useLifecycle } from './use-lifecycle.ts';
import { refusalCode } from './refusal.ts';

const lifecycle = useLifecycle();

const HOUR_MS = 3_600_000;
const DECLARED = { size: 11, mimetype: 'image/jpeg' } as const;

describe('an upload by PUT to a signed URL', () => {
  let counter = 0;

  /** A file as the gateway leaves it after a PUT, beside the upload. */
  async function arrive(
    mimetype: ArrivedFile['mimetype'] = 'image/jpeg',
    content = 'hello world',
  ): Promise<ArrivedFile> {
    counter += 1;
    const objectKey = originalKey(lifecycle.account.id, `upl_${String(counter).padStart(26, '0')}`);
    const body = Readable.from([Buffer.from(content)]);
    const { size, sha256 } = await lifecycle.store.put(objectKey, body, { maxBytes: 1000 });
    return { objectKey, size, sha256, mimetype };
  }
  const put = ({ handle }: StartedUpload, file: ArrivedFile) => handle.executeUpdate(putFile, { args: [file] });
  const complete = ({ handle }: StartedUpload) => handle.executeUpdate(completeUpload);

  it('waits for the file, and continues as any other after its completion', async () => {
    const started = await lifecycle.start({ declared: DECLARED, enhancements: [{}] });
    expect(await lifecycle.findUpload(started.id)).toMatchObject({ status: 'UPLOAD_PENDING', startedAt: null });
    const file = await arrive();
    expect(await put(started, file)).toMatchObject({ status: 'UPLOAD_PENDING', file: null });
    const { objectKey: _, ...facts } = file;
    expect(await complete(started)).toMatchObject({ status: 'UPLOAD_FINISHED', file: facts, width: 640 });
    const enhancement = await lifecycle.enhancementReaches(started.enhancementIds[0]!, 'FINISHED');
    expect(enhancement.chargedCredits).toBe(1);
    expect(await complete(started)).toMatchObject({ status: 'UPLOAD_FINISHED' });
  });

  it('analyses a PDF automatically', async () => {
    const started = await lifecycle.start({ declared: { size: 11, mimetype: 'application/pdf' }, enhancements: [{}] });
    await put(started, await arrive('application/pdf'));
    await complete(started);
    await lifecycle.uploadReaches(started.id, 'METADATA_ANALYZED_SUCCESSFULLY');
    await lifecycle.enhancementReaches(started.enhancementIds[0]!, 'FINISHED');
  });

  it.each([
    ['shorter', { content: 'hello' }, 'the file has 5 bytes of image/jpeg.'],
    ['longer', { content: 'x'.repeat(1_000) }, 'the file has 1,000 bytes of image/jpeg.'],
    ['of another type', { mimetype: 'image/png' }, 'the file has 11 bytes of image/png.'],
    ['of no type that is served', { mimetype: null }, 'the file has 11 bytes of a type that is not supported.'],
  ] as const)(
    'fails at completion with a file that is %s',
    async (_what, file: { content?: string; mimetype?: 'image/png' | null }, detail) => {
      const started = await lifecycle.start({ declared: DECLARED, enhancements: [{}] });
      await put(started, await arrive(file.mimetype === undefined ? 'image/jpeg' : file.mimetype, file.content));
      const failed = { status: 'UPLOAD_FAILED', errorCode: 'UPLOAD_MISMATCH', file: null, objectKey: null };
      const answered = await complete(started);
      expect(answered).toMatchObject(failed);
      expect(answered.errorDetail).toBe(`The declaration was 11 bytes of image/jpeg, but ${detail}`);
      expect(await lifecycle.findUpload(started.id)).toMatchObject(failed);
      expect(await lifecycle.filesOf(started.id)).toEqual([]);
      const enhancement = await lifecycle.enhancementReaches(started.enhancementIds[0]!, 'ERROR');
      expect(enhancement).toMatchObject({ errorCode: 'UPLOAD_MISMATCH', chargedCredits: null });
      expect(await complete(started)).toMatchObject(failed);
      expect(await refusalCode(put(started, await arrive()))).toBe('CONFLICT');
    },
  );

  it('fails at once if more bytes arrive than declared, and accepts no other file', async () => {
    const started = await lifecycle.start({ declared: DECLARED, enhancements: [{}] });
    const failed = { status: 'UPLOAD_FAILED', errorCode: 'UPLOAD_MISMATCH', file: null, objectKey: null };
    const answered = await started.handle.executeUpdate(refuseLongFile);
    expect(answered).toMatchObject(failed);
    expect(answered.errorDetail).toBe('The declaration was 11 bytes of image/jpeg, but the file is larger.');
    expect(await complete(started)).toMatchObject(failed);
    expect(await refusalCode(put(started, await arrive()))).toBe('CONFLICT');
    await lifecycle.enhancementReaches(started.enhancementIds[0]!, 'ERROR');
  });

  it('keeps a valid file if a longer one follows', async () => {
    const started = await lifecycle.start({ declared: DECLARED });
    await put(started, await arrive());
    expect(await refusalCode(started.handle.executeUpdate(refuseLongFile))).toBe('CONFLICT');
    expect(await complete(started)).toMatchObject({ status: 'UPLOAD_FINISHED' });
  });

  it('refuses parameters that do not fit the declared type', async () => {
    const started = await lifecycle.start({ declared: { size: 11, mimetype: 'application/pdf' } });
    const request = {
      id: 'enh_10000000000000000000000000',
      parameters: { mode: 'VIVID' as const },
      maxCredits: null,
      creditWaitMs: 0,
    };
    const asked = started.handle.executeUpdate(requestEnhancements, { args: [[request]] });
    expect(await refusalCode(asked)).toBe('BAD_USER_INPUT');
  });

  it('refuses completion before a file arrives, and accepts it afterwards', async () => {
    const started = await lifecycle.start({ declared: DECLARED });
    expect(await refusalCode(complete(started))).toBe('CONFLICT');
    expect(await lifecycle.findUpload(started.id)).toMatchObject({ status: 'UPLOAD_PENDING' });
    await put(started, await arrive());
    expect(await complete(started)).toMatchObject({ status: 'UPLOAD_FINISHED' });
  });

  it('accepts one of several parallel files', async () => {
    const started = await lifecycle.start({ declared: DECLARED });
    const files = await Promise.all(
      ['hello worl1', 'hello worl2', 'hello worl3'].map((text) => arrive('image/jpeg', text)),
    );
    const codes = await Promise.all(files.map((file) => refusalCode(put(started, file))));
    expect(codes.toSorted()).toEqual(['CONFLICT', 'CONFLICT', null]);
    const taken = files[codes.indexOf(null)]!;
    expect(await complete(started)).toMatchObject({ file: { sha256: taken.sha256 } });
    expect(await refusalCode(put(started, await arrive()))).toBe('CONFLICT');
  });

  it('accepts another file if the first was lost', async () => {
    const started = await lifecycle.start({ declared: DECLARED });
    const lost = { ...(await arrive()), objectKey: originalKey(lifecycle.account.id, `upl_${'z'.repeat(26)}`) };
    expect(await refusalCode(put(started, lost))).toBe('INTERNAL');
    await put(started, await arrive());
    expect(await complete(started)).toMatchObject({ status: 'UPLOAD_FINISHED' });
  });

  it.each([
    ['nothing has come', async () => undefined],
    [
      'a file has come that nobody completed',
      async (started: StartedUpload) => void (await put(started, await arrive())),
    ],
  ])('expires by a timer when its URL expires and %s, and leaves no bytes', async (_what, prepare) => {
    const started = await lifecycle.start({ declared: DECLARED, enhancements: [{}], retentionDays: 1 });
    await prepare(started);
    await lifecycle.passTime(HOUR_MS + 60_000);
    const failed = await lifecycle.uploadReaches(started.id, 'UPLOAD_FAILED');
    expect(failed).toMatchObject({ errorCode: 'SIGNED_URL_EXPIRED', objectKey: null });
    expect(failed.errorDetail).toContain('expired at');
    const livedMs = Date.parse(failed.finishedAt!) - Date.parse(failed.createdAt);
    expect(livedMs).toBeGreaterThanOrEqual(HOUR_MS);
    expect(livedMs).toBeLessThan(HOUR_MS + 60_000);
    expect(await lifecycle.filesOf(started.id)).toEqual([]);
    await lifecycle.enhancementReaches(started.enhancementIds[0]!, 'ERROR');
    const late = await arrive();
    expect(await refusalCode(put(started, late))).toBe('CONFLICT');
    expect(await lifecycle.filesOf(started.id)).toEqual([]);
    expect(await complete(started)).toMatchObject({ status: 'UPLOAD_FAILED' });
  });

  it('can be deleted while it waits, with its file', async () => {
    const started = await lifecycle.start({ declared: DECLARED, enhancements: [{}] });
    await put(started, await arrive());
    expect(await started.handle.executeUpdate(deleteUpload)).toMatchObject({ status: 'UPLOAD_DELETED' });
    expect(await lifecycle.filesOf(started.id)).toEqual([]);
    expect(await lifecycle.findEnhancement(started.enhancementIds[0]!)).toMatchObject({ status: 'CANCELLED' });
  });

  it('is the only kind with a completion', async () => {
    const started = await lifecycle.start();
    expect(await refusalCode(complete(started))).toBe('BAD_USER_INPUT');
    expect(await refusalCode(put(started, await arrive()))).toBe('CONFLICT');
  });
});

const JPEG = 'image/jpeg';

describe('a file that is uploaded straight into storage', () => {
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
    expect(await refusalCode(complete(started))).toBe('CONFLICT');
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
    await lifecycle.passTime(HOUR_MS + 60_000);
    expect(await lifecycle.uploadReaches(started.id, 'UPLOAD_FAILED')).toMatchObject({
      errorCode: 'SIGNED_URL_EXPIRED',
    });
    expect(await lifecycle.filesOf(started.id)).toEqual([]);
  });
});
