import { TypedSearchAttributes } from '@temporalio/common';
import { expect, test } from '@jest/globals';
import { keepReconciled } from '../../../src/api/reconcile/keep-reconciled.ts';
import { reconcileUpload } from '../../../src/api/reconcile/reconcile-upload.ts';
import { replaceFormer } from '../../../src/api/reconcile/replace-former.ts';
import { uploadWorkflow } from '../../../src/api/uploads/start-upload.ts';
import { keepReleasing } from '../../../src/api/webhooks/release-deliveries.ts';
import { NEXUS_TASK_QUEUE } from '../../../src/domain/temporal/operation-interface.ts';
import {
  accountIdAttribute,
  batchWorkflowId,
  deliveryWorkflowId,
  FORMER_TASK_QUEUES,
  MAIN_TASK_QUEUE,
  TASK_QUEUES,
  uploadWorkflowId,
} from '../../../src/domain/temporal/workflow-interface.ts';
import { newId } from '../../../src/domain/ids.ts';
import { parseAllowedHosts } from '../../../src/net/allowed-hosts.ts';
import { webhookReceiver } from '../../e2e/webhook-receiver.ts';
import { createGate } from '../../support/gate.ts';
import { poll } from '../../support/poll.ts';
import { useForFile } from '../../support/use-for.ts';
import { jpeg } from '../support/files.ts';
import { useLivingGateway } from '../support/living-gateway.ts';
import { jsonRequests } from '../support/requests.ts';

const living = useLivingGateway({ allowedPrivateHosts: parseAllowedHosts('127.0.0.1') });
const receiver = useForFile(webhookReceiver);
const call = jsonRequests(() => living.gateway);
const [FORMER] = FORMER_TASK_QUEUES as [string];
const { signal } = new AbortController();
let seed = 900;

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Body = any;

async function send(query = ''): Promise<Body> {
  const body = new Uint8Array(await jpeg((seed += 1)));
  const headers = { 'Content-Type': 'image/jpeg' };
  return (await living.gateway.fetch(`/v1/uploads${query}`, { method: 'POST', headers, body })).json();
}
const ordering = (order: object): string => `?enhancements=${encodeURIComponent(JSON.stringify([order]))}`;
const read = async (path: string): Promise<Body> => (await living.gateway.fetch(path)).json();
const reaches = (path: string, status: string): Promise<void> =>
  poll(async () => (await read(path)).status, { timeout: 30_000 }).toBe(status);
const describeRun = (workflowId: string) => living.client.workflow.getHandle(workflowId).describe();
const queueOf = async (workflowId: string): Promise<string> => {
  const { taskQueue, status } = await describeRun(workflowId);
  return status.name === 'RUNNING' ? taskQueue : status.name;
};
const accountOf = () => new TypedSearchAttributes([{ key: accountIdAttribute, value: living.gateway.account.id }]);

/** Puts the workflow of an upload into the queue of an earlier version, which no worker of this version polls. */
async function becomeFormer(id: string, more: { workflowTaskTimeout?: '4 s' } = {}): Promise<void> {
  const workflowId = uploadWorkflowId(id);
  await living.client.workflow.getHandle(workflowId).terminate('becomes one of an earlier version');
  const initial = (await living.gateway.records.uploads.find(id))!;
  const source = { kind: 'stored', objectKey: initial.objectKey!, file: initial.file! } as const;
  const options = uploadWorkflow({ initial, source, plan: 'BASIC', enhancements: [] }, { again: true });
  await living.client.workflow.start('upload', { ...options, ...more, taskQueue: FORMER, requestEagerStart: false });
}

/** Replaces workflows until this one runs in the queue of this version: lists of workflows show it after a moment. */
async function replaced(workflowId: string): Promise<void> {
  await poll(async () => {
    await replaceFormer(living.reconciling, signal);
    return queueOf(workflowId);
  }).toBe(MAIN_TASK_QUEUE);
}

test('no queue of this version is one of an earlier version, and the operations of Nexus go on in theirs', () => {
  const names = [...TASK_QUEUES.map(({ name }) => name), NEXUS_TASK_QUEUE];
  expect(names.filter((name) => FORMER_TASK_QUEUES.includes(name))).toEqual([]);
});

test('an enhancement in work goes on in a new workflow, and is charged once', async () => {
  const gate = createGate();
  living.provider.script.enhance = () => gate.opened;
  const { ledger } = living.gateway.records;
  const { id: accountId } = living.gateway.account;
  const before = await ledger.balance(accountId, Date.now());
  const { id, enhancements } = await send(ordering({ upscalingFactor: 'X2' }));
  const path = `/v1/enhancements/${enhancements[0].id}`;
  await reaches(path, 'PROCESSING');
  await becomeFormer(id);
  living.provider.script = {};
  gate.open();
  // Nobody answers for it, so nothing is compared.
  expect(await reconcileUpload(living.reconciling, id)).toBe('behind');
  await replaced(uploadWorkflowId(id));
  await reaches(path, 'FINISHED');
  expect((await read(path)).chargedCredits).toBe(4);
  const { used, reserved } = await ledger.balance(accountId, Date.now());
  expect([used, reserved]).toEqual([before.used + 4, 0]);
});

test('an upload that waits for an approval takes it in the new workflow', async () => {
  const { id, enhancements } = await send(ordering({ upscalingFactor: 'X2', maxCredits: 1 }));
  const path = `/v1/enhancements/${enhancements[0].id}`;
  await reaches(path, 'AWAITING_APPROVAL');
  await becomeFormer(id);
  await replaced(uploadWorkflowId(id));
  await poll(async () => (await call('POST', `${path}/approve`)).status).toBe(202);
  await reaches(path, 'FINISHED');
});

test('a workflow task of an earlier worker ends before its workflow does, and an unknown upload is left alone', async () => {
  const { id } = await send();
  await reaches(`/v1/uploads/${id}`, 'UPLOAD_FINISHED');
  await becomeFormer(id, { workflowTaskTimeout: '4 s' });
  const unknown = uploadWorkflowId(newId('upl', Date.now()));
  const { workflowService, options } = living.client;
  const taskQueue = { name: FORMER };
  const task = await workflowService.pollWorkflowTaskQueue({
    namespace: options.namespace,
    taskQueue,
    identity: 'older',
  });
  expect(task.workflowExecution?.workflowId).toBe(uploadWorkflowId(id));
  await living.client.workflow.start('upload', { workflowId: unknown, taskQueue: FORMER, args: [{}] });
  expect(await replaceFormer(living.reconciling, signal)).toBe(0);
  expect([await queueOf(uploadWorkflowId(id)), await queueOf(unknown)]).toEqual([FORMER, FORMER]);
  // Temporal gives the task up after its timeout.
  await replaced(uploadWorkflowId(id));
  expect(await queueOf(unknown)).toBe(FORMER);
  await living.client.workflow.getHandle(unknown).terminate();
});

test('a batch goes on from its record', async () => {
  const { id } = await (await call('POST', '/v1/batches', { body: { enhancements: [{}] } })).json();
  const workflowId = batchWorkflowId(id);
  await poll(() => queueOf(workflowId)).toBe(MAIN_TASK_QUEUE);
  await living.client.workflow.getHandle(workflowId).terminate();
  const start = { workflowId, taskQueue: FORMER, args: [{}], typedSearchAttributes: accountOf() };
  await living.client.workflow.start('batch', start);
  await replaced(workflowId);
  expect((await call('POST', `/v1/batches/${id}/close`)).status).toBe(202);
  await reaches(`/v1/batches/${id}`, 'FINISHED');
});

test('events reach their receivers after the attempts that the earlier workflows made', async () => {
  const { deliveries } = living.gateway.records;
  const { id: accountId } = living.gateway.account;
  const { id } = await send();
  await reaches(`/v1/uploads/${id}`, 'UPLOAD_FINISHED');
  const record = async (subject: string): Promise<string> => {
    const created = new Date().toISOString();
    const event = {
      id: newId('evt', Date.now()),
      event: 'upload.status_update',
      data: { id: subject },
      created,
    } as const;
    return (await deliveries.recordEvent(accountId, event, `${receiver.url}/hook`))[0]!.id;
  };
  const [first, third] = [await record(id), await record(newId('upl', Date.now()))];
  for (const number of [1, 2]) {
    const at = new Date(Date.now() - 600_000).toISOString();
    const attempt = {
      number,
      at,
      httpStatus: 503,
      latencyMs: 1,
      answer: '',
      retryAfterMs: null,
      outcome: 'failed',
    } as const;
    await deliveries.recordAttempt(third, attempt, { status: 'PENDING', nextAttemptAt: at });
  }
  const former = { workflowId: deliveryWorkflowId(third), taskQueue: FORMER, args: [{}] };
  await living.client.workflow.start('delivery', { ...former, typedSearchAttributes: accountOf() });
  await becomeFormer(id);
  const stopReleasing = keepReleasing({ ...living.reconciling, deliveries }, { busy: 25, idle: 500 });
  try {
    await replaced(uploadWorkflowId(id));
    await poll(async () => {
      await replaceFormer(living.reconciling, signal);
      const found = await Promise.all([first, third].map((each) => deliveries.get(accountId, each)));
      return found.map((each) => [each?.status, each?.attempts]);
    }).toEqual([
      ['DELIVERED', 1],
      ['DELIVERED', 3],
    ]);
  } finally {
    await stopReleasing();
  }
  expect(receiver.deliveries).toHaveLength(2);
});

test('the reconciler replaces them at each of its looks', async () => {
  const { id } = await send();
  await reaches(`/v1/uploads/${id}`, 'UPLOAD_FINISHED');
  const stop = keepReconciled(living.reconciling, 50);
  try {
    await poll(async () => (await describeRun(uploadWorkflowId(id))).status.name).toBe('RUNNING');
    await becomeFormer(id);
    await poll(() => queueOf(uploadWorkflowId(id))).toBe(MAIN_TASK_QUEUE);
  } finally {
    await stop();
  }
});
