import { Client, WorkflowFailedError } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { SEED_PLANS, Failure } from '@burnish/contract';
import { initialUpload } from '../../src/domain/upload/new-upload.ts';
import {
  MAIN_TASK_QUEUE,
  creditsChanged,
  deleteUpload,
  uploadState,
  uploadWorkflowId,
  type UploadInput,
} from '../../src/domain/temporal/workflow-interface.ts';
import { createKeyRing, newKey } from '../../src/secrets/key-ring.ts';
import { createPayloadCodec, isEncrypted } from '../../src/temporal/payload-codec.ts';
import type { upload as uploadWorkflow } from '../../src/workflows/index.ts';
import { createDevEnvironment } from '../support/dev-server.ts';
import { startLifecycle } from './lifecycle.ts';
import { useLifecycle } from './use-lifecycle.ts';
import { eventTypes, orderActivity, taskFailure, payloadsIn, readable } from './stranger.ts';

const ring = createKeyRing([newKey()]);
const codec = createPayloadCodec({
  sealer: ring.sealer('payloads'),
  encrypt: true,
  encryptedSinceMs: Date.now(),
});

describe('an instance whose payloads are encrypted', () => {
  const lifecycle = useLifecycle({ environment: createDevEnvironment, codec });
  /** Another user of the machine: reaches Temporal, and has no key */
  let stranger: Client;
  beforeAll(async () => {
    // It sends plain payloads. Only the tests read its answers with the key.
    const payloadCodecs = [{ ...codec, encode: (payloads: Payload[]) => Promise.resolve(payloads) }];
    stranger = new Client({ connection: lifecycle.env.connection, dataConverter: { payloadCodecs } });
  });

  it('completes an upload', async () => {
    const { handle, enhancementIds } = await lifecycle.start({ enhancements: [{}] });
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    expect(await handle.query(uploadState)).toMatchObject({ status: 'UPLOAD_FINISHED' });
    expect(await handle.executeUpdate(deleteUpload)).toMatchObject({ status: 'UPLOAD_DELETED' });
    await handle.result();
    expect(lifecycle.problems).toEqual([]);
  });

  it('stores only ids, states and metadata readably in a history', async () => {
    const { id, handle, enhancementIds } = await lifecycle.start({ content: 'a file', enhancements: [{}] });
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    const history = await stranger.workflow.getHandle(uploadWorkflowId(id)).fetchHistory();
    const payloads = payloadsIn(history);
    expect(payloads.length).toBeGreaterThan(5);
    expect(payloads.filter((payload) => !isEncrypted(payload))).toEqual([]);
    expect(readable(history)).not.toContain('photo.jpg');
    await handle.executeUpdate(deleteUpload);
  });

  it('stores only the type of a failure in a history, without message and stack trace', async () => {
    lifecycle.provider.script.inspect = () =>
      Promise.reject(new Failure('CORRUPT_FILE', { detail: 'The picture of Ms Example ends in its middle.' }));
    const { id, handle } = await lifecycle.start();
    const upload = await lifecycle.uploadReaches(id, 'UPLOAD_FAILED');
    lifecycle.provider.script = {};
    expect(upload).toMatchObject({ errorDetail: 'The picture of Ms Example ends in its middle.' });
    const text = readable(await handle.fetchHistory());
    expect(text).toContain('CORRUPT_FILE');
    expect(text).not.toMatch(/Ms Example|ends in its middle|photo\.jpg|sealed\.test|\n\s+at /);
  });

  it('encrypts the error of a failed workflow task', async () => {
    const handle = await lifecycle.client.workflow.start('upload', {
      workflowId: 'upload/no-input',
      taskQueue: MAIN_TASK_QUEUE,
      args: [{}],
    });
    expect(await taskFailure(handle)).toMatchObject({ message: 'Encoded failure', stackTrace: '' });
    await handle.terminate();
  });

  it('refuses a start with a plain payload for a file of another account, and reads nothing', async () => {
    const victim = await lifecycle.start({ content: 'the file of A' });
    await lifecycle.uploadReaches(victim.id, 'UPLOAD_FINISHED');
    const callsBefore = lifecycle.provider.calls.length;
    const own = `upl_${'1'.repeat(26)}`;
    const handle = await stranger.workflow.start<typeof uploadWorkflow>('upload', {
      workflowId: uploadWorkflowId(own),
      taskQueue: MAIN_TASK_QUEUE,
      args: [await forged(own, victim.id)],
    });
    const failure = await handle.result().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(WorkflowFailedError);
    expect((failure as WorkflowFailedError).cause?.message).toContain('not encrypted with a key of this instance');
    expect(await eventTypes(handle)).not.toContain('activityTaskScheduledEventAttributes');
    expect(await lifecycle.findUpload(own)).toBeUndefined();
    expect(lifecycle.provider.calls).toHaveLength(callsBefore);
  });

  it('refuses a start with a payload from the history of another workflow', async () => {
    const victim = await lifecycle.start();
    await lifecycle.uploadReaches(victim.id, 'UPLOAD_FINISHED');
    const { events } = await stranger.workflow.getHandle(uploadWorkflowId(victim.id)).fetchHistory();
    const { payloads } = events![0]!.workflowExecutionStartedEventAttributes!.input!;
    const handle = await new Client({
      connection: lifecycle.env.connection,
      dataConverter: {
        payloadCodecs: [{ ...codec, encode: () => Promise.resolve(payloads!) }],
      },
    }).workflow.start('upload', { workflowId: 'upload/copied', taskQueue: MAIN_TASK_QUEUE, args: ['replaced'] });
    await expect(handle.result()).rejects.toBeInstanceOf(WorkflowFailedError);
  });

  it('refuses an update without a key, with or without arguments, and does nothing', async () => {
    const { id } = await lifecycle.start();
    await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
    const foreign = stranger.workflow.getHandle(uploadWorkflowId(id));
    await expect(foreign.executeUpdate(deleteUpload)).rejects.toMatchObject({ cause: { type: 'UNSEALED_PAYLOAD' } });
    await expect(foreign.executeUpdate('requestEnhancements', { args: [[{ id: 'enh_1' }]] })).rejects.toMatchObject({
      cause: { type: 'UNSEALED_PAYLOAD' },
    });
    expect(await lifecycle.findUpload(id)).toMatchObject({ status: 'UPLOAD_FINISHED' });
  });

  it('ignores a signal without a key, and refuses a query with a plain argument', async () => {
    const { id, handle } = await lifecycle.start();
    await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
    const foreign = stranger.workflow.getHandle(uploadWorkflowId(id));
    await foreign.signal(creditsChanged);
    await foreign.signal('hostedEvent', { eventId: 'forged' });
    await expect(foreign.query('uploadState', 'plain')).rejects.toThrow('Encoded failure');
    expect(await handle.query(uploadState)).toMatchObject({ status: 'UPLOAD_FINISHED' });
    expect(await handle.executeUpdate(deleteUpload)).toMatchObject({ status: 'UPLOAD_DELETED' });
  });

  it('refuses an activity that a foreign worker scheduled with a plain payload', async () => {
    const victim = await lifecycle.start({ content: 'the file of A' });
    await lifecycle.uploadReaches(victim.id, 'UPLOAD_FINISHED');
    const before = await lifecycle.filesOf(victim.id);
    const outcome = await orderActivity(stranger, 'deleteUploadFiles', {
      accountId: lifecycle.account.id,
      uploadId: victim.id,
    });
    expect(outcome).toBe('UNSEALED_PAYLOAD');
    expect(await lifecycle.filesOf(victim.id)).toEqual(before);
  });

  it('continues an unencrypted workflow that began before encryption was on', async () => {
    const since = Date.now() + 3_600_000;
    const later = createPayloadCodec({ sealer: ring.sealer('payloads'), encrypt: true, encryptedSinceMs: since });
    await using upgraded = await startLifecycle({ environment: createDevEnvironment, codec: later });
    const plain = new Client({ connection: upgraded.env.connection });
    const { id, handle, enhancementIds } = await upgraded.start({ enhancements: [{}] }, plain);
    await upgraded.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    expect(await upgraded.client.workflow.getHandle(handle.workflowId).executeUpdate(deleteUpload)).toMatchObject({
      id,
      status: 'UPLOAD_DELETED',
    });
  });

  async function forged(own: string, victimId: string): Promise<UploadInput> {
    const { objectKey, file } = (await lifecycle.findUpload(victimId))!;
    const source = { kind: 'stored', objectKey: objectKey!, file: file! } as const;
    const initial = initialUpload({
      id: own,
      account: { id: `acc_${'2'.repeat(26)}`, retentionDays: 30 },
      source,
      originalFilename: 'photo.jpg',
      provider: 'local',
      webhookUrl: null,
      at: new Date().toISOString(),
    });
    return { initial, source, plan: SEED_PLANS.FREE, enhancements: [] };
  }
});
