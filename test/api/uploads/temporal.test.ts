import { Client, ServiceError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SEED_PLANS } from '@burnish/contract';
import { sendUpdate } from '../../../src/api/commands/workflow-commands.ts';
import { startUpload } from '../../../src/api/uploads/start-upload.ts';
import { createProgressReader } from '../../../src/api/changes/progress-watch.ts';
import {
  cancelEnhancement,
  deleteUpload,
  uploadWorkflowId,
  type EnhancementSubject,
} from '../../../src/domain/temporal/workflow-interface.ts';
import { newAccount } from '../../../src/database/accounts/accounts.ts';
import { createDevEnvironment } from '../../support/dev-server.ts';
import { testVault } from '../../support/test-vault.ts';
import type { WorkflowEnvironment } from '../../support/time-skipping.ts';

let dev: WorkflowEnvironment;
let client: Client;

beforeAll(async () => {
  dev = await createDevEnvironment();
  client = new Client({ connection: dev.environment.nativeConnection });
});
afterAll(async () => await dev[Symbol.asyncDispose]());

const account = {
  ...newAccount({ name: 'Test', plan: 'FREE' }, testVault, Date.parse('2026-01-01T00:00:00.000Z')),
  id: `acc_${'1'.repeat(26)}`,
};
const plan = { id: 'FREE', ...SEED_PLANS.FREE };
const order = { filename: null, enhancements: [], webhookUrl: null };

describe('a gateway with a real workflow service and no worker', () => {
  test('starts an upload once under one id, and finds it by its search attributes', async () => {
    const recorded: unknown[] = [];
    const record = async (start: unknown) => ({ outcome: 'written', number: recorded.push(start) });
    const deps = {
      client,
      uploadStarts: { record },
      provider: 'local',
    } as never;
    const uploadId = `upl_${'1'.repeat(26)}`;
    const start = {
      uploadId,
      originalFilename: 'photo.jpg',
      source: { kind: 'url', url: 'https://example.com/photo.jpg' },
      claim: null,
      nowMs: Date.now(),
    } as const;
    await startUpload(deps, { account, plan, keyId: 'key', scopes: [], expiresAt: null, address: null }, order, start);
    await startUpload(deps, { account, plan, keyId: 'key', scopes: [], expiresAt: null, address: null }, order, start);
    const description = await client.workflow.getHandle(uploadWorkflowId(uploadId)).describe();
    expect(description.status.name).toBe('RUNNING');
    expect(description.historyLength).toBe(2);
    const priorityOf = async (id: string) =>
      (await client.workflow.getHandle(uploadWorkflowId(id)).describe()).raw.workflowExecutionInfo?.priority;
    expect(await priorityOf(uploadId)).toMatchObject({ priorityKey: 3, fairnessKey: account.id, fairnessWeight: 1 });
    const waited = `upl_${'3'.repeat(26)}`;
    await startUpload(
      deps,
      { account, plan, keyId: 'key', scopes: [], expiresAt: null, address: null, waits: true },
      order,
      {
        ...start,
        uploadId: waited,
      },
    );
    expect(await priorityOf(waited)).toMatchObject({ priorityKey: 2 });
    expect(await description.staticSummary()).toBe(`photo.jpg · account ${account.id}`);
    expect(
      Object.fromEntries(description.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value])),
    ).toMatchObject({
      BurnishAccountId: account.id,
      BurnishUploadId: uploadId,
      BurnishStatus: 'UPLOAD_PROCESSING',
      BurnishType: 'unknown',
    });
    expect(recorded).toHaveLength(3);
  });

  test('ends a command after its timeout with a transient failure', async () => {
    const call = {
      permitOf: account.id,
      workflowId: uploadWorkflowId(`upl_${'1'.repeat(26)}`),
      update: deleteUpload,
      args: [] as [],
      updateId: 'u1',
    };
    const sent = sendUpdate(client, call, 1000);
    await expect(sent).rejects.toMatchObject({
      code: 'INTERNAL',
      retryAfterSeconds: 5,
      message: expect.stringContaining('No worker accepted'),
    });
  });

  // It was told that the workflow service cannot be reached. That the server does answer so: `workflows/fresh-history.full.ts`.
  test('repeats a command to a workflow that is not ready, under the same id', async () => {
    const notReady = Object.assign(new Error('unexpected workflow task failure'), {
      code: 9,
      details: '',
      metadata: {},
    });
    const ids: string[] = [];
    const startUpdate = async (_: unknown, { updateId }: { updateId: string }) => {
      ids.push(updateId);
      if (ids.length < 3) throw new ServiceError('Workflow Update failed', { cause: notReady });
      return { result: async () => 'deleted' };
    };
    const busy = { withDeadline: client.withDeadline.bind(client), workflow: { getHandle: () => ({ startUpdate }) } };
    const call = { permitOf: 'acc_1', workflowId: 'upload/busy', update: deleteUpload, args: [] as [], updateId: 'u3' };
    expect(await sendUpdate(busy as never, call, 5000)).toEqual({ kind: 'done', value: 'deleted' });
    expect(ids).toEqual(['u3', 'u3', 'u3']);
  });

  test('reports a command to an unknown workflow as ended', async () => {
    const args: [EnhancementSubject] = [{ enhancementId: 'enh_none' }];
    const call = { permitOf: 'acc_1', workflowId: 'upload/none', update: cancelEnhancement, args, updateId: 'u2' };
    expect(await sendUpdate(client, call, 5000)).toEqual({ kind: 'ended' });
  });

  test('reports no progress for an enhancement without running work', async () => {
    await client.workflow.start('upload', { workflowId: 'upload/idle', taskQueue: 'nobody' });
    expect(await createProgressReader(client)({ id: 'enh_idle', uploadId: 'idle' })).toBeUndefined();
  });
});
