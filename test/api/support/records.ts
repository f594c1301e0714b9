import { type Enhancement, newId, type Upload } from '@burnish/contract';
import { initialEnhancement } from '../../../src/domain/enhancement/new-enhancement.ts';
import { originalKey } from '../../../src/domain/files/object-keys.ts';
import { initialUpload } from '../../../src/domain/upload/new-upload.ts';
import type { TestGateway } from './gateway.ts';

/** Stores the record of a finished upload. */
export async function storedUpload(gateway: TestGateway, given: Partial<Upload> = {}): Promise<Upload> {
  const file = { size: 30_000, sha256: 'ab'.repeat(32), mimetype: 'image/jpeg' as const };
  const id = given.id ?? newId('upl', Date.now());
  const objectKey = originalKey(gateway.account.id, id);
  const upload: Upload = {
    ...initialUpload({
      id,
      account: gateway.account,
      source: { kind: 'stored', objectKey, file },
      originalFilename: 'photo.jpg',
      provider: 'local',
      webhookUrl: null,
      at: new Date().toISOString(),
    }),
    status: 'UPLOAD_FINISHED',
    ...given,
  };
  await gateway.records.uploads.project(upload);
  return upload;
}

/** Stores the record of an enhancement of the upload. */
export async function storedEnhancement(
  gateway: TestGateway,
  upload: Upload,
  given: Partial<Enhancement> = {},
): Promise<Enhancement> {
  const request = {
    id: newId('enh', Date.now()),
    parameters: {},
    maxCredits: null,
    creditWaitMs: 0,
  };
  const enhancement = { ...initialEnhancement(request, upload, new Date().toISOString()), ...given };
  await gateway.records.enhancements.project(enhancement);
  return enhancement;
}
