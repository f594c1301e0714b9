import '../setup/quiet-temporal.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../src/domain/failures.ts';
import { analyzeAgain, deleteUpload, requestEnhancement } from '../../src/domain/messages.ts';
import { startLifecycle, type Lifecycle } from './lifecycle.ts';

const DAY_MS = 24 * 3_600_000;

describe('the lifecycle of an upload', () => {
  let lifecycle: Lifecycle;
  beforeAll(async () => {
    lifecycle = await startLifecycle();
  });
  afterAll(() => lifecycle[Symbol.asyncDispose]());

  it('takes an image from received to enhanced, and charges it once', async () => {
    const before = await lifecycle.balance();
    const { id, enhancementIds } = await lifecycle.start({ enhancements: [{ parameters: { upscalingFactor: 'X2' } }] });

    const enhancement = await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    expect(enhancement).toMatchObject({ estimatedCredits: 4, chargedCredits: 4, errorCode: null });
    expect(enhancement.finishedAt).not.toBeNull();
    expect(await lifecycle.store.head(enhancement.result!.objectKey)).toBeDefined();
    expect(await lifecycle.findUpload(id)).toMatchObject({
      status: 'UPLOAD_FINISHED',
      subStatus: null,
      width: 640,
      height: 480,
    });
    const after = await lifecycle.balance();
    expect(after).toMatchObject({ used: before.used + 4, reserved: 0, remaining: before.remaining - 4 });
  });

  it('removes everything but a tombstone when the retention of 30 days has passed', async () => {
    const { id, handle, enhancementIds } = await lifecycle.start({ enhancements: [{}] });
    const { result } = await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    const { objectKey, createdAt } = (await lifecycle.findUpload(id))!;

    await handle.result();

    const tombstone = (await lifecycle.findUpload(id))!;
    expect(tombstone).toMatchObject({ status: 'UPLOAD_DELETED', deletionReason: 'retention', objectKey: null });
    const livedMs = Date.parse(tombstone.deletedAt!) - Date.parse(createdAt);
    expect(livedMs).toBeGreaterThanOrEqual(30 * DAY_MS);
    expect(livedMs).toBeLessThan(30 * DAY_MS + 60_000);
    expect(await lifecycle.store.head(objectKey!)).toBeUndefined();
    expect(await lifecycle.store.head(result!.objectKey)).toBeUndefined();
  });

  it('leaves the reason but no bytes of a file that cannot be read, and ends what was asked of it', async () => {
    lifecycle.provider.script.inspect = () => Promise.reject(new Failure('CORRUPT_FILE', { detail: 'It ends early.' }));
    const { id, enhancementIds } = await lifecycle.start({ enhancements: [{}] });
    const upload = await lifecycle.uploadReaches(id, 'UPLOAD_FAILED');
    delete lifecycle.provider.script.inspect;

    expect(upload).toMatchObject({ errorCode: 'CORRUPT_FILE', errorDetail: 'It ends early.', objectKey: null });
    expect(await lifecycle.store.head(`${lifecycle.account.id}/${id}/original`)).toBeUndefined();
    const enhancement = await lifecycle.enhancementReaches(enhancementIds[0]!, 'ERROR');
    expect(enhancement).toMatchObject({ errorCode: 'CORRUPT_FILE', chargedCredits: null });
  });

  it('waits for the analysis of a PDF before it enhances', async () => {
    const { id, enhancementIds } = await lifecycle.start({ mimetype: 'application/pdf', enhancements: [{}] });
    const enhancement = await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    expect(enhancement.chargedCredits).toBe(9);
    expect(await lifecycle.findUpload(id)).toMatchObject({
      subStatus: 'METADATA_ANALYZED_SUCCESSFULLY',
      width: 0,
      height: 0,
    });
    const calls = lifecycle.provider.calls.filter((call) => call.endsWith(id) || call.endsWith(enhancement.id));
    expect(calls.map((call) => call.split(' ')[0])).toEqual(['analyze', 'estimate', 'enhance']);
  });
});
