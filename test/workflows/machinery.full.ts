import { describe, expect, it } from '@jest/globals';
import { Failure, type Machinery } from '@burnish/contract';
import { withRareRetries, workflowBundle } from '../support/workflow-bundle.ts';
import { useLifecycle } from './use-lifecycle.ts';
import '../setup/quiet-temporal.ts';
import { readdir } from 'node:fs/promises';
import type { SourceFile } from '../../src/activities/inputs/schemas.ts';
import { withOriginal } from '../../src/activities/needed-files.ts';
import { createAuditLog } from '../../src/database/accounts/audit-log.ts';
import { deleteUpload } from '../../src/domain/temporal/workflow-interface.ts';
import { unmount } from '../support/marked-store.ts';

const lifecycle = useLifecycle({ creditsPerPeriod: 1000, bundle: withRareRetries(workflowBundle) });

const away = (machinery: Machinery): Promise<never> =>
  Promise.reject(new Failure('UNAVAILABLE', { detail: 'Away for a test.', machinery }));

describe('trouble of the machinery', () => {
  it('with storage for twelve attempts costs an enhancement neither its file nor a second charge', async () => {
    let attempts = 0;
    lifecycle.provider.script.enhance = () => ((attempts += 1) <= 12 ? away('storage') : Promise.resolve());
    const before = await lifecycle.balance();
    const { id, enhancementIds } = await lifecycle.start({ enhancements: [{}] });
    const finished = await lifecycle.settled(enhancementIds[0]!);
    expect(attempts).toBe(13);
    expect(finished).toMatchObject({ status: 'FINISHED', waitingFor: null, chargedCredits: 1 });
    expect((await lifecycle.balance()).used).toBe(before.used + 1);
    expect(await lifecycle.filesOf(id)).toContain('original.object');
  });

  it('with storage appears in the record and the timeline of an enhancement', async () => {
    let back = false;
    lifecycle.provider.script.enhance = () => (back ? Promise.resolve() : away('storage'));
    const { handle, enhancementIds } = await lifecycle.start({ enhancements: [{}] });
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'PROCESSING');
    await lifecycle.passTime('1 min');
    expect(await lifecycle.findEnhancement(enhancementIds[0]!)).toMatchObject({
      status: 'PROCESSING',
      waitingFor: 'storage',
    });
    const details = await handle.query<string>('__temporal_workflow_metadata');
    expect(JSON.stringify(details)).toContain('Waiting for the storage. Burnish retries at least once a minute.');
    back = true;
    expect(await lifecycle.settled(enhancementIds[0]!)).toMatchObject({ status: 'FINISHED', waitingFor: null });
  });

  it('with storage delays an upload until storage is available again', async () => {
    let attempts = 0;
    lifecycle.provider.script.inspect = () =>
      (attempts += 1) <= 6 ? away('storage') : Promise.resolve({ width: 1, height: 1, hasAlpha: false, notes: [] });
    const { id, enhancementIds } = await lifecycle.start({ enhancements: [{}] });
    await lifecycle.settled(enhancementIds[0]!);
    expect(await lifecycle.findUpload(id)).toMatchObject({ status: 'UPLOAD_FINISHED', waitingFor: null });
  });

  it('with storage for a day ends the enhancement with UNAVAILABLE, charges nothing and keeps the file', async () => {
    lifecycle.provider.script.enhance = () => away('storage');
    const before = await lifecycle.balance();
    const { id, enhancementIds } = await lifecycle.start({ enhancements: [{}] });
    const ended = await lifecycle.settled(enhancementIds[0]!);
    expect(ended).toMatchObject({ status: 'ERROR', errorCode: 'UNAVAILABLE', chargedCredits: null });
    const waitedMs = Date.parse(ended.finishedAt!) - Date.parse(ended.startedAt!);
    expect(waitedMs).toBeGreaterThan(23 * 3_600_000);
    expect(await lifecycle.balance()).toEqual(before);
    expect(await lifecycle.filesOf(id)).toContain('original.object');
  });

  it('of unknown kind fails an upload, which keeps its bytes until its retention', async () => {
    lifecycle.provider.script.inspect = () => Promise.reject(new Error('nobody knows'));
    const { id, handle } = await lifecycle.start({ enhancements: [{}] });
    await lifecycle.passTime('5 min');
    const failed = await lifecycle.uploadReaches(id, 'UPLOAD_FAILED');
    expect(failed).toMatchObject({ errorCode: 'INTERNAL', objectKey: expect.any(String) as unknown as string });
    expect(await lifecycle.filesOf(id)).toContain('original.object');
    await handle.result();
    expect(await lifecycle.filesOf(id)).toEqual([]);
  });

  it('of a file over the limit fails an upload, which keeps its bytes until its retention', async () => {
    lifecycle.provider.script.inspect = () => Promise.reject(new Failure('PROCESSING_LIMIT'));
    const { id, handle } = await lifecycle.start({ enhancements: [{}] });
    const failed = await lifecycle.uploadReaches(id, 'UPLOAD_FAILED');
    expect(failed).toMatchObject({
      errorCode: 'PROCESSING_LIMIT',
      objectKey: expect.any(String) as unknown as string,
    });
    expect(await lifecycle.filesOf(id)).toContain('original.object');
    await handle.result();
    expect(await lifecycle.filesOf(id)).toEqual([]);
  });

  it('by twenty shutdowns of the worker does not use up the attempts of an enhancement', async () => {
    let attempts = 0;
    lifecycle.provider.script.enhance = () => ((attempts += 1) <= 20 ? away('worker') : Promise.resolve());
    const { enhancementIds } = await lifecycle.start({ enhancements: [{}] });
    expect(await lifecycle.settled(enhancementIds[0]!)).toMatchObject({ status: 'FINISHED' });
    expect(attempts).toBe(21);
  });

  it('does not use up the attempts of an unknown error', async () => {
    let attempts = 0;
    lifecycle.provider.script.enhance = () => {
      attempts += 1;
      if (attempts <= 8) return away('storage');
      return attempts <= 11 ? Promise.reject(new Error('nobody knows')) : Promise.resolve();
    };
    const { enhancementIds } = await lifecycle.start({ enhancements: [{}] });
    expect(await lifecycle.settled(enhancementIds[0]!)).toMatchObject({ status: 'FINISHED' });
  });

  it('does not delay the failure of a file that is proved bad, with its own code', async () => {
    let attempts = 0;
    lifecycle.provider.script.enhance = () =>
      (attempts += 1) <= 7 ? away('disk') : Promise.reject(new Failure('CORRUPT_FILE'));
    const { enhancementIds } = await lifecycle.start({ enhancements: [{}] });
    expect(await lifecycle.settled(enhancementIds[0]!)).toMatchObject({ status: 'ERROR', errorCode: 'CORRUPT_FILE' });
    expect(attempts).toBe(8);
  });
});

describe('a lifecycle', () => {
  /** Reads the original as the engine does. */
  const read = async ({ source }: { source: SourceFile }): Promise<void> =>
    withOriginal(lifecycle.store, source, () => Promise.resolve());
  const entries = async (subjectId: string) =>
    (await createAuditLog(lifecycle.database).list(null, { subjectId, limit: 10 })).items;

  it('of enhancements waits for unmounted storage, and then finishes with one charge each', async () => {
    lifecycle.provider.script.enhance = read;
    const before = await lifecycle.balance();
    const remount: (() => Promise<void>)[] = [];
    lifecycle.provider.script.inspect = async () => {
      if (remount.length === 0) remount.push(await unmount(lifecycle.filesRoot));
      return { width: 1, height: 1, hasAlpha: false, notes: [] };
    };
    const { id, enhancementIds } = await lifecycle.start({ enhancements: [{}, { parameters: { mode: 'VIVID' } }] });
    await lifecycle.enhancementReaches(enhancementIds[1]!, 'PROCESSING');
    await lifecycle.passTime('10 min');
    for (const each of enhancementIds) {
      expect(await lifecycle.findEnhancement(each)).toMatchObject({ status: 'PROCESSING', waitingFor: 'storage' });
    }
    expect(await readdir(lifecycle.filesRoot)).toEqual([]);
    await remount[0]!();
    for (const each of enhancementIds) {
      expect(await lifecycle.settled(each)).toMatchObject({ status: 'FINISHED', chargedCredits: 1 });
    }
    expect((await lifecycle.balance()).used).toBe(before.used + 2);
    expect(await lifecycle.filesOf(id)).toContain('original.object');
  });

  it('of an enhancement whose original alone is gone ends with ORIGINAL_MISSING, a release, an event and an entry', async () => {
    lifecycle.provider.script.enhance = read;
    const before = await lifecycle.balance();
    const { id } = await lifecycle.start({ webhookUrl: 'https://127.0.0.1:9/hook' });
    await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
    const { objectKey } = (await lifecycle.findUpload(id))!;
    await lifecycle.store.delete(objectKey!);
    const enhancementId = await lifecycle.order(id);
    const ended = await lifecycle.settled(enhancementId);
    expect(ended).toMatchObject({
      status: 'ERROR',
      errorCode: 'ORIGINAL_MISSING',
      errorDetail: 'The original is no longer in storage.',
      chargedCredits: null,
    });
    expect(await lifecycle.balance()).toEqual(before);
    const { items } = await lifecycle.deliveries.list(lifecycle.account.id, { limit: 50 });
    expect(items.filter(({ eventKind }) => eventKind === 'enhanced_image.status_update')).toHaveLength(1);
    expect(await entries(id)).toMatchObject([
      {
        actor: 'burnish',
        action: 'upload.original_missing',
        details: { accountId: lifecycle.account.id, enhancementId },
      },
    ]);
  });

  it('of an upload whose original alone is gone before the inspection fails without an address of the file', async () => {
    lifecycle.provider.script.inspect = async (source) => {
      await lifecycle.store.delete(source.objectKey);
      await read({ source });
      return { width: 1, height: 1, hasAlpha: false, notes: [] };
    };
    const { id, enhancementIds } = await lifecycle.start({ enhancements: [{}] });
    const failed = await lifecycle.uploadReaches(id, 'UPLOAD_FAILED');
    await lifecycle.settled(enhancementIds[0]!);
    expect(failed).toMatchObject({ errorCode: 'ORIGINAL_MISSING', objectKey: null });
    expect(await entries(id)).toHaveLength(2);
  });

  it('is deleted only when the storage with the marker has deleted its files', async () => {
    const { id, handle } = await lifecycle.start({});
    await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
    const remount = await unmount(lifecycle.filesRoot);
    const deletion = await handle.startUpdate(deleteUpload, { waitForStage: 'ACCEPTED' });
    await lifecycle.passTime('10 min');
    expect(await lifecycle.findUpload(id)).toMatchObject({ status: 'UPLOAD_FINISHED' });
    await remount();
    expect(await lifecycle.filesOf(id)).toContain('original.object');
    await lifecycle.passTime('2 min');
    expect(await deletion.result()).toMatchObject({ status: 'UPLOAD_DELETED' });
    expect(await lifecycle.filesOf(id)).toEqual([]);
  });
});
