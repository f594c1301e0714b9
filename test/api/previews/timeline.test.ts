import { describe, expect, test } from '@jest/globals';
import { useGateway } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';

const gateway = useGateway();

describe('the timeline of an upload', () => {
  test('lists the events of the upload and its enhancements in words and in order, and nothing else', async () => {
    const upload = await storedUpload(gateway, { status: 'UPLOAD_PROCESSING' });
    const { uploads, enhancements } = gateway.records;
    await uploads.project({ ...upload, revision: 1, status: 'UPLOAD_FINISHED' }, 'Received: a JPEG.');
    const enhancement = await storedEnhancement(gateway, upload);
    await enhancements.project({ ...enhancement, revision: 1, status: 'CANCELLED' }, null, 'Cancelled.');
    const response = await gateway.fetch(`/v1/uploads/${upload.id}/timeline`);
    const { items, next } = await response.json();
    expect(next).toBeNull();
    expect(items).toEqual([
      { ...entry('upload', upload.id), status: 'UPLOAD_PROCESSING', sentence: 'The upload was accepted.' },
      { ...entry('upload', upload.id), status: 'UPLOAD_FINISHED', sentence: 'Received: a JPEG.' },
      { ...entry('enhancement', enhancement.id), status: 'QUEUED', sentence: 'The enhancement was ordered.' },
      { ...entry('enhancement', enhancement.id), status: 'CANCELLED', sentence: 'Cancelled.' },
    ]);
  });

  test('is paged, and remains after a deletion', async () => {
    const upload = await storedUpload(gateway);
    for (let revision = 1; revision <= 4; revision += 1) {
      const status = revision === 4 ? 'UPLOAD_DELETED' : upload.status;
      await gateway.records.uploads.project({ ...upload, revision, status }, `Change ${revision}.`);
    }
    const read = async (query: string) => (await gateway.fetch(`/v1/uploads/${upload.id}/timeline?${query}`)).json();
    const first = await read('limit=3');
    expect(first.items.map(({ sentence }: { sentence: string }) => sentence).slice(1)).toEqual([
      'Change 1.',
      'Change 2.',
    ]);
    const second = await read(`limit=3&after=${first.next}`);
    expect(second.items.map(({ sentence }: { sentence: string }) => sentence)).toEqual(['Change 3.', 'Change 4.']);
    expect(second.next).toBeNull();
  });

  const entry = (subject: string, id: string) => ({ at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/), subject, id });
});

describe('the search of uploads by file name', () => {
  const names = async (query: string): Promise<string[]> => {
    const { items } = await (await gateway.fetch(`/v1/uploads?${query}`)).json();
    return items.map(({ originalFilename }: { originalFilename: string }) => originalFilename);
  };

  test('matches any part of the name in any case, and takes pattern characters literally', async () => {
    for (const originalFilename of ['Sommer 100%.jpg', 'sommer_100.jpg', 'Winter\\x.jpg', 'sommerx100.jpg']) {
      await storedUpload(gateway, { originalFilename });
    }
    expect((await names('search=SOMMER')).sort()).toEqual(['Sommer 100%.jpg', 'sommer_100.jpg', 'sommerx100.jpg']);
    expect(await names('search=100%25')).toEqual(['Sommer 100%.jpg']);
    expect(await names('search=r_1')).toEqual(['sommer_100.jpg']);
    expect(await names('search=%5Cx')).toEqual(['Winter\\x.jpg']);
    expect(await names('search=%25%25')).toEqual([]);
  });

  test('is paged, and covers only the own account', async () => {
    await storedUpload(gateway, { originalFilename: 'page a.jpg' });
    await storedUpload(gateway, { originalFilename: 'page b.jpg' });
    const first = await (await gateway.fetch('/v1/uploads?search=page&limit=1')).json();
    expect(await names(`search=page&limit=1&after=${first.next}`)).toHaveLength(1);
    const foreign = await gateway.fetch('/v1/uploads?search=page', { key: gateway.foreignKey });
    expect((await foreign.json()).items).toEqual([]);
  });

  test.each(['', 'x'.repeat(101), '%00'])('refuses %j', async (text) => {
    expect((await gateway.fetch(`/v1/uploads?search=${text}`)).status).toBe(400);
  });
});
