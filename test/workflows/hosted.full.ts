import { ApplicationFailure } from '@temporalio/common';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Failure } from '@burnish/contract';
import {
  approveEnhancement,
  deleteUpload,
  hostedEvent,
  rejectEnhancement,
  HOSTED_TASK_QUEUE,
  type HostedPolicy,
} from '../../src/domain/temporal/workflow-interface.ts';
import type { TestUpload } from './lifecycle.ts';
import { useLifecycle } from './use-lifecycle.ts';
import { readyUpload, remoteEnhancement } from './scripted-hosted.ts';

const ALONE: HostedPolicy = { fallback: 'none', fallbackAfterMs: 0, lostAnswer: 'hold' };
const WITH_FALLBACK: HostedPolicy = { ...ALONE, fallback: 'local', fallbackAfterMs: 600_000 };

const away = (): Promise<never> => Promise.reject(new Failure('PROVIDER_UNAVAILABLE'));
const answerLost = (): Promise<never> =>
  Promise.reject(ApplicationFailure.create({ type: 'ANSWER_LOST', message: 'No answer.', nonRetryable: true }));

describe('an upload at the hosted service', () => {
  const lifecycle = useLifecycle({ creditsPerPeriod: 1000 });
  beforeEach(async () => {
    lifecycle.hosted.script = {};
    lifecycle.hosted.calls.length = 0;
    usedBefore = (await lifecycle.balance()).used;
  });
  let usedBefore: number;
  /** Credits that this test has been charged, and those that it holds still. */
  const spent = async () => {
    const { used, reserved } = await lifecycle.balance();
    return { charged: used - usedBefore, reserved };
  };

  const enhance = async (file: Partial<TestUpload> = {}, policy = ALONE) => {
    const started = await lifecycle.start({ enhancements: [{}], hosted: policy, ...file });
    return { ...started, enhancementId: started.enhancementIds[0]! };
  };
  const settled = (enhancementId: string) => lifecycle.settled(enhancementId);

  it('is enhanced there, downloaded into local storage, paid once, and finally deleted there', async () => {
    const { id, handle, enhancementId } = await enhance();
    const finished = await settled(enhancementId);
    expect(finished).toMatchObject({
      status: 'FINISHED',
      provider: 'hosted',
      remoteId: `remote-${enhancementId}`,
      chargedCredits: 1,
      engine: { version: 'hosted', durationMs: 1234 },
    });
    expect(await lifecycle.resultExists(enhancementId)).toBe(true);
    expect(await lifecycle.findUpload(id)).toMatchObject({ provider: 'hosted', remoteId: `remote-${id}` });
    expect(lifecycle.provider.calls).not.toContain(`enhance ${enhancementId}`);
    expect(await spent()).toEqual({ charged: 1, reserved: 0 });
    await handle.executeUpdate(deleteUpload);
    await handle.result();
    expect(lifecycle.hosted.times('deleteRemoteUpload')).toBe(1);
    expect(lifecycle.hosted.times('releaseSlot')).toBe(1);
  });

  it('names its file in the summary of every activity, and its enhancement if there is one', async () => {
    const { id, handle, enhancementId } = await enhance();
    await settled(enhancementId);
    const { originalFilename } = (await lifecycle.findUpload(id))!;
    const { events } = await handle.fetchHistory();
    const summaries = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: activity, userMetadata }) => {
      if (activity?.taskQueue?.name !== HOSTED_TASK_QUEUE) return [];
      const data = userMetadata?.summary?.data;
      return [[activity.activityType?.name, data ? JSON.parse(Buffer.from(data).toString()) : null]];
    });
    expect(summaries).toEqual(
      expect.arrayContaining([
        ['placeRemoteUpload', originalFilename],
        ['beginRemoteEnhancement', `${originalFilename} (${enhancementId})`],
        ['collectRemoteResult', `${originalFilename} (${enhancementId})`],
      ]),
    );
    for (const [name, summary] of summaries) expect([name, summary]).toEqual([name, expect.stringContaining('.')]);
  });

  it('continues by polling if no webhook arrives', async () => {
    lifecycle.hosted.script.readRemoteEnhancement = (number, { remoteEnhancementId: id }) =>
      number < 30 ? Promise.resolve(remoteEnhancement(id, 'running')) : undefined;
    const { enhancementId } = await enhance();
    expect(await settled(enhancementId)).toMatchObject({ status: 'FINISHED' });
  });

  it('is polled at once after a webhook', async () => {
    let done = false;
    lifecycle.hosted.script.readRemoteEnhancement = (_, { remoteEnhancementId: id }) =>
      Promise.resolve(remoteEnhancement(id, done ? 'finished' : 'running'));
    const { enhancementId } = await enhance();
    await lifecycle.enhancementReaches(enhancementId, 'PROCESSING');
    done = true;
    // Nobody awaits a result here, so no time is skipped: only the event can bring this about.
    await lifecycle.signalOwner(enhancementId, hostedEvent, { eventId: 'evt_1', enhancementId });
    await lifecycle.enhancementReaches(enhancementId, 'FINISHED');
  });

  it('reports the failure of the service, with our code if it is one', async () => {
    const codes: Record<string, string> = { CORRUPT_FILE: 'CORRUPT_FILE', weird_reason_7: 'PROVIDER_REJECTED' };
    for (const [theirs, ours] of Object.entries(codes)) {
      lifecycle.hosted.script.readRemoteEnhancement = (_, { remoteEnhancementId: id }) =>
        Promise.resolve(remoteEnhancement(id, 'failed', theirs));
      const { enhancementId } = await enhance();
      expect(await settled(enhancementId)).toMatchObject({ status: 'ERROR', errorCode: ours, chargedCredits: null });
    }
    expect(await spent()).toEqual({ charged: 0, reserved: 0 });
  });

  it('waits for credits of the service, and continues by itself', async () => {
    lifecycle.hosted.script.readRemoteCredits = (number) =>
      number > 1 && number < 6 ? Promise.resolve({ remaining: 0 }) : undefined;
    const { enhancementId } = await enhance();
    await lifecycle.enhancementReaches(enhancementId, 'AWAITING_CREDITS');
    expect(await settled(enhancementId)).toMatchObject({ status: 'FINISHED', chargedCredits: 1 });
  });

  it('waits again each time the service refuses for lack of credits, until the maximum wait', async () => {
    lifecycle.hosted.script.beginRemoteEnhancement = () =>
      Promise.reject(new Failure('INSUFFICIENT_CREDITS', { retryable: false }));
    const { enhancementId } = await enhance({ enhancements: [{ creditWaitMs: 3_600_000 }] });
    expect(await settled(enhancementId)).toMatchObject({ status: 'ERROR', errorCode: 'INSUFFICIENT_CREDITS' });
    expect(lifecycle.hosted.times('beginRemoteEnhancement')).toBeGreaterThan(2);
    expect(await spent()).toEqual({ charged: 0, reserved: 0 });
  });

  it('waits for a slot at the service', async () => {
    lifecycle.hosted.script.claimSlot = (number) => (number < 4 ? Promise.resolve({ granted: false }) : undefined);
    const { enhancementId } = await enhance();
    expect(await settled(enhancementId)).toMatchObject({ status: 'FINISHED' });
    expect(lifecycle.hosted.times('claimSlot')).toBe(4);
  });

  it('wakes the next waiting upload when it releases its slot', async () => {
    const granted = new Set<string>();
    const waiting: string[] = [];
    lifecycle.hosted.script.claimSlot = (_, { enhancementId }) => {
      if (granted.size === 0 || granted.has(enhancementId)) granted.add(enhancementId);
      else waiting.push(enhancementId);
      return Promise.resolve({ granted: granted.has(enhancementId) });
    };
    lifecycle.hosted.script.releaseSlot = (_, { enhancementId }) => {
      granted.delete(enhancementId);
      const next = waiting.shift() ?? null;
      if (next !== null) granted.add(next);
      return Promise.resolve({ next: next === null ? null : { enhancementId: next, uploadId: uploads.get(next)! } });
    };
    const uploads = new Map<string, string>();
    const { id, enhancementIds } = await enhance({ enhancements: [{ parameters: { mode: 'NATURAL' } }, {}] });
    for (const each of enhancementIds) uploads.set(each, id);
    // No time is skipped here, and a claim is renewed after minutes only.
    for (const id of enhancementIds) await lifecycle.enhancementReaches(id, 'FINISHED');
  });

  describe('a start at the hosted service whose answer was lost', () => {
    it('continues with the existing enhancement as soon as there is evidence of it', async () => {
      lifecycle.hosted.script.beginRemoteEnhancement = answerLost;
      lifecycle.hosted.script.findLostEnhancement = (number) =>
        number < 5 ? undefined : Promise.resolve({ remoteEnhancementId: 'remote-found' });
      const { enhancementId } = await enhance();
      expect(await settled(enhancementId)).toMatchObject({ status: 'FINISHED', remoteId: 'remote-found' });
      expect(lifecycle.hosted.times('beginRemoteEnhancement')).toBe(1);
    });

    it('waits for a decision, and is repeated on command', async () => {
      lifecycle.hosted.script.beginRemoteEnhancement = (number) => (number === 1 ? answerLost() : undefined);
      const { enhancementId } = await enhance();
      // Half an hour goes by without a sign of it.
      await lifecycle.passTime('30 min');
      await lifecycle.enhancementReaches(enhancementId, 'AWAITING_APPROVAL');
      expect(lifecycle.hosted.times('beginRemoteEnhancement')).toBe(1);
      await lifecycle.command(approveEnhancement, enhancementId);
      expect(await settled(enhancementId)).toMatchObject({ status: 'FINISHED', chargedCredits: 1 });
    });

    it('ends without a charge if the decision is no', async () => {
      lifecycle.hosted.script.beginRemoteEnhancement = answerLost;
      const { enhancementId } = await enhance();
      await lifecycle.passTime('30 min');
      await lifecycle.enhancementReaches(enhancementId, 'AWAITING_APPROVAL');
      await lifecycle.command(rejectEnhancement, enhancementId);
      expect(await settled(enhancementId)).toMatchObject({ status: 'ERROR', errorCode: 'APPROVAL_REJECTED' });
      expect(lifecycle.hosted.times('beginRemoteEnhancement')).toBe(1);
      expect(await spent()).toEqual({ charged: 0, reserved: 0 });
    });

    it('is repeated without a decision if the policy says so', async () => {
      lifecycle.hosted.script.beginRemoteEnhancement = (number) => (number === 1 ? answerLost() : undefined);
      const { enhancementId } = await enhance({}, { ...ALONE, lostAnswer: 'repeat' });
      expect(await settled(enhancementId)).toMatchObject({ status: 'FINISHED' });
      expect(lifecycle.hosted.times('beginRemoteEnhancement')).toBe(2);
    });
  });

  describe('while the hosted service is unavailable, an upload', () => {
    it('waits and continues by itself', async () => {
      lifecycle.hosted.script.readRemoteEnhancement = (number) => (number < 8 ? away() : undefined);
      lifecycle.hosted.script.beginRemoteEnhancement = (number) => (number < 8 ? away() : undefined);
      const { enhancementId } = await enhance();
      expect(await settled(enhancementId)).toMatchObject({ status: 'FINISHED', provider: 'hosted' });
    });

    it('fails after a day without a fallback', async () => {
      lifecycle.hosted.script.beginRemoteEnhancement = away;
      const { enhancementId } = await enhance();
      expect(await settled(enhancementId)).toMatchObject({ status: 'ERROR', errorCode: 'PROVIDER_UNAVAILABLE' });
      expect(await spent()).toEqual({ charged: 0, reserved: 0 });
    });

    it('is served by the local engine after the agreed time, and the record says so', async () => {
      lifecycle.hosted.script.beginRemoteEnhancement = away;
      const { enhancementId } = await enhance({}, WITH_FALLBACK);
      expect(await settled(enhancementId)).toMatchObject({ status: 'FINISHED', provider: 'local', chargedCredits: 1 });
      expect(lifecycle.provider.calls).toContain(`enhance ${enhancementId}`);
      expect(await spent()).toEqual({ charged: 1, reserved: 0 });
    });

    it('is local from the start if the transfer of the file fails', async () => {
      lifecycle.hosted.script.readRemoteCredits = away;
      const { id, enhancementId, handle } = await enhance({ mimetype: 'application/pdf' }, WITH_FALLBACK);
      await lifecycle.passTime('11 min');
      await lifecycle.uploadReaches(id, 'METADATA_ANALYZED_SUCCESSFULLY');
      expect(await settled(enhancementId)).toMatchObject({ status: 'FINISHED', provider: 'local' });
      expect(await lifecycle.findUpload(id)).toMatchObject({ provider: 'local', remoteId: null });
      expect(lifecycle.hosted.times('placeRemoteUpload')).toBe(0);
      await handle.executeUpdate(deleteUpload);
    });

    it('becomes local if the service goes away during the analysis of its PDF', async () => {
      lifecycle.hosted.script.readRemoteUpload = (number, { remoteUploadId: id }) =>
        number === 1 ? Promise.resolve(readyUpload(id, { analysis: 'running', pdf: null })) : away();
      lifecycle.hosted.script.beginRemoteEnhancement = away;
      const { id, enhancementId, handle } = await enhance({ mimetype: 'application/pdf' }, WITH_FALLBACK);
      await lifecycle.passTime('11 min');
      await lifecycle.uploadReaches(id, 'METADATA_ANALYZED_SUCCESSFULLY');
      expect(await lifecycle.findUpload(id)).toMatchObject({ provider: 'local' });
      expect(lifecycle.provider.calls).toContain(`analyze ${id}`);
      expect(await settled(enhancementId)).toMatchObject({ status: 'FINISHED', provider: 'local' });
      await handle.executeUpdate(deleteUpload);
    });

    // It was brought there a second time, and waited for as long again.
    it('fails within an hour if the service reports nothing about the file, without a second transfer', async () => {
      lifecycle.hosted.script.readRemoteUpload = (_, { remoteUploadId: id }) =>
        Promise.resolve(readyUpload(id, { file: 'pending', analysis: null, pdf: null }));
      const { id } = await enhance();
      await lifecycle.passTime('61 min');
      await lifecycle.uploadReaches(id, 'UPLOAD_FAILED');
      expect(await lifecycle.findUpload(id)).toMatchObject({ errorCode: 'PROVIDER_UNAVAILABLE' });
      expect(lifecycle.hosted.times('placeRemoteUpload')).toBe(1);
    });

    it('reports a refused key at once, without a retry', async () => {
      const detail = 'The hosted service does not accept the key.';
      lifecycle.hosted.script.readRemoteCredits = () => Promise.reject(new Failure('PROVIDER_REJECTED', { detail }));
      const { id } = await enhance({}, WITH_FALLBACK);
      await lifecycle.uploadReaches(id, 'UPLOAD_FAILED');
      expect(await lifecycle.findUpload(id)).toMatchObject({ errorCode: 'PROVIDER_REJECTED', errorDetail: detail });
      expect(lifecycle.hosted.times('readRemoteCredits')).toBe(1);
    });
  });

  describe('a PDF at the hosted service', () => {
    it('uses the analysis of the service and its price', async () => {
      lifecycle.hosted.script.readRemoteUpload = (number, { remoteUploadId: id }) =>
        Promise.resolve(readyUpload(id, number < 4 ? { analysis: 'running', pdf: null } : {}));
      const { id, enhancementId } = await enhance({ mimetype: 'application/pdf' });
      await lifecycle.passTime('1 min');
      expect(await settled(enhancementId)).toMatchObject({
        status: 'FINISHED',
        estimatedCredits: 9,
        chargedCredits: 9,
      });
      expect(await lifecycle.findUpload(id)).toMatchObject({ subStatus: 'METADATA_ANALYZED_SUCCESSFULLY' });
      expect(lifecycle.provider.calls).not.toContain(`analyze ${id}`);
    });

    it('requests the analysis again, with growing pauses, before it fails', async () => {
      lifecycle.hosted.script.readRemoteUpload = (_, { remoteUploadId: id }) =>
        Promise.resolve(readyUpload(id, { analysis: 'failed', pdf: null }));
      const { id, handle } = await enhance({ mimetype: 'application/pdf' });
      await lifecycle.passTime('10 min');
      await lifecycle.uploadReaches(id, 'METADATA_ANALYZED_FAILED');
      expect(lifecycle.hosted.times('analyzeRemoteUpload')).toBe(4);
      await handle.executeUpdate(deleteUpload);
    });

    it('does not request it again if the service names a permanent reason', async () => {
      lifecycle.hosted.script.readRemoteUpload = (_, { remoteUploadId: id }) =>
        Promise.resolve(readyUpload(id, { analysis: 'failed', pdf: null, errorCode: 'ENCRYPTED_PDF' }));
      const { id, handle } = await enhance({ mimetype: 'application/pdf' });
      await lifecycle.uploadReaches(id, 'METADATA_ANALYZED_FAILED');
      expect(await lifecycle.findUpload(id)).toMatchObject({ errorCode: 'ENCRYPTED_PDF' });
      expect(lifecycle.hosted.times('analyzeRemoteUpload')).toBe(0);
      await handle.executeUpdate(deleteUpload);
    });
  });
});
