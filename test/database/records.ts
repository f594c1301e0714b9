import type { Enhancement, Labelled, Upload } from '@burnish/contract';
import * as ids from '@burnish/contract';
import { webhookSecretAad } from '../../src/database/accounts/accounts.ts';
import type { Database } from '../../src/database/database.ts';
import { accounts } from '../../src/database/schema/accounts.ts';
import { testVault } from '../support/test-vault.ts';

export const AT = '2025-03-10T12:00:00.123Z';

const NO_LABELS = { reference: null, customMetadata: null };

export function newId(prefix: 'acc' | 'upl' | 'enh' | 'evt'): string {
  return ids.newId(prefix, Date.parse(AT));
}

/** Another account beside the first one. */
export async function addAccount({ orm }: Database, creditsPerPeriod = 100): Promise<string> {
  const id = newId('acc');
  const plan = 'FREE' as const;
  const webhookSecret = testVault.seal('whsec_c2VjcmV0', webhookSecretAad(id));
  await orm
    .insert(accounts)
    .values({ id, name: 'Test', plan, creditsPerPeriod, retentionDays: 30, webhookSecret, createdAt: AT });
  return id;
}

export function anUpload(accountId: string, given: Partial<Upload> = {}): Labelled<Upload> {
  return {
    id: newId('upl'),
    accountId,
    revision: 1,
    status: 'UPLOAD_FINISHED',
    subStatus: null,
    waitingFor: null,
    errorCode: null,
    errorDetail: null,
    originalFilename: 'photo "ü" 日本.jpg',
    objectKey: 'a/b/original',
    file: { size: 30_000, sha256: 'ab'.repeat(32), mimetype: 'image/jpeg' },
    width: 640,
    height: 480,
    analysis: null,
    provider: 'local',
    remoteId: null,
    webhookUrl: null,
    retentionDays: 30,
    createdAt: AT,
    startedAt: '2025-03-10T12:00:01.000Z',
    finishedAt: null,
    deletedAt: null,
    deletionReason: null,
    ...NO_LABELS,
    ...given,
  };
}

export function anEnhancement(upload: Upload, given: Partial<Enhancement> = {}): Labelled<Enhancement> {
  return {
    id: newId('enh'),
    uploadId: upload.id,
    accountId: upload.accountId,
    revision: 1,
    status: 'QUEUED',
    waitingFor: null,
    parameters: { mode: 'ENHANCE', upscalingFactor: 'X2' },
    provider: 'local',
    remoteId: null,
    preset: null,
    maxCredits: null,
    creditWaitMs: 86_400_000,
    estimatedCredits: null,
    chargedCredits: null,
    result: null,
    engine: null,
    reusedFrom: null,
    basedOn: null,
    destination: null,
    errorCode: null,
    errorDetail: null,
    createdAt: AT,
    startedAt: null,
    finishedAt: null,
    ...NO_LABELS,
    ...given,
  };
}

export function aFinished(upload: Upload, given: Partial<Enhancement> = {}): Enhancement {
  return anEnhancement(upload, {
    revision: 5,
    status: 'FINISHED',
    result: {
      objectKey: 'r',
      size: 5,
      originalSize: 5,
      sha256: 'cd'.repeat(32),
      mimetype: 'image/jpeg',
      filename: 'out.jpg',
      width: 2,
      height: 2,
    },
    engine: { version: '1', steps: ['tone'], models: [], notes: [], durationMs: 5 },
    finishedAt: AT,
    ...given,
  });
}

/** Room for more than any test starts. */
export const MUCH_ROOM = { jobs: 1_000_000, storedBytes: 1_000_000_000_000_000 };
