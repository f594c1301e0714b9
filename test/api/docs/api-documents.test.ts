import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  analysisEventData,
  deletionEventData,
  enhancementEventData,
  type SentEventKind,
  uploadEventData,
} from '@burnish/contract';
import { apiDocuments } from '../../../scripts/api-documents.ts';
import { EVENT_EXAMPLES } from '../../../src/api/openapi/event-examples.ts';
import { EVENT_DATA } from '../../../src/api/openapi/event-data.ts';
import { initialEnhancement } from '../../../src/domain/enhancement/new-enhancement.ts';
import { initialUpload } from '../../../src/domain/upload/new-upload.ts';
import { repositoryRoot } from '../../support/repository.ts';

test.each(['docs/api/openapi.json', 'docs/api/schema.graphql', 'packages/contract/src/representations/answers.ts'])(
  '%s equals what the gateway serves',
  async (path) => {
    const documents = await apiDocuments();
    expect(await readFile(join(repositoryRoot, path), 'utf8')).toBe(documents[path]);
  },
  60_000,
);

test('the OpenAPI document refers to what many operations share, so it stays below 600 kB', async () => {
  expect((await stat(join(repositoryRoot, 'docs/api/openapi.json'))).size).toBeLessThan(600_000);
});

describe('the webhooks of the OpenAPI document', () => {
  const at = '2026-01-31T09:30:00.000Z';
  const account = { id: `acc_${'0'.repeat(26)}`, plan: 'BASIC', retentionDays: 7 };
  const upload = initialUpload({
    id: `upl_${'0'.repeat(26)}`,
    account: account,
    source: { kind: 'url', url: 'https://example.com/a.jpg' },
    originalFilename: 'a.jpg',
    provider: 'local',
    webhookUrl: null,
    at,
  });
  const enhancement = initialEnhancement(
    { id: `enh_${'0'.repeat(26)}`, parameters: {}, maxCredits: null, creditWaitMs: 0 },
    upload,
    at,
  );
  const deleted = { ...upload, status: 'UPLOAD_DELETED' as const, deletionReason: 'user' as const, deletedAt: at };

  test.each([
    ['upload.status_update', uploadEventData(upload)],
    ['upload.sub_status_update', analysisEventData(upload)],
    ['enhanced_image.status_update', enhancementEventData(enhancement)],
    ['upload.deleted', deletionEventData(deleted)],
  ] as const)('describe the data of %s exactly', (kind, data) => {
    expect(EVENT_DATA[kind].parse(data)).toEqual(data);
  });

  test.each(Object.entries(EVENT_EXAMPLES))('show an example of %s that fits its schema', (kind, data) => {
    expect(EVENT_DATA[kind as SentEventKind].parse(data)).toEqual(data);
  });
});
