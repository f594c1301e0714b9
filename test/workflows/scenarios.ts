import { Readable } from 'node:stream';
import { ApplicationFailure } from '@temporalio/common';
import { type Enhancement, Failure, type FailureCode } from '@burnish/contract';
import { incomingKey, originalKey } from '../../src/domain/files/object-keys.ts';
import {
  approveBatch,
  approveEnhancement,
  batchWorkflowId,
  cancelBatch,
  cancelEnhancement,
  clockAdvanced,
  completeUpload,
  creditsChanged,
  deleteUpload,
  deliveryWorkflowId,
  MAIN_TASK_QUEUE,
  partsComplete,
  pauseBatch,
  putFile,
  requestEnhancements,
  resumeBatch,
} from '../../src/domain/temporal/workflow-interface.ts';
import type { upload as uploadWorkflow } from '../../src/workflows/index.ts';
import { destinationScenario } from './destination-scenario.ts';
import { forgottenReferencesScenario } from './forgotten-references-scenario.ts';
import { imageScenarios } from './image-scenarios.ts';
import { createTestBatches } from './batches.ts';
import { bucketScenario } from './photo-bucket.ts';
import type { Lifecycle, StartedUpload } from './lifecycle.ts';
import { until } from '../support/until.ts';
import { startReceiver } from './receiver.ts';
import { endedAs, startOperation, type OperationScript } from './scripted-operation.ts';
import { orderScenarios } from './order-scenarios.ts';
import { deferredTransfersScenario } from './deferred-transfers-scenario.ts';
import { twoReceiversScenario } from './two-receivers-scenario.ts';
import { readyUpload } from './scripted-hosted.ts';
import { ANALYSIS, FREE_TERMS, outdatedPlan, untilStopped } from './scripted-provider.ts';

/** A way through the lifecycle whose histories are kept: the ids of the workflows that took it, by the names of their files. */
export type Scenario = (lifecycle: Lifecycle) => Promise<Record<string, string>>;

const everyImageParameter = {
  mode: 'VIVID',
  upscalingFactor: 'X2',
  noiseReductionProfilingMode: 'AUTO',
  noiseReductionProfilingStrength: 0.5,
  artifactsDetectionRemoval: 'AUTO_AI',
  sharpening: 0.25,
  outputFormat: 'PNG',
  outputQuality: 90,
  keepMetadata: false,
} as const;

const DAY_SECONDS = 86_400;
const overLimit = (lifecycle: Lifecycle) => failAndDelete(lifecycle, 'PROCESSING_LIMIT');
const advanceBy = (seconds: number) => ({ seconds, id: `by ${seconds}` });

/**
 * The lifecycles whose histories are replayed against every later version of the code (`npm run record:histories`
 * records them): together they pass every branch of the workflows.
 */
export const SCENARIOS: Record<string, Scenario> = {
  async imageAndRetention(lifecycle) {
    const { handle, enhancementIds } = await lifecycle.start({ enhancements: [{ parameters: everyImageParameter }] });
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    await handle.result();
    return { 'upload-image-until-retention': handle.workflowId };
  },
  ...imageScenarios,
  destinations: destinationScenario,
  buckets: bucketScenario,
  twoReceivers: twoReceiversScenario,
  transferTurns: deferredTransfersScenario,
  ...orderScenarios,
  forgottenReferences: forgottenReferencesScenario,

  async batches(lifecycle) {
    const batches = createTestBatches(lifecycle);
    const id = await batches.start({ files: [{}, {}, {}], samples: 1, maxCredits: 2 });
    await batches.reaches(id, ({ status }) => status === 'APPROVAL_NEEDED');
    await batches.send(id, approveBatch);
    await batches.reaches(id, ({ pauseReason }) => pauseReason === 'budget');
    await batches.send(id, resumeBatch, { maxCredits: 3 });
    await batches.reaches(id, ({ status }) => status === 'FINISHED');
    const other = await batches.start({ files: [{}], samples: 1, open: true });
    await batches.send(other, pauseBatch);
    await batches.send(other, cancelBatch);
    return { 'batch-approved-and-out-of-budget': batchWorkflowId(id), 'batch-cancelled': batchWorkflowId(other) };
  },

  async failingBatch(lifecycle) {
    lifecycle.provider.script.enhance = () => Promise.reject(new Failure('PROCESSING_LIMIT'));
    const batches = createTestBatches(lifecycle);
    const id = await batches.start({ files: Array.from({ length: 10 }, () => ({})) });
    await batches.reaches(id, ({ status }) => status === 'FINISHED');
    return { 'batch-all-failed': batchWorkflowId(id) };
  },

  async operations({ env }) {
    const finished = endedAs('FINISHED');
    const passed = async (looks: OperationScript['looks']): Promise<string> => {
      await using operation = await startOperation(env, { looks });
      await operation.handle.result();
      return operation.workflowId;
    };
    return {
      'operation-finished': await passed([null, finished]),
      'operation-cancelled-too-late': await passed(['cancelled', finished]),
    };
  },

  async pdfApprovedAndDeleted(lifecycle) {
    const pdf = { mimetype: 'application/pdf', enhancements: [{ maxCredits: 1 }] } as const;
    const { handle, enhancementIds } = await lifecycle.start({ ...pdf, enhancements: [...pdf.enhancements] });
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'AWAITING_APPROVAL');
    await lifecycle.command(approveEnhancement, enhancementIds[0]!);
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    await handle.executeUpdate(deleteUpload);
    return { 'upload-pdf-approved-then-deleted': handle.workflowId };
  },

  async hostedInTrouble(lifecycle) {
    const { script } = lifecycle.hosted;
    script.readRemoteUpload = (number, { remoteUploadId: id }) =>
      number === 2 ? Promise.resolve(readyUpload(id, { analysis: 'failed', pdf: null })) : undefined;
    script.readRemoteCredits = (number) => (number === 2 ? Promise.resolve({ remaining: 0 }) : undefined);
    script.claimSlot = (number) => (number === 1 ? Promise.resolve({ granted: false }) : undefined);
    script.beginRemoteEnhancement = () =>
      Promise.reject(ApplicationFailure.create({ type: 'ANSWER_LOST', message: 'No answer.', nonRetryable: true }));
    script.findLostEnhancement = (number) =>
      number < 3 ? undefined : Promise.resolve({ remoteEnhancementId: 'remote-found' });
    const hosted = { fallback: 'none', fallbackAfterMs: 0, lostAnswer: 'hold' } as const;
    const { id, handle, enhancementIds } = await lifecycle.start({
      mimetype: 'application/pdf',
      enhancements: [{}],
      hosted,
    });
    await lifecycle.passTime('1 min');
    await lifecycle.uploadReaches(id, 'METADATA_ANALYZED_SUCCESSFULLY');
    await lifecycle.passTime('1 h');
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    await handle.executeUpdate(deleteUpload);
    await handle.result();
    return { 'upload-hosted-in-trouble': handle.workflowId };
  },

  async hostedThenLocal(lifecycle) {
    lifecycle.hosted.script.beginRemoteEnhancement = () => Promise.reject(new Failure('PROVIDER_UNAVAILABLE'));
    const hosted = { fallback: 'local', fallbackAfterMs: 60_000, lostAnswer: 'hold' } as const;
    const { handle, enhancementIds } = await lifecycle.start({ enhancements: [{}], hosted });
    await lifecycle.passTime('1 h');
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    await handle.executeUpdate(deleteUpload);
    return { 'upload-hosted-then-local': handle.workflowId };
  },

  async pdfInSpans(lifecycle) {
    lifecycle.provider.script.spans = [2, 1, 3];
    const { handle, enhancementIds } = await lifecycle.start({ mimetype: 'application/pdf', enhancements: [{}] });
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    lifecycle.provider.script = {};
    await handle.executeUpdate(deleteUpload);
    return { 'upload-pdf-in-spans': handle.workflowId };
  },

  async pdfPlannedAgain(lifecycle) {
    let calls = 0;
    lifecycle.provider.script.spans = [1, 1];
    lifecycle.provider.script.span = (job, watch) => {
      calls += 1;
      if (calls === 1) return Promise.reject(outdatedPlan());
      // The test server loses a workflow task that cancels an activity as it ends.
      return calls === 2 ? untilStopped(job, watch) : Promise.resolve();
    };
    const { handle, enhancementIds } = await lifecycle.start({ mimetype: 'application/pdf', enhancements: [{}] });
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    lifecycle.provider.script = {};
    await handle.executeUpdate(deleteUpload);
    return { 'upload-pdf-planned-again': handle.workflowId };
  },

  async pdfCancelledInSpans(lifecycle) {
    lifecycle.provider.script.spans = [1, 1];
    lifecycle.provider.script.span = untilStopped;
    const { handle, enhancementIds } = await lifecycle.start({ mimetype: 'application/pdf', enhancements: [{}] });
    await lifecycle.untilCalled('span', `${enhancementIds[0]!} 1`);
    await lifecycle.command(cancelEnhancement, enhancementIds[0]!);
    lifecycle.provider.script = {};
    await handle.executeUpdate(deleteUpload);
    return { 'upload-pdf-cancelled-in-spans': handle.workflowId };
  },

  async waitingForCreditsThenCancelled(lifecycle) {
    lifecycle.provider.script.estimate = () => Promise.resolve(1_000_000);
    const { handle, enhancementIds } = await lifecycle.start({ mimetype: 'application/pdf', enhancements: [{}] });
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'AWAITING_CREDITS');
    await lifecycle.command(cancelEnhancement, enhancementIds[0]!);
    lifecycle.provider.script = {};
    await handle.executeUpdate(deleteUpload);
    return { 'upload-cancelled-awaiting-credits': handle.workflowId };
  },

  async waitedForStorage(lifecycle) {
    let attempts = 0;
    const away = new Failure('UNAVAILABLE', { detail: 'Away for a test.', machinery: 'storage' });
    lifecycle.provider.script.enhance = () => ((attempts += 1) <= 12 ? Promise.reject(away) : Promise.resolve());
    const { handle, enhancementIds } = await lifecycle.start({ enhancements: [{}] });
    await lifecycle.settled(enhancementIds[0]!);
    lifecycle.provider.script = {};
    await handle.executeUpdate(deleteUpload);
    return { 'upload-that-waited-for-storage': handle.workflowId };
  },

  signedUrl: async (lifecycle) => ({ 'upload-by-signed-url': await sendToSignedUrl(lifecycle, 'image/jpeg') }),

  async resumable(lifecycle) {
    const declared = { size: 30_000, mimetype: null };
    const received = await lifecycle.start({ declared, resumable: true, enhancements: [{}] });
    await lifecycle.appendPart(received.id, 0, 10_000);
    await received.handle.signal(partsComplete);
    await lifecycle.appendPart(received.id, 10_000, 30_000);
    await received.handle.signal(partsComplete);
    await lifecycle.enhancementReaches(received.enhancementIds[0]!, 'FINISHED');
    await received.handle.executeUpdate(deleteUpload);
    const late = await lifecycle.start({ declared, resumable: true });
    await lifecycle.passTime(3_601_000);
    await lifecycle.uploadReaches(late.id, 'UPLOAD_FAILED');
    await late.handle.executeUpdate(deleteUpload);
    return {
      'upload-in-parts': received.handle.workflowId,
      'upload-in-parts-too-late': late.handle.workflowId,
    };
  },

  async signedPdf(lifecycle) {
    return { 'upload-pdf-by-signed-url': await sendToSignedUrl(lifecycle, 'application/pdf') };
  },

  async intoStorage(lifecycle) {
    const declared = { size: 11, mimetype: 'image/jpeg' } as const;
    const { id, handle, enhancementIds } = await lifecycle.start({ declared, direct: true, enhancements: [{}] });
    await store(lifecycle, incomingKey(lifecycle.account.id, id));
    await handle.executeUpdate(completeUpload);
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    await handle.executeUpdate(deleteUpload);
    return { 'upload-put-into-storage': handle.workflowId };
  },

  /** Started again from its records: one enhancement waits for approval, and the other has been approved. */
  async revived(lifecycle) {
    const order = { parameters: { upscalingFactor: 'X2' }, maxCredits: 1 } as const;
    const started = await lifecycle.start({ enhancements: [order, order] });
    const [waiting, approved] = started.enhancementIds as [string, string];
    for (const each of started.enhancementIds) await lifecycle.enhancementReaches(each, 'AWAITING_APPROVAL');
    const again = await revive(lifecycle, started, { approved: [approved] });
    await lifecycle.enhancementReaches(approved, 'FINISHED');
    await lifecycle.command(approveEnhancement, waiting);
    await lifecycle.enhancementReaches(waiting, 'FINISHED');
    await again.executeUpdate(deleteUpload);
    return { 'upload-revived-from-records': again.workflowId };
  },

  /** Started again from its records, and approved before it waits again. */
  async approvedBeforeItsWait(lifecycle) {
    const started = await lifecycle.start({ mimetype: 'application/pdf', enhancements: [{ maxCredits: 1 }] });
    const enhancementId = started.enhancementIds[0]!;
    await lifecycle.enhancementReaches(enhancementId, 'AWAITING_APPROVAL');
    let estimated = (_credits: number): void => undefined;
    lifecycle.provider.script.estimate = () => new Promise((resolve) => (estimated = resolve));
    const again = await revive(lifecycle, started, { changes: { estimatedCredits: null } });
    await until(
      () => lifecycle.provider.calls.filter((call) => call === `estimate ${enhancementId}`).length === 2 || undefined,
    );
    await again.startUpdate(approveEnhancement, { args: [{ enhancementId }], waitForStage: 'ACCEPTED' });
    estimated(ANALYSIS.totalCredits);
    await lifecycle.enhancementReaches(enhancementId, 'FINISHED');
    lifecycle.provider.script = {};
    await again.executeUpdate(deleteUpload);
    return { 'upload-approved-before-its-wait': again.workflowId };
  },

  brokenFile: async (lifecycle) => ({ 'upload-failed-then-deleted': await failAndDelete(lifecycle, 'CORRUPT_FILE') }),

  fileOverTheLimit: async (lifecycle) => ({ 'upload-over-the-limit-then-deleted': await overLimit(lifecycle) }),
  async unfitOrder(lifecycle) {
    const orders = [{ parameters: { targetResolution: 300 } }, {}];
    const { handle, enhancementIds } = await lifecycle.start({ enhancements: orders });
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'ERROR');
    await lifecycle.enhancementReaches(enhancementIds[1]!, 'FINISHED');
    await handle.executeUpdate(deleteUpload);
    return { 'upload-with-an-unfit-order': handle.workflowId };
  },

  async freshHistory(lifecycle) {
    const { id, handle } = await lifecycle.start();
    await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
    const { runId } = await handle.describe();
    const current = lifecycle.env.client.workflow.getHandle(handle.workflowId);
    for (let count = 0; count < 1100; count += 1) await handle.signal(creditsChanged);
    await until(
      () => current.describe(),
      (description) => description.runId !== runId,
    );
    const request = { id: 'enh_afterfreshhistory000000000', parameters: {}, maxCredits: null, creditWaitMs: 0 };
    await current.executeUpdate(requestEnhancements, { args: [[request]] });
    await lifecycle.enhancementReaches(request.id, 'FINISHED');
    await current.executeUpdate(deleteUpload);
    return { 'upload-after-fresh-history': handle.workflowId };
  },

  async advancedClock(lifecycle) {
    await using receiver = await startReceiver(Array(30).fill(500));
    const { handle, enhancementIds } = await lifecycle.start({
      enhancements: [{ maxCredits: 0 }],
      webhookUrl: receiver.url,
    });
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'AWAITING_APPROVAL');
    const { workflow } = lifecycle.env.client;
    const { items } = await until(
      () => lifecycle.deliveries.list(lifecycle.account.id, { limit: 10 }),
      (page) => page.items.length > 1,
    );
    const delivery = workflow.getHandle(deliveryWorkflowId(items[0]!.id));
    await until(
      () => delivery.describe().catch(() => undefined),
      (description) => description !== undefined,
    );
    for (const seconds of [60, DAY_SECONDS]) await delivery.signal(clockAdvanced, advanceBy(seconds));
    await delivery.result();
    for (const seconds of [60, 7 * DAY_SECONDS]) await handle.signal(clockAdvanced, advanceBy(seconds));
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'ERROR');
    await handle.signal(clockAdvanced, advanceBy(30 * DAY_SECONDS));
    await handle.result();
    return { 'upload-with-advanced-clock': handle.workflowId, 'delivery-with-advanced-clock': delivery.workflowId };
  },

  async failingReceiver(lifecycle) {
    await using receiver = await startReceiver([500]);
    const { handle, enhancementIds } = await lifecycle.start({ enhancements: [{}], webhookUrl: receiver.url });
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    const { items } = await until(
      () => lifecycle.deliveries.list(lifecycle.account.id, { limit: 10 }),
      (page) => page.items.length === 2,
    );
    const delivery = lifecycle.env.client.workflow.getHandle(deliveryWorkflowId(items[0]!.id));
    await until(
      () => delivery.describe().catch(() => undefined),
      () => true,
    );
    await delivery.result();
    return { 'delivery-ten-attempts': delivery.workflowId, 'upload-with-webhook': handle.workflowId };
  },
};

/** Bytes as a caller sends them. */
const store = (lifecycle: Lifecycle, objectKey: string): ReturnType<Lifecycle['store']['put']> =>
  lifecycle.store.put(objectKey, Readable.from([Buffer.from('hello world')]), { maxBytes: 1000 });

/** An upload to a signed URL of the gateway, its enhancement and its deletion. @returns the id of its workflow */
async function sendToSignedUrl(lifecycle: Lifecycle, mimetype: 'image/jpeg' | 'application/pdf'): Promise<string> {
  const { handle, enhancementIds } = await lifecycle.start({ declared: { size: 11, mimetype }, enhancements: [{}] });
  const objectKey = originalKey(lifecycle.account.id, 'upl_00000000000000000000000001');
  const { size, sha256 } = await store(lifecycle, objectKey);
  await handle.executeUpdate(putFile, { args: [{ objectKey, size, sha256, mimetype }] });
  await handle.executeUpdate(completeUpload);
  await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
  await handle.executeUpdate(deleteUpload);
  return handle.workflowId;
}

/** An upload whose inspection fails. @returns the id of its workflow */
async function failAndDelete(lifecycle: Lifecycle, code: FailureCode): Promise<string> {
  lifecycle.provider.script.inspect = () => Promise.reject(new Failure(code));
  const { id, handle } = await lifecycle.start({ enhancements: [{}] });
  await lifecycle.uploadReaches(id, 'UPLOAD_FAILED');
  lifecycle.provider.script = {};
  await handle.executeUpdate(deleteUpload);
  return handle.workflowId;
}

/** Ends a workflow, and starts one from the records, as the reconciler does. @param options.changes to the records of enhancements */
async function revive(
  { client, findUpload, findEnhancement }: Lifecycle,
  { id, handle, enhancementIds }: StartedUpload,
  { approved = [], changes = {} }: { approved?: string[]; changes?: Partial<Enhancement> },
): Promise<StartedUpload['handle']> {
  await handle.terminate('lost');
  const initial = (await findUpload(id))!;
  const source = { kind: 'stored', objectKey: initial.objectKey!, file: initial.file! } as const;
  const resume = await Promise.all(
    enhancementIds.map(async (each) => ({ ...(await findEnhancement(each))!, ...changes })),
  );
  const input = { initial, source, plan: FREE_TERMS, enhancements: [], resume, approved };
  return client.workflow.start<typeof uploadWorkflow>('upload', {
    workflowId: handle.workflowId,
    taskQueue: MAIN_TASK_QUEUE,
    args: [input],
  });
}
