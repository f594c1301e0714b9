import { describe, expect, it } from '@jest/globals';
import { Failure, type MediaType } from '@burnish/contract';
import {
  analyzeAgain,
  deleteUpload,
  requestEnhancements,
  partsComplete,
} from '../../src/domain/temporal/workflow-interface.ts';
import { useLifecycle } from './use-lifecycle.ts';
import { refusalCode } from './refusal.ts';
import { Readable } from 'node:stream';
import type { StartedUpload } from './lifecycle.ts';

const lifecycle = useLifecycle();

const DAY_MS = 24 * 3_600_000;

describe('the lifecycle of an upload', () => {
  it('receives and enhances an image, and charges it once', async () => {
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

  it.each([
    [undefined, 'FAST'],
    ['AUTO', 'FAST'],
    ['PLAIN', 'PLAIN'],
  ] as const)(
    'takes the best tier of the account for AUTO, and a given one as it is: %s is %s',
    async (given, taken) => {
      const tiers: unknown[] = [];
      lifecycle.provider.script.enhance = async ({ parameters }) => void tiers.push(parameters.engineTier);
      const parameters = given === undefined ? {} : { engineTier: given };
      const { enhancementIds } = await lifecycle.start({ enhancements: [{ parameters, autoTier: 'FAST' }] });
      await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
      delete lifecycle.provider.script.enhance;
      expect(tiers).toEqual([taken]);
    },
  );

  it.each([-600_000, 600_000])(
    'measures its duration by one clock, when that of the gateway is %i ms ahead',
    async (clockAheadMs) => {
      const { id } = await lifecycle.start({ clockAheadMs });
      const { startedAt, finishedAt } = await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
      const duration = Date.parse(finishedAt!) - Date.parse(startedAt!);
      expect(duration).toBeGreaterThanOrEqual(0);
      expect(duration).toBeLessThan(600_000);
      expect(Math.abs(Date.parse(startedAt!) - (await lifecycle.env.currentTimeMs()))).toBeLessThan(600_000);
    },
  );

  it('deletes everything but a tombstone after the retention of 30 days', async () => {
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
    const details = await handle.query<string>('__temporal_workflow_metadata');
    expect(JSON.stringify(details)).toContain('Deleted: its retention has passed.');
    // The record stays and tells what was, but offers nothing for download.
    expect(await lifecycle.findEnhancement(enhancementIds[0]!)).toMatchObject({ status: 'FINISHED', result: null });
  });

  it('keeps the reason but no bytes of an unreadable file, and fails its enhancements', async () => {
    lifecycle.provider.script.inspect = () => Promise.reject(new Failure('CORRUPT_FILE', { detail: 'It ends early.' }));
    const { id, enhancementIds } = await lifecycle.start({ enhancements: [{}] });
    const upload = await lifecycle.uploadReaches(id, 'UPLOAD_FAILED');
    delete lifecycle.provider.script.inspect;

    expect(upload).toMatchObject({ errorCode: 'CORRUPT_FILE', errorDetail: 'It ends early.', objectKey: null });
    expect(await lifecycle.store.head(`${lifecycle.account.id}/${id}/original`)).toBeUndefined();
    const enhancement = await lifecycle.enhancementReaches(enhancementIds[0]!, 'ERROR');
    expect(enhancement).toMatchObject({ errorCode: 'CORRUPT_FILE', chargedCredits: null });
  });

  it('waits for the analysis of a PDF before its enhancement', async () => {
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

  it('repeats a failing analysis with growing pauses, then reports it, and repeats it on command', async () => {
    const attempts: number[] = [];
    lifecycle.provider.script.analyze = async () => {
      attempts.push(await lifecycle.env.currentTimeMs());
      throw new Failure('INTERNAL', { detail: 'Out of luck.' });
    };
    const { id, handle, enhancementIds } = await lifecycle.start({ mimetype: 'application/pdf', enhancements: [{}] });
    await lifecycle.passTime('20 min');
    const failed = await lifecycle.uploadReaches(id, 'METADATA_ANALYZED_FAILED');
    expect(failed).toMatchObject({ status: 'UPLOAD_FINISHED', errorCode: 'INTERNAL', analysis: null });
    expect(lifecycle.provider.calls.filter((call) => call === `analyze ${id}`)).toHaveLength(5);
    const pauses = attempts.slice(1).map((at, index) => at - attempts[index]!);
    for (const [index, pause] of pauses.slice(1).entries()) expect(pause).toBeGreaterThan(1.5 * pauses[index]!);
    expect(await lifecycle.findEnhancement(enhancementIds[0]!)).toMatchObject({
      status: 'ERROR',
      errorCode: 'INTERNAL',
    });

    const request = { id: 'enh_later000000000000000000000', parameters: {}, maxCredits: null, creditWaitMs: 0 };
    await expect(refusalCode(handle.executeUpdate(requestEnhancements, { args: [[request]] }))).resolves.toBe(
      'PDF_NOT_ANALYZED',
    );

    delete lifecycle.provider.script.analyze;
    await handle.executeUpdate(analyzeAgain);
    const analyzed = await lifecycle.uploadReaches(id, 'METADATA_ANALYZED_SUCCESSFULLY');
    expect(analyzed).toMatchObject({ errorCode: null, errorDetail: null });
    expect(analyzed.analysis?.totalCredits).toBe(9);
    await handle.executeUpdate(requestEnhancements, { args: [[request]] });
    await lifecycle.enhancementReaches('enh_later000000000000000000000', 'FINISHED');
  });

  it('refuses parameters of the other kind of file and names the field', async () => {
    const { id, handle } = await lifecycle.start();
    await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
    const request = {
      id: 'enh_never000000000000000000000',
      parameters: { targetResolution: 300 },
      maxCredits: null,
      creditWaitMs: 0,
    };
    await expect(refusalCode(handle.executeUpdate(requestEnhancements, { args: [[request]] }))).resolves.toBe(
      'BAD_USER_INPUT',
    );
    expect(await lifecycle.findEnhancement('enh_never000000000000000000000')).toBeUndefined();
  });

  it('charges nothing for the same file, parameters and engine', async () => {
    const file = { content: 'the very same bytes', enhancements: [{}] };
    const first = await lifecycle.start(file);
    await lifecycle.enhancementReaches(first.enhancementIds[0]!, 'FINISHED');
    const before = await lifecycle.balance();

    // What is free needs no approval, whatever the order may cost.
    const second = await lifecycle.start({ ...file, enhancements: [{ maxCredits: 0 }] });
    const reused = await lifecycle.enhancementReaches(second.enhancementIds[0]!, 'FINISHED');

    expect(reused).toMatchObject({ chargedCredits: 0, reusedFrom: first.enhancementIds[0] });
    expect(await lifecycle.balance()).toEqual(before);
    await first.handle.executeUpdate(deleteUpload);
    expect(await lifecycle.resultExists(second.enhancementIds[0]!)).toBe(true);
  });

  it('repeats the work if an engine attempt dies, and charges it once', async () => {
    let attempts = 0;
    lifecycle.provider.script.enhance = () => {
      attempts += 1;
      return attempts < 3 ? Promise.reject(new Error('The worker went away.')) : Promise.resolve();
    };
    const before = await lifecycle.balance();
    const { enhancementIds } = await lifecycle.start({ enhancements: [{}] });
    const finished = await lifecycle.settled(enhancementIds[0]!);
    delete lifecycle.provider.script.enhance;
    expect(attempts).toBe(3);
    expect(finished.chargedCredits).toBe(1);
    expect((await lifecycle.balance()).used).toBe(before.used + 1);
  });

  it('reports PROCESSING_LIMIT for a file that fails every attempt', async () => {
    lifecycle.provider.script.enhance = () => Promise.reject(new Failure('PROCESSING_LIMIT'));
    const { enhancementIds } = await lifecycle.start({ enhancements: [{}] });
    const ended = await lifecycle.enhancementReaches(enhancementIds[0]!, 'ERROR');
    delete lifecycle.provider.script.enhance;
    expect(ended).toMatchObject({ errorCode: 'PROCESSING_LIMIT', chargedCredits: null });
    expect(await lifecycle.balance()).toMatchObject({ reserved: 0 });
  });
});

const HOUR_MS = 3_600_000;
const SIZE = 30_000;

const begin = (mimetype: MediaType | null = null): Promise<StartedUpload> =>
  lifecycle.start({ declared: { size: SIZE, mimetype }, resumable: true, enhancements: [{}] });

const append = ({ id }: StartedUpload, start: number, end: number, first?: string): Promise<string> =>
  lifecycle.appendPart(id, start, end, first);
const signal = ({ handle }: StartedUpload): Promise<void> => handle.signal(partsComplete);

describe('a resumable upload', () => {
  it('joins its parts in order, continues as any other, and deletes them', async () => {
    const started = await begin();
    expect(await lifecycle.findUpload(started.id)).toMatchObject({ status: 'UPLOAD_PENDING', startedAt: null });
    await append(started, 0, 12_000);
    // A signal only wakes the workflow, which counts the bytes.
    await signal(started);
    await append(started, 12_000, SIZE);
    await signal(started);
    const upload = await lifecycle.uploadReaches(started.id, 'UPLOAD_FINISHED');
    expect(upload).toMatchObject({ file: { size: SIZE, mimetype: 'image/jpeg' }, width: 640 });
    const original = await Readable.from(await lifecycle.store.get(upload.objectKey!)).toArray();
    expect(Buffer.concat(original as Buffer[]).toString()).toBe('i'.repeat(12_000) + 'x'.repeat(18_000));
    const enhancement = await lifecycle.enhancementReaches(started.enhancementIds[0]!, 'FINISHED');
    expect(enhancement.chargedCredits).toBe(1);
    expect((await lifecycle.filesOf(started.id)).filter((name) => name.startsWith('part-'))).toEqual([]);
  });

  it('receives a complete file without a signal at the deadline', async () => {
    const started = await begin();
    await append(started, 0, SIZE);
    await lifecycle.passTime(HOUR_MS + 1_000);
    await lifecycle.uploadReaches(started.id, 'UPLOAD_FINISHED');
  });

  it('an incomplete file fails its upload at the deadline, and leaves no bytes', async () => {
    const started = await begin();
    await append(started, 0, SIZE - 1);
    await lifecycle.passTime(HOUR_MS + 1_000);
    const upload = await lifecycle.uploadReaches(started.id, 'UPLOAD_FAILED');
    expect(upload).toMatchObject({ errorCode: 'UPLOAD_EXPIRED', objectKey: null, file: null });
    expect(upload.errorDetail).toMatch(/^The file of 30,000 bytes was not complete at \S+Z\. Send it again/);
    expect(await lifecycle.filesOf(started.id)).toEqual([]);
    const enhancement = await lifecycle.enhancementReaches(started.enhancementIds[0]!, 'ERROR');
    expect(enhancement).toMatchObject({ errorCode: 'UPLOAD_EXPIRED', chargedCredits: null });
  });

  it.each([
    ['another type than its declaration', 'image/png', 'i', 'UPLOAD_MISMATCH', 'declared as image/png'],
    ['a type that is not supported', null, 'x', 'UNSUPPORTED_MEDIA_TYPE', 'not supported'],
  ] as const)('a file of %s fails its upload, and leaves no bytes', async (_what, declared, first, code, words) => {
    const started = await begin(declared);
    await append(started, 0, SIZE, first);
    await signal(started);
    const upload = await lifecycle.uploadReaches(started.id, 'UPLOAD_FAILED');
    expect(upload).toMatchObject({ errorCode: code, objectKey: null, file: null });
    expect(upload.errorDetail).toContain(words);
    expect(await lifecycle.filesOf(started.id)).toEqual([]);
  });

  it('a part that storage has lost fails the upload, and never shortens the file', async () => {
    const started = await begin();
    const lost = await append(started, 0, 10_000);
    await append(started, 10_000, SIZE);
    await lifecycle.store.delete(lost);
    await signal(started);
    const upload = await lifecycle.uploadReaches(started.id, 'UPLOAD_FAILED');
    expect(upload).toMatchObject({ errorCode: 'ORIGINAL_MISSING', objectKey: null });
  });

  it('a deletion ends the wait for the file, and leaves no bytes', async () => {
    const started = await begin();
    await append(started, 0, 10_000);
    await started.handle.executeUpdate(deleteUpload);
    expect(await lifecycle.findUpload(started.id)).toMatchObject({ status: 'UPLOAD_DELETED' });
    expect(await lifecycle.filesOf(started.id)).toEqual([]);
  });
});
