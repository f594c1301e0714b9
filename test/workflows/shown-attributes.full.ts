import { describe, expect, it } from '@jest/globals';
import { Failure } from '@burnish/contract';
import { approveEnhancement, deleteUpload, requestEnhancements } from '../../src/domain/temporal/workflow-interface.ts';
import { poll } from '../support/poll.ts';
import { withRareRetries, workflowBundle } from '../support/workflow-bundle.ts';
import type { StartedUpload, TestUpload } from './lifecycle.ts';
import { useLifecycle } from './use-lifecycle.ts';

const lifecycle = useLifecycle({ creditsPerPeriod: 1000, bundle: withRareRetries(workflowBundle) });
const UPSCALE = { parameters: { upscalingFactor: 'X2' }, maxCredits: 3 } as const;

/** What the list of workflows shows of an upload. */
async function shown({ handle }: StartedUpload): Promise<Record<string, unknown>> {
  const { searchAttributes } = await handle.describe();
  return Object.fromEntries(Object.entries(searchAttributes).map(([name, value]) => [name, value?.join(' ')]));
}
const untilShown = async (upload: StartedUpload, expected: Record<string, string>): Promise<void> => {
  await poll(() => shown(upload), { timeout: 20_000 }).toMatchObject(expected);
};

/** The number of events of a finished upload that change its search attributes. */
async function upserts(file: TestUpload): Promise<number> {
  const { id, handle, enhancementIds } = await lifecycle.start(file);
  await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
  for (const each of enhancementIds) await lifecycle.settled(each);
  const { events } = await handle.fetchHistory();
  return events!.filter((event) => Boolean(event.upsertWorkflowSearchAttributesEventAttributes)).length;
}

describe('the list of workflows', () => {
  it('shows an approval while it is awaited, and no longer', async () => {
    const upload = await lifecycle.start({ enhancements: [UPSCALE] });
    await untilShown(upload, { BurnishWaitingFor: 'approval', BurnishEnhancementStatus: 'AWAITING_APPROVAL' });
    await lifecycle.command(approveEnhancement, upload.enhancementIds[0]!);
    await lifecycle.enhancementReaches(upload.enhancementIds[0]!, 'FINISHED');
    await untilShown(upload, { BurnishWaitingFor: 'nothing' });
  });

  it('shows missing machinery before the decision that another enhancement awaits, and that decision again afterwards', async () => {
    let back = false;
    lifecycle.provider.script.enhance = () =>
      back ? Promise.resolve() : Promise.reject(new Failure('UNAVAILABLE', { machinery: 'storage' }));
    const upload = await lifecycle.start({ enhancements: [UPSCALE, {}] });
    await lifecycle.enhancementReaches(upload.enhancementIds[0]!, 'AWAITING_APPROVAL');
    await lifecycle.passTime('1 min');
    await untilShown(upload, { BurnishWaitingFor: 'storage' });
    back = true;
    await lifecycle.settled(upload.enhancementIds[1]!);
    await untilShown(upload, { BurnishWaitingFor: 'approval' });
  });

  it('shows the newest error code, and the file name until the deletion if the operator wants it', async () => {
    lifecycle.provider.script.enhance = () => Promise.reject(new Failure('CORRUPT_FILE'));
    const upload = await lifecycle.start({ enhancements: [{}], searchNames: true });
    await untilShown(upload, { BurnishErrorCode: 'CORRUPT_FILE', BurnishFileName: 'photo.jpg' });
    lifecycle.provider.script.enhance = () => Promise.reject(new Failure('TOO_MANY_PIXELS'));
    const request = { id: `enh_${'0'.repeat(26)}`, parameters: { sharpening: 0.5 }, maxCredits: null, creditWaitMs: 0 };
    await upload.handle.executeUpdate(requestEnhancements, { args: [[request]] });
    await untilShown(upload, { BurnishErrorCode: 'TOO_MANY_PIXELS', BurnishFileName: 'photo.jpg' });
    await upload.handle.executeUpdate(deleteUpload);
    await upload.handle.result();
    const afterwards = await shown(upload);
    expect(afterwards).toMatchObject({ BurnishStatus: 'UPLOAD_DELETED', BurnishErrorCode: 'TOO_MANY_PIXELS' });
    expect(afterwards['BurnishFileName'] ?? '').toBe('');
  });

  it('costs a lifecycle without waits no event', async () => {
    // The status of the received upload; a file name is in the start.
    expect(await upserts({ enhancements: [{}] })).toBe(2);
    expect(await upserts({ enhancements: [{}], searchNames: true })).toBe(2);
  });
});
