import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { deleteUpload, partsComplete } from '../../src/domain/temporal/workflow-interface.ts';
import type { MediaType } from '../../src/domain/upload/media.ts';
import type { StartedUpload } from './lifecycle.ts';
import { useLifecycle } from './use-lifecycle.ts';

const HOUR_MS = 3_600_000;
const SIZE = 30_000;
const lifecycle = useLifecycle();

const begin = (mimetype: MediaType | null = null): Promise<StartedUpload> =>
  lifecycle.start({ declared: { size: SIZE, mimetype }, resumable: true, enhancements: [{}] });

const append = ({ id }: StartedUpload, start: number, end: number, first?: string): Promise<string> =>
  lifecycle.appendPart(id, start, end, first);
const signal = ({ handle }: StartedUpload): Promise<void> => handle.signal(partsComplete);

test('an upload joins its parts in order, continues as any other, and deletes them', async () => {
  const started = await begin();
  expect(await lifecycle.findUpload(started.id)).toMatchObject({ status: 'UPLOAD_PENDING', startedAt: null });
  await append(started, 0, 12_000);
  // A signal only wakes the workflow, which counts the bytes.
  await signal(started);
  await append(started, 12_000, SIZE);
  await signal(started);
  const upload = await lifecycle.uploadReaches(started.id, 'UPLOAD_FINISHED');
  expect(upload).toMatchObject({ file: { size: SIZE, mimetype: 'image/jpeg' }, width: 640 });
  const original = await Readable.from(await lifecycle.store.get(upload.objectKey!)).toArray();
  expect(Buffer.concat(original as Buffer[]).toString()).toBe('i'.repeat(12_000) + 'x'.repeat(18_000));
  const enhancement = await lifecycle.enhancementReaches(started.enhancementIds[0]!, 'FINISHED');
  expect(enhancement.chargedCredits).toBe(1);
  expect((await lifecycle.filesOf(started.id)).filter((name) => name.startsWith('part-'))).toEqual([]);
});

test('a complete file without a signal is received at the deadline', async () => {
  const started = await begin();
  await append(started, 0, SIZE);
  await lifecycle.env.sleep(HOUR_MS + 1_000);
  await lifecycle.uploadReaches(started.id, 'UPLOAD_FINISHED');
});

test('an incomplete file fails its upload at the deadline, and leaves no bytes', async () => {
  const started = await begin();
  await append(started, 0, SIZE - 1);
  await lifecycle.env.sleep(HOUR_MS + 1_000);
  const upload = await lifecycle.uploadReaches(started.id, 'UPLOAD_FAILED');
  expect(upload).toMatchObject({ errorCode: 'UPLOAD_EXPIRED', objectKey: null, file: null });
  expect(upload.errorDetail).toMatch(/^The file of 30,000 bytes was not complete at \S+Z\. Send it again/);
  expect(await lifecycle.filesOf(started.id)).toEqual([]);
  const enhancement = await lifecycle.enhancementReaches(started.enhancementIds[0]!, 'ERROR');
  expect(enhancement).toMatchObject({ errorCode: 'UPLOAD_EXPIRED', chargedCredits: null });
});

test.each([
  ['another type than its declaration', 'image/png', 'i', 'UPLOAD_MISMATCH', 'declared as image/png'],
  ['a type that is not supported', null, 'x', 'UNSUPPORTED_MEDIA_TYPE', 'not supported'],
] as const)('a file of %s fails its upload, and leaves no bytes', async (_what, declared, first, code, words) => {
  const started = await begin(declared);
  await append(started, 0, SIZE, first);
  await signal(started);
  const upload = await lifecycle.uploadReaches(started.id, 'UPLOAD_FAILED');
  expect(upload).toMatchObject({ errorCode: code, objectKey: null, file: null });
  expect(upload.errorDetail).toContain(words);
  expect(await lifecycle.filesOf(started.id)).toEqual([]);
});

test('a part that storage has lost fails the upload, and never shortens the file', async () => {
  const started = await begin();
  const lost = await append(started, 0, 10_000);
  await append(started, 10_000, SIZE);
  await lifecycle.store.delete(lost);
  await signal(started);
  const upload = await lifecycle.uploadReaches(started.id, 'UPLOAD_FAILED');
  expect(upload).toMatchObject({ errorCode: 'ORIGINAL_MISSING', objectKey: null });
});

test('a deletion ends the wait for the file, and leaves no bytes', async () => {
  const started = await begin();
  await append(started, 0, 10_000);
  await started.handle.executeUpdate(deleteUpload);
  expect(await lifecycle.findUpload(started.id)).toMatchObject({ status: 'UPLOAD_DELETED' });
  expect(await lifecycle.filesOf(started.id)).toEqual([]);
});
