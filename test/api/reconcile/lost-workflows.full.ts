import { eq } from 'drizzle-orm';
import { expect, test } from '@jest/globals';
import { newId } from '@burnish/contract';
import { reconcile, withdrawRefused } from '../../../src/api/reconcile/reconcile.ts';
import { returnDeliveries } from '../../../src/api/reconcile/return-deliveries.ts';
import { reviveLost } from '../../../src/api/reconcile/reconcile-upload.ts';
import { createStillRecords } from '../../../src/api/reconcile/still-records.ts';
import { changes } from '../../../src/database/schema/changes.ts';
import { uploads } from '../../../src/database/schema/uploads.ts';
import { keepReleasing } from '../../../src/api/webhooks/release-deliveries.ts';
import { parseAllowedHosts } from '../../../src/net/allowed-hosts.ts';
import { webhookReceiver } from '../../e2e/webhook-receiver.ts';
import { jpeg } from '../support/files.ts';
import { useLivingGateway } from '../support/living-gateway.ts';
import { createGate } from '../../support/gate.ts';
import { poll } from '../../support/poll.ts';
import { useForFile } from '../../support/use-for.ts';

const living = useLivingGateway({ allowedPrivateHosts: parseAllowedHosts('127.0.0.1') });
const receiver = useForFile(webhookReceiver);
let seed = 0;

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Record = any;

async function send(query = ''): Promise<Record> {
  const body = new Uint8Array(await jpeg((seed += 1)));
  const headers = { 'Content-Type': 'image/jpeg' };
  const response = await living.gateway.fetch(`/v1/uploads${query}`, { method: 'POST', headers, body });
  expect(response.status).toBe(202);
  return await response.json();
}
const read = async (id: string): Promise<Record> => (await living.gateway.fetch(`/v1/uploads/${id}`)).json();
const reaches = (id: string, status: string): Promise<void> =>
  poll(async () => (await read(id)).status, { timeout: 30_000 }).toBe(status);
const enhancementReaches = (id: string, status: string): Promise<void> =>
  poll(async () => (await read(id)).enhancements[0].status, { timeout: 30_000 }).toBe(status);

/** As a minute later, when no start is under way any more. */
function sweep(): ReturnType<typeof reconcile> {
  living.gateway.clock.aheadMs = 60_000;
  return reconcile(living.reconciling, new AbortController().signal);
}

test('an upload that lost its workflow while the file arrived is received again', async () => {
  const stuck = createGate();
  living.provider.script.inspect = async () => {
    await stuck.opened;
    return { width: 1, height: 1, hasAlpha: false, notes: [] };
  };
  const { id } = await send();
  await poll(() => living.provider.calls.includes(`inspect ${id}`), { timeout: 30_000 }).toBe(true);
  await living.loseWorkflows();
  living.provider.script = {};
  stuck.open();
  expect(await sweep()).toEqual({ revived: 1, recorded: 0, failed: 0 });
  await reaches(id, 'UPLOAD_FINISHED');
  expect(await sweep()).toEqual({ revived: 0, recorded: 0, failed: 0 });
});

test('a finished upload without a workflow gets a new one, which handles deletion and retention', async () => {
  const { id } = await send();
  await reaches(id, 'UPLOAD_FINISHED');
  await living.loseWorkflows();
  expect((await sweep()).revived).toBeGreaterThan(0);
  expect(await living.isRunning(id)).toBe(true);
});

test('an enhancement that lost its workflow is finished and charged once', async () => {
  const stuck = createGate();
  living.provider.script.enhance = () => stuck.opened;
  const { ledger } = living.gateway.records;
  const { id: accountId } = living.gateway.account;
  const { used } = await ledger.balance(accountId, Date.now());
  const { id } = await send(`?enhancements=${encodeURIComponent('[{"upscalingFactor":"X2"}]')}`);
  await enhancementReaches(id, 'PROCESSING');
  const before = (await read(id)).enhancements[0];
  await living.loseWorkflows();
  living.provider.script = {};
  stuck.open();
  await sweep();
  await enhancementReaches(id, 'FINISHED');
  const [after] = (await read(id)).enhancements;
  expect([after.id, after.chargedCredits]).toEqual([before.id, 4]);
  expect(await ledger.balance(accountId, Date.now())).toMatchObject({ reserved: 0, used: used + 4 });
});

test('an upload whose file is missing fails with ORIGINAL_MISSING, releases its credits and sends its event', async () => {
  const stuck = createGate();
  living.provider.script.enhance = () => stuck.opened;
  const webhookUrl = encodeURIComponent('https://example.com/hook');
  const enhancements = encodeURIComponent('[{"upscalingFactor":"X2"}]');
  const { id, enhancements: ordered } = await send(`?webhookUrl=${webhookUrl}&enhancements=${enhancements}`);
  await enhancementReaches(id, 'PROCESSING');
  // The record of the upload may come later.
  await reaches(id, 'UPLOAD_FINISHED');
  const { ledger, uploads: records, deliveries } = living.gateway.records;
  const { id: accountId } = living.gateway.account;
  const { reserved, used } = await ledger.balance(accountId, Date.now());
  expect(reserved).toBe(4);
  await living.loseWorkflows();
  stuck.open();
  const { objectKey } = (await records.get(accountId, id))!;
  await living.store.delete(objectKey!);

  await sweep();
  const { status, enhancements: after } = await read(id);
  expect([status, after[0].status, after[0].errorCode]).toEqual(['UPLOAD_FINISHED', 'ERROR', 'ORIGINAL_MISSING']);
  expect(await ledger.balance(accountId, Date.now())).toMatchObject({ reserved: 0, used });
  const told = (await deliveries.list(accountId, { limit: 50 })).items.map(({ eventKind }) => eventKind);
  expect(told).toContain('enhanced_image.status_update');
  expect(after[0].id).toBe(ordered[0].id);
  const { items } = await living.gateway.records.audit.list(null, { subjectId: id, limit: 10 });
  expect(items.map(({ action, details }) => [action, details['enhancementId']])).toEqual([
    ['upload.original_missing', ordered[0].id],
  ]);
  expect(await living.isRunning(id)).toBe(true);
});

test('an upload without a workflow can be deleted: bytes, record and event', async () => {
  const { id } = await send();
  await reaches(id, 'UPLOAD_FINISHED');
  const { uploads: records } = living.gateway.records;
  const { objectKey } = (await records.find(id))!;
  await living.loseWorkflows();
  const response = await living.gateway.fetch(`/v1/uploads/${id}`, { method: 'DELETE' });
  expect([response.status, (await response.json()).status]).toEqual([202, 'UPLOAD_DELETED']);
  expect(await living.store.head(objectKey!)).toBeUndefined();
});

test('an upload without a workflow can be enhanced', async () => {
  const { id } = await send();
  await reaches(id, 'UPLOAD_FINISHED');
  await living.loseWorkflows();
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"enhancements":[{"mode":"VIVID"}]}',
  };
  const response = await living.gateway.fetch(`/v1/uploads/${id}/enhancements`, init);
  expect(response.status).toBe(202);
  await enhancementReaches(id, 'FINISHED');
});

test('a refused start gets no workflow while its records and its file are withdrawn', async () => {
  await living.rest();
  try {
    const { id } = await send();
    await living.loseWorkflows();
    const { uploadStarts } = living.gateway.records;
    await uploadStarts.refuse(id, true);
    // Uploads of other tests come back.
    expect((await sweep()).failed).toBe(0);
    expect([await living.isRunning(id), (await read(id)).status]).toEqual([false, 'UPLOAD_PROCESSING']);
    const [, withdrawn] = await Promise.all([sweep(), withdrawRefused(living.reconciling)]);
    expect([withdrawn, await living.isRunning(id), (await read(id)).code]).toEqual([1, false, 'NOT_FOUND']);
  } finally {
    await living.work();
  }
});

test('a refused start that is withdrawn while its upload is revived gets no workflow', async () => {
  await living.rest();
  try {
    const { id } = await send();
    await living.loseWorkflows();
    const { uploadStarts, uploads: records } = living.gateway.records;
    await uploadStarts.refuse(id, true);
    const find = async (uploadId: string) => {
      const upload = await records.find(uploadId);
      expect(await uploadStarts.withdraw(uploadId)).toBe(true);
      return upload;
    };
    const revived = await reviveLost({ ...living.reconciling, uploads: { ...records, find } }, id);
    expect([revived, await living.isRunning(id), (await read(id)).code]).toEqual([false, false, 'NOT_FOUND']);
  } finally {
    await living.work();
  }
});

test('a deleted upload gets no new workflow', async () => {
  const { id } = await send();
  await reaches(id, 'UPLOAD_FINISHED');
  await living.gateway.fetch(`/v1/uploads/${id}`, { method: 'DELETE' });
  await reaches(id, 'UPLOAD_DELETED');
  await poll(() => living.isRunning(id)).toBe(false);
  await sweep();
  expect(await living.isRunning(id)).toBe(false);
});

test('a workflow without a record writes its record again', async () => {
  const { id } = await send();
  await reaches(id, 'UPLOAD_FINISHED');
  const { orm } = living.gateway.database;
  await orm.delete(changes).where(eq(changes.uploadId, id));
  await orm.delete(uploads).where(eq(uploads.id, id));
  expect((await living.gateway.fetch(`/v1/uploads/${id}`)).status).toBe(404);
  await poll(async () => (await sweep()).recorded, { timeout: 20_000 }).toBe(1);
  await reaches(id, 'UPLOAD_FINISHED');
});

test('the events of an upload that lost its workflow reach their receiver after the attempts in the log', async () => {
  const { deliveries } = living.gateway.records;
  const { id: accountId } = living.gateway.account;
  const { id } = await send();
  await reaches(id, 'UPLOAD_FINISHED');
  await living.loseWorkflows();
  const at = new Date(Date.now() - 600_000).toISOString();
  const record = async (): Promise<string> => {
    const event = { id: newId('evt', Date.now()), event: 'upload.status_update', data: { id }, created: at } as const;
    return (await deliveries.recordEvent(accountId, event, `${receiver.url}/hook`))[0]!.id;
  };
  const [unsent, tried] = [await record(), await record()];
  const attempt = {
    number: 1,
    at,
    httpStatus: 503,
    latencyMs: 1,
    answer: '',
    retryAfterMs: null,
    outcome: 'failed',
  } as const;
  await deliveries.recordAttempt(tried, attempt, { status: 'PENDING', nextAttemptAt: at });
  const stopReleasing = keepReleasing({ ...living.reconciling, deliveries }, { busy: 25, idle: 500 });
  try {
    expect(await reviveLost(living.reconciling, id)).toBe(true);
    living.gateway.clock.aheadMs = 60_000;
    expect(await returnDeliveries(living.reconciling, new AbortController().signal)).toBeGreaterThanOrEqual(2);
    await poll(async () => {
      const found = await Promise.all([unsent, tried].map((each) => deliveries.get(accountId, each)));
      return found.map((each) => [each?.status, each?.attempts]);
    }).toEqual([
      ['DELIVERED', 1],
      ['DELIVERED', 2],
    ]);
  } finally {
    await stopReleasing();
  }
  expect(receiver.deliveries).toHaveLength(2);
});

test('work that has not changed for a minute is compared with its workflow, and rarer the longer it waits', async () => {
  const stuck = createGate();
  living.provider.script.enhance = () => stuck.opened;
  const ordered = `?enhancements=${encodeURIComponent('[{"mode":"VIVID"}]')}`;
  const [{ id }, { id: other }] = [await send(ordered), await send(ordered)];
  for (const each of [id, other]) {
    await enhancementReaches(each, 'PROCESSING');
    await reaches(each, 'UPLOAD_FINISHED');
  }
  const lookAll = createStillRecords();
  const signal = new AbortController().signal;
  const looked: string[] = [];
  const look = (aheadMs: number): Promise<number> => {
    living.gateway.clock.aheadMs = aheadMs;
    const { client } = living;
    const getHandle = ((workflowId: string) => {
      looked.push(workflowId);
      return client.workflow.getHandle(workflowId);
    }) as typeof client.workflow.getHandle;
    const watched = {
      withDeadline: client.withDeadline.bind(client),
      workflow: { start: client.workflow.start.bind(client.workflow), getHandle },
    };
    return lookAll({ ...living.reconciling, client: watched as never }, signal);
  };
  await lookAll({ ...living.reconciling, now: () => Date.now() - 60_000 }, signal);
  looked.length = 0;
  expect(await look(0)).toBe(0);
  expect(looked).toEqual([]);
  await look(70_000);
  expect(looked).toEqual(expect.arrayContaining([`upload/${id}`, `upload/${other}`]));
  looked.length = 0;
  expect(await look(75_000)).toBe(0);
  expect(looked).toEqual([]);
  await living.loseWorkflows();
  living.provider.script = {};
  stuck.open();
  expect(await look(140_000)).toBeGreaterThanOrEqual(2);
  for (const each of [id, other]) await enhancementReaches(each, 'FINISHED');
});
