import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { request } from 'undici';
import { describe, expect, jest, test } from '@jest/globals';
import { uploadPrefix } from '../../../src/domain/files/object-keys.ts';
import { picture } from '../../e2e/files.ts';
import { type TestResponse, useGateway } from '../support/gateway.ts';
import { storedUpload } from '../support/records.ts';
import { resultOf, uploadOf } from './stored-files.ts';
import { expectNamed } from '../../support/expect-named.ts';

const gateway = useGateway();

const photo = (): Promise<Buffer> => picture(800, 600).jpeg().toBuffer();
const shown = async (response: TestResponse) => sharp(Buffer.from(await response.arrayBuffer())).metadata();

describe('the preview of an upload', () => {
  test('is a small WebP in the private cache of the browser', async () => {
    const upload = await uploadOf(gateway, await photo(), 'image/jpeg');
    const response = await gateway.fetch(`/v1/uploads/${upload.id}/preview`);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'private, max-age=3600',
      vary: 'Cookie, X-Api-Key',
      'x-content-type-options': 'nosniff',
    });
    expect(await shown(response)).toMatchObject({ format: 'webp', width: 320, height: 240 });
    const etag = response.headers.get('etag')!;
    // Not by fetch, which tells the server to ignore the condition.
    const headers = { 'x-api-key': gateway.key, 'if-none-match': etag };
    const again = await request(`${gateway.url}/v1/uploads/${upload.id}/preview`, { headers });
    expect([again.statusCode, await again.body.text()]).toEqual([304, '']);
  });

  test('of a type that browsers cannot show is available at full size', async () => {
    const heic = await readFile(new URL('../../../packages/engine/test/fixtures/patches.heic', import.meta.url));
    for (const [bytes, type, width] of [
      [await picture(500, 400).tiff().toBuffer(), 'image/tiff', 500],
      [heic, 'image/heic', 128],
    ] as const) {
      const upload = await uploadOf(gateway, bytes, type);
      const response = await gateway.fetch(`/v1/uploads/${upload.id}/preview?width=full`);
      expect(response.headers.get('content-type')).toBe('image/webp');
      expect(await shown(response)).toMatchObject({ format: 'webp', width });
    }
  });

  test('at full size is the file itself if browsers show its type', async () => {
    const bytes = await photo();
    const upload = await uploadOf(gateway, bytes, 'image/jpeg');
    const response = await gateway.fetch(`/v1/uploads/${upload.id}/preview?width=full`);
    expect(response.headers.get('content-type')).toBe('image/jpeg');
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test('is made once for parallel requests, and is deleted with its upload', async () => {
    const upload = await uploadOf(gateway, await photo(), 'image/jpeg');
    const path = `/v1/uploads/${upload.id}/preview?width=960`;
    const answers = await Promise.all(Array.from({ length: 8 }, () => gateway.fetch(path)));
    expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(1);
    const key = `${uploadPrefix(gateway.account.id, upload.id)}/previews/w960`;
    expect(await gateway.storage.head(key)).toBeDefined();
    await gateway.storage.deletePrefix(uploadPrefix(gateway.account.id, upload.id));
    expect(await gateway.storage.head(key)).toBeUndefined();
    expect((await gateway.fetch(path)).status).toBe(404);
  });

  test.each([
    ['another width', 'width=321', 400],
    ['a negative one', 'width=-1', 400],
    ['another parameter', 'height=320', 400],
  ])('is refused: %s', async (_what, query, status) => {
    const upload = await uploadOf(gateway, await photo(), 'image/jpeg');
    expect((await gateway.fetch(`/v1/uploads/${upload.id}/preview?${query}`)).status).toBe(status);
  });

  test('is not found while the file is missing or after the upload failed', async () => {
    const uploads = [
      await storedUpload(gateway, { status: 'UPLOAD_PENDING', objectKey: null, file: null }),
      await storedUpload(gateway, { status: 'UPLOAD_FAILED', errorCode: 'CORRUPT_FILE' }),
      await storedUpload(gateway, { status: 'UPLOAD_DELETED', objectKey: null }),
    ];
    for (const { id } of uploads) {
      const response = await gateway.fetch(`/v1/uploads/${id}/preview`);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  test('of a broken file is refused with its code, and the refusal is cached', async () => {
    const bytes = await photo();
    const upload = await uploadOf(gateway, bytes.subarray(0, bytes.length / 2), 'image/jpeg');
    const path = `/v1/uploads/${upload.id}/preview`;
    expect(await (await gateway.fetch(path)).json()).toMatchObject({ code: 'CORRUPT_FILE' });
    const whole = [bytes] as unknown as AsyncIterable<Uint8Array>;
    const { size, sha256 } = await gateway.storage.put(upload.objectKey!, whole, { maxBytes: 1e9 });
    await gateway.records.uploads.project({ ...upload, revision: 9, file: { ...upload.file!, size, sha256 } });
    expect((await gateway.fetch(path)).status).toBe(422);
    const later = performance.now() + 11 * 60_000;
    jest.spyOn(performance, 'now').mockReturnValue(later);
    expect((await gateway.fetch(path)).status).toBe(200);
    jest.restoreAllMocks();
  });
});

describe('the preview of a result', () => {
  test('is available beside the preview of its original', async () => {
    const upload = await uploadOf(gateway, await photo(), 'image/jpeg');
    const result = await picture(1600, 1200).tiff().toBuffer();
    const enhancement = await resultOf(gateway, upload, result, 'image/tiff');
    const widths = async (path: string) => (await shown(await gateway.fetch(path))).width;
    expect(await widths(`/v1/enhancements/${enhancement.id}/preview?width=full`)).toBe(1600);
    expect(await widths(`/v1/enhancements/${enhancement.id}/preview?width=320`)).toBe(320);
    expect(await widths(`/v1/uploads/${upload.id}/preview?width=full`)).toBe(800);
  });

  test('is not found before the enhancement finishes and after its upload is deleted', async () => {
    const upload = await uploadOf(gateway, await photo(), 'image/jpeg');
    const { id } = await resultOf(gateway, upload, await photo(), 'image/jpeg');
    await gateway.records.uploads.project({ ...upload, revision: 9, status: 'UPLOAD_DELETED', objectKey: null });
    expect((await gateway.fetch(`/v1/enhancements/${id}/preview?width=full`)).status).toBe(404);
  });
});

test('previews of another account are not found', async () => {
  const upload = await uploadOf(gateway, await photo(), 'image/jpeg');
  const enhancement = await resultOf(gateway, upload, await photo(), 'image/jpeg');
  for (const path of [
    `/v1/uploads/${upload.id}/preview`,
    `/v1/uploads/${upload.id}/pdf-images`,
    `/v1/uploads/${upload.id}/pdf-images/5/preview`,
    `/v1/uploads/${upload.id}/timeline`,
    `/v1/enhancements/${enhancement.id}/preview`,
    `/v1/enhancements/${enhancement.id}/pdf-images`,
    `/v1/enhancements/${enhancement.id}/pdf-images/5/preview`,
  ]) {
    expectNamed((await gateway.fetch(path, { key: gateway.foreignKey })).status, path).toBe(404);
    expectNamed((await gateway.fetch(path, { key: null })).status, path).toBe(401);
  }
});
