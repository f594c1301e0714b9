import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { EventKind } from '@burnish/contract';
import { createCreditLedger } from '../../src/database/credits/credit-ledger.ts';
import type { Database } from '../../src/database/database.ts';
import { createIdempotencyKeys } from '../../src/database/uploads/idempotency-keys.ts';
import { createLifecycleSteps, type LifecycleSteps } from '../../src/database/uploads/lifecycle-steps.ts';
import { createUploadStarts } from '../../src/database/uploads/upload-starts.ts';
import { createStagedFiles } from '../../src/database/uploads/staged-files.ts';
import { createUploads } from '../../src/database/uploads/uploads.ts';
import { createDeliveries } from '../../src/database/webhooks/deliveries.ts';
import { createWebhookEndpoints } from '../../src/database/webhooks/webhook-endpoints.ts';
import { testVault } from '../support/test-vault.ts';
import { DATABASES, type TestDatabase } from './databases.ts';
import { expectSoundLedger } from './ledger-soundness.ts';
import { addAccount, aFinished, anEnhancement, anUpload, MUCH_ROOM } from './records.ts';

const MARCH = Date.parse('2025-03-10T12:00:00.000Z');
const FACTS = { sourceSha256: 'ab'.repeat(32), fingerprint: 'f', engineVersion: '1' };

describe.each(DATABASES)('the steps of a lifecycle on %s', (_name, open) => {
  let opened: TestDatabase;
  let database: Database;
  let steps: LifecycleSteps;
  let accountId: string;

  beforeAll(async () => {
    opened = await open();
    database = opened.database;
    steps = createLifecycleSteps(database, testVault, () => MARCH);
  });
  beforeEach(async () => {
    accountId = await addAccount(database, 10);
  });
  afterAll(() => opened.close());

  const announce = (kind: EventKind, source: string, webhookUrl: string | null) => ({
    ...{ kind, source, eventKey: kind, created: new Date(MARCH).toISOString(), webhookUrl },
  });
  const times = <T>(count: number, step: (index: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => step(index)));
  const begin = (upload = anUpload(accountId), credits = 4) => ({
    ...{ facts: FACTS, sentence: 'Enhancing.', reuse: false, credits, nowMs: MARCH, announce: null },
    enhancement: anEnhancement(upload, { status: 'PROCESSING', estimatedCredits: credits }),
  });

  test('have one effect and one answer when a hundred repetitions of each come at once', async () => {
    const upload = anUpload(accountId);
    const told = await times(100, () =>
      steps.recordUpload({
        upload,
        sentence: 'Received.',
        announce: announce('upload.status_update', upload.id, 'https://own.example/hook'),
      }),
    );
    expect(told[0]!.ofUpload).toHaveLength(1);
    expect(told).toEqual(Array(100).fill(told[0]));

    const started = begin(upload);
    const begun = await times(100, () => steps.beginEnhancement(started));
    expect(begun).toEqual(Array(100).fill({ outcome: 'reserved', deliveries: [], lowCredits: [] }));
    const { id } = started.enhancement;
    const finished = await times(100, () =>
      steps.recordEnhancement({
        enhancement: aFinished(upload, { id, revision: 2 }),
        ...{ facts: FACTS, sentence: 'Finished.', settle: { capture: 3 }, nowMs: MARCH },
        announce: announce('enhanced_image.status_update', id, 'https://own.example/hook'),
      }),
    );
    expect(finished[0]).toHaveLength(1);
    expect(finished).toEqual(Array(100).fill(finished[0]));

    const { items } = await createDeliveries(database, testVault).list(accountId, { limit: 10 });
    expect(items.map(({ id: delivery }) => delivery).sort()).toEqual(
      [...told[0]!.ofUpload, ...finished[0]!].map(({ id: delivery }) => delivery).sort(),
    );
    const balance = await createCreditLedger(database).balance(accountId, MARCH);
    expect(balance).toMatchObject({ used: 3, reserved: 0, remaining: 7 });
    await expectSoundLedger(database, accountId);
  });

  test('report each level of low credits once, in whatever order reservations come', async () => {
    const endpoints = createWebhookEndpoints(database, testVault);
    const { endpoint } = await endpoints.create(accountId, { url: 'https://a.example/hook', events: ['credits.low'] });
    const upload = anUpload(accountId);
    await createUploads(database, testVault).project(upload);
    const begun = await times(14, () => steps.beginEnhancement(begin(upload, 1)));
    expect(begun.filter(({ outcome }) => outcome === 'reserved')).toHaveLength(10);
    const low = begun.flatMap((each) => (each.outcome === 'reserved' ? each.lowCredits : []));
    expect(low.map(({ endpointId }) => endpointId)).toEqual([endpoint.id, endpoint.id]);
    const { rows } = await database.orm.execute(
      sql`select data ->> 'level' as level from webhook_events where account_id = ${accountId} order by 1`,
    );
    expect(rows).toHaveLength(2);
    await expectSoundLedger(database, accountId);
  });

  test('begin nothing after the end of an enhancement, also if both come at once', async () => {
    const upload = anUpload(accountId);
    await createUploads(database, testVault).project(upload);
    const ledger = createCreditLedger(database);
    await times(30, async () => {
      const started = begin(upload, 1);
      const { id: enhancementId } = started.enhancement;
      await Promise.all([
        steps.beginEnhancement(started),
        ledger.release({ accountId, enhancementId, nowMs: MARCH }),
        steps.beginEnhancement(started),
      ]);
    });
    expect(await ledger.balance(accountId, MARCH)).toMatchObject({ used: 0, reserved: 0, remaining: 10 });
    await expectSoundLedger(database, accountId);
  });

  test('start with nothing written where the account has no room', async () => {
    const starts = createUploadStarts(database, testVault);
    const staged = createStagedFiles(database, () => 0);
    const start = (key: string) => {
      const upload = { ...anUpload(accountId, { revision: 0, status: 'UPLOAD_PROCESSING' }) };
      const claim = { accountId, key, operation: 'createUpload', fingerprint: key, subjectId: upload.id };
      const enhancements = [anEnhancement(upload, { revision: 0 })];
      return { upload, enhancements, keyId: null, input: {} as never, claim, expectedBytes: 30_000 };
    };
    expect(await starts.record({ ...start('first'), room: MUCH_ROOM })).toEqual({ outcome: 'written' });
    const second = start('second');
    await staged.add(second.upload.id, second.upload.objectKey!);
    const open = { enhancements: 1, uploads: 1, storedBytes: 30_000 };
    for (const room of [
      { ...MUCH_ROOM, jobs: 1 },
      { ...MUCH_ROOM, storedBytes: 59_999 },
    ])
      expect(await starts.record({ ...second, room })).toEqual({ outcome: 'refused', open });
    expect(await createUploads(database, testVault).get(accountId, second.upload.id)).toBeUndefined();
    expect(await createIdempotencyKeys(database).isClaimed(accountId, 'second')).toBe(false);
    expect((await staged.olderThan(-1)).map(({ uploadId }) => uploadId)).toContain(second.upload.id);
    expect(await starts.record({ ...second, room: { jobs: 2, storedBytes: 60_000 } })).toEqual({ outcome: 'written' });
    expect((await staged.olderThan(-1)).map(({ uploadId }) => uploadId)).not.toContain(second.upload.id);
  });
});
