import { expect, test } from '@jest/globals';
import { initialUpload, type UploadSource } from '../../src/domain/upload/new-upload.ts';

const at = '2026-11-01T12:00:00.000Z';
const file = { size: 30_000, sha256: 'ab'.repeat(32), mimetype: 'image/jpeg' } as const;

const begun = (source: UploadSource) => {
  const account = { id: 'acc_1', retentionDays: 30 };
  const { status, startedAt, objectKey, ...rest } = initialUpload({
    id: 'upl_1',
    account,
    source,
    originalFilename: 'photo.jpg',
    provider: 'local',
    webhookUrl: null,
    at,
  });
  expect(rest).toMatchObject({ revision: 0, createdAt: at, finishedAt: null, width: 0, height: 0, retentionDays: 30 });
  return { status, startedAt, objectKey, file: rest.file };
};

test('an upload whose file is stored or comes from a URL starts at once', () => {
  const stored = begun({ kind: 'stored', objectKey: 'acc_1/upl_1/original', file });
  expect(stored).toEqual({ status: 'UPLOAD_PROCESSING', startedAt: at, objectKey: 'acc_1/upl_1/original', file });
  const fetched = begun({ kind: 'url', url: 'https://example.com/photo.jpg' });
  expect(fetched).toEqual({ status: 'UPLOAD_PROCESSING', startedAt: at, objectKey: null, file: null });
});

test('an upload to a signed URL starts when its file arrives', () => {
  const signed = begun({ kind: 'signed', declared: { size: 30_000, mimetype: 'image/jpeg' }, expiresAt: at });
  expect(signed).toEqual({ status: 'UPLOAD_PENDING', startedAt: null, objectKey: null, file: null });
});
