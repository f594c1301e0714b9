import { type Enhancement, newId, type MediaType, type Upload } from '@burnish/contract';
import { originalKey, resultKey } from '../../../src/domain/files/object-keys.ts';
import type { TestGateway } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';

/** An upload that is there, with its file in storage. */
export async function uploadOf(
  gateway: TestGateway,
  bytes: Buffer,
  mimetype: MediaType,
  more: Partial<Upload> = {},
): Promise<Upload> {
  const id = newId('upl', Date.now());
  const { size, sha256 } = await put(gateway, originalKey(gateway.account.id, id), bytes);
  const objectKey = originalKey(gateway.account.id, id);
  return await storedUpload(gateway, { ...more, id, objectKey, file: { size, sha256, mimetype } });
}

/** A finished enhancement of it, with its result in storage. */
export async function resultOf(
  gateway: TestGateway,
  upload: Upload,
  bytes: Buffer,
  mimetype: MediaType,
  more: Partial<Enhancement> = {},
): Promise<Enhancement> {
  const id = newId('enh', Date.now());
  const objectKey = resultKey(gateway.account.id, upload.id, id);
  const { size, sha256 } = await put(gateway, objectKey, bytes);
  const result = {
    objectKey,
    size,
    originalSize: upload.file!.size,
    sha256,
    mimetype,
    filename: 'photo-enhanced.jpg',
    width: 0,
    height: 0,
  };
  return await storedEnhancement(gateway, upload, { id, status: 'FINISHED', result, ...more });
}

function put(gateway: TestGateway, key: string, bytes: Buffer): Promise<{ size: number; sha256: string }> {
  return gateway.storage.put(key, [bytes] as unknown as AsyncIterable<Uint8Array>, { maxBytes: 1e9 });
}
