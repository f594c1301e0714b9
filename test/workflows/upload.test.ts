import { describe, expect, it } from '@jest/globals';
import { Failure } from '../../src/domain/failures.ts';
import { analyzeAgain, deleteUpload, requestEnhancement } from '../../src/domain/temporal/workflow-interface.ts';
import { useLifecycle } from './use-lifecycle.ts';
import { refusalCode } from './refusal.ts';

const DAY_MS = 24 * 3_600_000;

describe('the lifecycle of an upload', () => {
  const lifecycle = useLifecycle();

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
    await lifecycle.env.sleep('20 min');
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
    await expect(refusalCode(handle.executeUpdate(requestEnhancement, { args: [request] }))).resolves.toBe(
      'PDF_NOT_ANALYZED',
    );

    delete lifecycle.provider.script.analyze;
    await handle.executeUpdate(analyzeAgain);
    const analyzed = await lifecycle.uploadReaches(id, 'METADATA_ANALYZED_SUCCESSFULLY');
    expect(analyzed).toMatchObject({ errorCode: null, errorDetail: null });
    expect(analyzed.analysis?.totalCredits).toBe(9);
    await handle.executeUpdate(requestEnhancement, { args: [request] });
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
    await expect(refusalCode(handle.executeUpdate(requestEnhancement, { args: [request] }))).resolves.toBe(
      'BAD_USER_INPUT',
    );
    expect(await lifecycle.findEnhancement('enh_never000000000000000000000')).toBeUndefined();
  });

  it('charges nothing for the same file, parameters and engine', async () => {
    const file = { content: 'the very same bytes', enhancements: [{}] };
    const first = await lifecycle.start(file);
    await lifecycle.enhancementReaches(first.enhancementIds[0]!, 'FINISHED');
    const before = await lifecycle.balance();

    const second = await lifecycle.start(file);
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
