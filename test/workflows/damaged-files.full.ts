import { describe, expect, it } from '@jest/globals';
import { withOriginal } from '../../src/activities/needed-files.ts';
import { createAuditLog } from '../../src/database/accounts/audit-log.ts';
import { originalKey, resultKey } from '../../src/domain/files/object-keys.ts';
import type { SourceFile } from '../../src/activities/inputs/schemas.ts';
import { cutOff, flipBit, objectPath, rot, zeroTail } from '../support/rot.ts';
import { startReceiver } from './receiver.ts';
import { useLifecycle } from './use-lifecycle.ts';
import '../setup/quiet-temporal.ts';

const lifecycle = useLifecycle({ creditsPerPeriod: 10 });

/** Reads the original as the engine does. */
const read = async ({ source }: { source: SourceFile }): Promise<void> =>
  withOriginal(lifecycle.store, source, () => Promise.resolve());
const damage = (key: string, change: (bytes: Buffer) => Buffer): Promise<void> =>
  rot(objectPath(lifecycle.filesRoot, key), change);
const original = (uploadId: string): string => originalKey(lifecycle.account.id, uploadId);
const result = (uploadId: string, id: string): string => resultKey(lifecycle.account.id, uploadId, id);

describe('a damaged original', () => {
  it.each([
    ['flipped', flipBit],
    ['zeroed', zeroTail],
    ['cut off', cutOff],
  ])('that is %s before the order costs nothing, remains, and works again after a restore', async (_, change) => {
    lifecycle.provider.script.enhance = read;
    const before = await lifecycle.balance();
    const { id } = await lifecycle.start({});
    await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
    let bytes: Buffer = Buffer.alloc(0);
    await damage(original(id), (whole) => change((bytes = whole)));
    const ended = await lifecycle.settled(await lifecycle.order(id));
    expect(ended).toMatchObject({ status: 'ERROR', errorCode: 'ORIGINAL_DAMAGED', chargedCredits: null });
    expect(Date.parse(ended.finishedAt!) - Date.parse(ended.startedAt!)).toBeLessThan(5 * 60_000);
    expect(await lifecycle.balance()).toEqual(before);
    const { items } = await createAuditLog(lifecycle.database).list(null, { subjectId: id, limit: 10 });
    expect(items).toMatchObject([{ action: 'upload.original_damaged', details: { enhancementId: ended.id } }]);
    expect(await lifecycle.findUpload(id)).toMatchObject({ status: 'UPLOAD_FINISHED', objectKey: original(id) });
    expect(await lifecycle.filesOf(id)).toEqual(['original.object']);

    await damage(original(id), () => bytes);
    const healed = await lifecycle.settled(await lifecycle.order(id));
    expect(healed).toMatchObject({ status: 'FINISHED', chargedCredits: 1 });
  });

  it('that is well again within a minute is enhanced, for one charge', async () => {
    let attempts = 0;
    const { id } = await lifecycle.start({});
    await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
    let bytes: Buffer = Buffer.alloc(0);
    await damage(original(id), (whole) => flipBit((bytes = whole)));
    lifecycle.provider.script.enhance = async (job) => {
      if ((attempts += 1) === 3) await damage(original(id), () => bytes);
      await read(job);
    };
    const ended = await lifecycle.settled(await lifecycle.order(id));
    expect([attempts, ended]).toMatchObject([3, { status: 'FINISHED', chargedCredits: 1 }]);
  });

  it('before the inspection fails the upload without blame, and deletes nothing', async () => {
    lifecycle.provider.script.inspect = async (source) => {
      if ((await lifecycle.store.head(source.objectKey))?.size === source.size) await damage(source.objectKey, cutOff);
      await read({ source });
      return { width: 1, height: 1, hasAlpha: false, notes: [] };
    };
    const { id, enhancementIds } = await lifecycle.start({ enhancements: [{}] });
    expect(await lifecycle.settled(enhancementIds[0]!)).toMatchObject({ errorCode: 'ORIGINAL_DAMAGED' });
    const failed = await lifecycle.uploadReaches(id, 'UPLOAD_FAILED');
    expect(failed).toMatchObject({ errorCode: 'ORIGINAL_DAMAGED', objectKey: original(id) });
    expect(await lifecycle.filesOf(id)).toEqual(['original.object']);
  });
});

describe('a damaged result', () => {
  it('is made anew by an equal order at no charge, and the new one is reused', async () => {
    const content = 'one picture in three uploads';
    const first = await lifecycle.start({ content, enhancements: [{}] });
    expect(await lifecycle.settled(first.enhancementIds[0]!)).toMatchObject({ chargedCredits: 1 });
    await damage(result(first.id, first.enhancementIds[0]!), cutOff);
    const before = await lifecycle.balance();

    const second = await lifecycle.start({ content, enhancements: [{}] });
    const anew = await lifecycle.settled(second.enhancementIds[0]!);
    expect(anew).toMatchObject({ status: 'FINISHED', chargedCredits: 0, estimatedCredits: 0, reusedFrom: null });
    expect(lifecycle.provider.calls).toContain(`enhance ${anew.id}`);
    const { size, sha256 } = (await lifecycle.store.head(result(second.id, anew.id)))!;
    expect(anew.result).toMatchObject({ size, sha256 });

    const third = await lifecycle.start({ content, enhancements: [{}] });
    const reused = await lifecycle.settled(third.enhancementIds[0]!);
    expect(reused).toMatchObject({ status: 'FINISHED', chargedCredits: 0, reusedFrom: anew.id });
    expect(await lifecycle.balance()).toEqual(before);
  });

  it('never reaches its destination', async () => {
    await using receiver = await startReceiver([503, 200]);
    const { id } = await lifecycle.start({ content: 'for a destination' });
    await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
    const enhancementId = await lifecycle.order(id, { destination: { url: receiver.url } });
    await lifecycle.timeBrings(enhancementId, ({ waitingFor }) => waitingFor === 'destination');
    await damage(result(id, enhancementId), zeroTail);
    const ended = await lifecycle.timeBrings(enhancementId, ({ destination }) => destination?.status === 'FAILED');
    expect(ended).toMatchObject({ status: 'FINISHED', destination: { errorCode: 'RESULT_DAMAGED' } });
    expect(receiver.requests).toHaveLength(1);
  });
});
