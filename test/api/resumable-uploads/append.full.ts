import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { MAX_PARTS } from '../../../src/database/uploads/upload-parts.ts';
import { resumableUploads } from '../../../src/database/schema/upload-parts.ts';
import { poll } from '../../support/poll.ts';
import { jpeg, pdf } from '../support/files.ts';
import { useGateway } from '../support/gateway.ts';
import { tusRequests, type Headers } from './tus-requests.ts';

const gateway = useGateway({ limits: { bodyPatienceMs: 2_000 } }, { idleTimeoutMs: 1_000 });
const { begin, patch, offsetOf, idIn, signalTo, storedBytes, refusal, cutPatch } = tusRequests(gateway);
const MB = 1_000_000;
let photo: Buffer;

beforeAll(async () => {
  photo = await jpeg();
});
beforeEach(() => {
  gateway.temporal.starts.length = 0;
  gateway.temporal.signals.length = 0;
});

describe('PATCH /v1/tus/{id}', () => {
  test('appends bytes at the offset, and continues the upload after the last one', async () => {
    const path = await begin(photo.byteLength);
    const [a, b] = [photo.subarray(0, 10_000), photo.subarray(10_000)];
    const first = await patch(path, 0, a);
    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '10000']);
    expect(first.headers.get('upload-expires')).not.toBeNull();
    expect(await offsetOf(path)).toBe(10_000);
    expect(gateway.temporal.signals).toEqual([]);
    const last = await patch(path, 10_000, Readable.from([b]));
    expect([last.status, last.headers.get('upload-offset')]).toEqual([204, String(photo.byteLength)]);
    expect(gateway.temporal.signals).toEqual([signalTo(path)]);
    expect((await storedBytes(path)).equals(photo)).toBe(true);
  });

  test('continues a complete upload again on HEAD, because the gateway may have ended before its signal', async () => {
    const path = await begin(photo.byteLength);
    await patch(path, 0, photo);
    gateway.temporal.signals.length = 0;
    expect(await offsetOf(path)).toBe(photo.byteLength);
    expect(gateway.temporal.signals).toEqual([signalTo(path)]);
  });

  test('keeps the bytes before a lost connection, to the last one', async () => {
    const file = pdf(20 * MB);
    const path = await begin(file.byteLength);
    await cutPatch(path, 0, file, 19 * MB);
    await poll(() => offsetOf(path), { timeout: 10_000 }).toBe(19 * MB);
    expect((await storedBytes(path)).equals(file.subarray(0, 19 * MB))).toBe(true);
    expect((await patch(path, 19 * MB, file.subarray(19 * MB))).status).toBe(204);
    expect((await storedBytes(path)).equals(file)).toBe(true);
  });

  test('keeps the bytes of a client that stops sending, and tells it', async () => {
    const path = await begin(photo.byteLength);
    const stalled = new Readable({ read: () => undefined });
    stalled.push(photo.subarray(0, 9_000));
    const response = await patch(path, 0, stalled);
    expect(await refusal(response)).toEqual({ status: 408, code: 'REQUEST_TIMEOUT' });
    stalled.destroy();
    await poll(() => offsetOf(path), { timeout: 10_000 }).toBe(9_000);
  });

  test('with another offset is refused with 409, and the offset stays', async () => {
    const path = await begin(photo.byteLength);
    await patch(path, 0, photo.subarray(0, 10_000));
    for (const offset of [0, 9_999, 10_001, photo.byteLength])
      expect(await refusal(await patch(path, offset, photo.subarray(0, 5)))).toEqual({
        status: 409,
        code: 'BAD_USER_INPUT',
        field: 'Upload-Offset',
      });
    expect(await offsetOf(path)).toBe(10_000);
  });

  test('beyond the length is refused with 413, with and without a Content-Length', async () => {
    const path = await begin(photo.byteLength);
    const long = Buffer.concat([photo, Buffer.from('x')]);
    expect(await refusal(await patch(path, 0, long))).toEqual({ status: 413, code: 'FILE_TOO_LARGE' });
    expect(await refusal(await patch(path, 0, Readable.from([long])))).toEqual({ status: 413, code: 'FILE_TOO_LARGE' });
    // The last chunk exceeds the length by itself, after all bytes of the file.
    const chunks = Readable.from([photo, Buffer.from('x')]);
    expect(await refusal(await patch(path, 0, chunks))).toEqual({ status: 413, code: 'FILE_TOO_LARGE' });
    expect(await offsetOf(path)).toBe(0);
    expect(gateway.temporal.signals).toEqual([]);
  });

  test('of two at once appends one, refuses the other with 409, and loses nothing', async () => {
    const file = pdf(5 * MB);
    const path = await begin(file.byteLength);
    const halves = () =>
      Readable.from(
        (async function* () {
          yield file.subarray(0, 2 * MB);
          await new Promise((resolve) => setTimeout(resolve, 300));
          yield file.subarray(2 * MB);
        })(),
      );
    const answers = await Promise.all([patch(path, 0, halves()), patch(path, 0, halves())]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    expect((await storedBytes(path)).equals(file)).toBe(true);
    expect(gateway.temporal.signals).toEqual([signalTo(path)]);
  });

  test.each([
    [
      'a wrong media type',
      { 'Content-Type': 'application/octet-stream' },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      'Content-Type',
    ],
    ['an offset that is no number', { 'Upload-Offset': 'x' }, 400, 'BAD_USER_INPUT', 'Upload-Offset'],
    [
      'a checksum of an unknown algorithm',
      { 'Upload-Checksum': 'md5 1B2M2Y8AsgTpgAmY7PhCfg==' },
      400,
      'BAD_USER_INPUT',
      'Upload-Checksum',
    ],
    ['a checksum of another length', { 'Upload-Checksum': 'sha256 AAAA' }, 400, 'BAD_USER_INPUT', 'Upload-Checksum'],
  ])('with %s is refused', async (_what, headers, status, code, field) => {
    const path = await begin(photo.byteLength);
    expect(await refusal(await patch(path, 0, photo, headers))).toEqual({ status, code, field });
    expect(await offsetOf(path)).toBe(0);
  });

  test('keeps bytes with a checksum only if they match, and none of a lost connection', async () => {
    const path = await begin(photo.byteLength);
    const sum = (algorithm: string, of: Buffer): Headers => ({
      'Upload-Checksum': `${algorithm} ${createHash(algorithm).update(of).digest('base64')}`,
    });
    const a = photo.subarray(0, 10_000);
    expect(await refusal(await patch(path, 0, a, sum('sha1', photo)))).toEqual({
      status: 460,
      code: 'UPLOAD_MISMATCH',
      field: 'Upload-Checksum',
    });
    expect(await offsetOf(path)).toBe(0);
    await cutPatch(path, 0, a, 9_000, sum('sha1', a));
    expect(await offsetOf(path)).toBe(0);
    expect((await patch(path, 0, a, sum('sha1', a))).status).toBe(204);
    const rest = photo.subarray(10_000);
    expect((await patch(path, 10_000, rest, sum('sha256', rest))).headers.get('upload-offset')).toBe(
      String(photo.byteLength),
    );
  });

  test.each([
    ['of no supported type', Buffer.alloc(30_000, 'x'), {}, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['of another type than declared', pdf(30_000), { filetype: 'image/jpeg' }, 422, 'UPLOAD_MISMATCH'],
  ])(
    'refuses a file %s by its first bytes',
    async (_what, file: Buffer, pairs: Record<string, string>, status, code) => {
      const path = await begin(file.byteLength, pairs);
      expect(await refusal(await patch(path, 0, file))).toEqual({ status, code });
      expect(await offsetOf(path)).toBe(0);
    },
  );

  test('refuses an image above the limit of images by its first bytes, before the rest arrives', async () => {
    const path = await begin(60 * MB);
    expect(await refusal(await patch(path, 0, photo))).toEqual({ status: 413, code: 'FILE_TOO_LARGE' });
  });

  test('is refused when the upload has arrived in too many parts', async () => {
    const path = await begin(photo.byteLength);
    await gateway.database.orm
      .update(resumableUploads)
      .set({ parts: MAX_PARTS })
      .where(eq(resumableUploads.uploadId, idIn(path)));
    expect(await refusal(await patch(path, 0, photo))).toEqual({ status: 400, code: 'BAD_USER_INPUT' });
  });
});
