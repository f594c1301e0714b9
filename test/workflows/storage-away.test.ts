import '../setup/quiet-temporal.ts';
import { readdir } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { withOriginal } from '../../src/activities/needed-files.ts';
import { createAuditLog } from '../../src/database/accounts/audit-log.ts';
import { deleteUpload } from '../../src/domain/temporal/workflow-interface.ts';
import { unmount } from '../support/marked-store.ts';
import { useLifecycle } from './use-lifecycle.ts';

describe('a lifecycle', () => {
  const lifecycle = useLifecycle({ creditsPerPeriod: 1000 });

  /** Reads the original as the engine does. */
  const read = async ({ source }: { source: { objectKey: string } }): Promise<void> =>
    withOriginal(lifecycle.store, source, () => Promise.resolve());
  const entries = async (subjectId: string) =>
    (await createAuditLog(lifecycle.database).list(null, { subjectId, limit: 10 })).items;

  it('of enhancements waits for unmounted storage, and then finishes with one charge each', async () => {
    lifecycle.provider.script.enhance = read;
    const before = await lifecycle.balance();
    const remount: (() => Promise<void>)[] = [];
    lifecycle.provider.script.inspect = async () => {
      if (remount.length === 0) remount.push(await unmount(lifecycle.filesRoot));
      return { width: 1, height: 1, notes: [] };
    };
    const { id, enhancementIds } = await lifecycle.start({ enhancements: [{}, { parameters: { mode: 'VIVID' } }] });
    await lifecycle.enhancementReaches(enhancementIds[1]!, 'PROCESSING');
    await lifecycle.env.sleep('10 min');
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
      return { width: 1, height: 1, notes: [] };
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
    await lifecycle.env.sleep('10 min');
    expect(await lifecycle.findUpload(id)).toMatchObject({ status: 'UPLOAD_FINISHED' });
    await remount();
    expect(await lifecycle.filesOf(id)).toContain('original.object');
    await lifecycle.env.sleep('2 min');
    expect(await deletion.result()).toMatchObject({ status: 'UPLOAD_DELETED' });
    expect(await lifecycle.filesOf(id)).toEqual([]);
  });
});
