import '../setup/quiet-temporal.ts';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client, Connection, type WorkflowFailedError } from '@temporalio/client';
import { type ApplicationFailure, NexusOperationFailure } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EnhancementRepresentation } from '../../src/domain/representations/enhancement.ts';
import { picture } from './files.ts';
import { cleanEnvironment, type Instance, runCommand, startInstance } from './instance.ts';
import { until } from '../support/until.ts';

const X2 = { upscalingFactor: 'X2' } as const;
const SHOP = 'shop';

let instance: Instance;
let connection: NativeConnection;
let caller: Client;
const workers: { worker: Worker; run: Promise<void> }[] = [];

beforeAll(async () => {
  instance = await startInstance({ env: { BURNISH_CREDITS_PER_PERIOD: '100' } });
  const address = instance.temporalAddress;
  connection = await NativeConnection.connect({ address });
  for (const namespace of [SHOP, 'stranger']) {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
  }
  caller = new Client({ connection: await Connection.connect({ address }), namespace: SHOP });
  await burnish('endpoints', 'create', SHOP, '--account', 'Default', '--caller-namespace', SHOP);
  for (const namespace of [SHOP, 'stranger']) workers.push(await startCaller(namespace));
});
afterAll(async () => {
  for (const { worker, run } of workers) {
    worker.shutdown();
    await run;
  }
  await caller?.connection.close();
  await connection?.close();
  await instance?.[Symbol.asyncDispose]();
});

/** A worker of another team. The namespace is known to the whole server some seconds after its registration. */
async function startCaller(namespace: string): Promise<(typeof workers)[number]> {
  const worker = await until(
    () =>
      Worker.create({
        connection,
        namespace,
        taskQueue: namespace,
        workflowsPath: fileURLToPath(new URL('calling-workflow.ts', import.meta.url)),
      }).catch(() => undefined),
    (made) => made !== undefined,
    { withinMs: 60_000 },
  );
  return { worker: worker, run: worker.run() };
}

async function burnish(...args: string[]): Promise<string> {
  const command = runCommand(args, await cleanEnvironment({ BURNISH_DATA_DIR: instance.dataDir }));
  expect([await command.ended, command.stderr()]).toEqual([0, '']);
  return command.stdout().trimEnd();
}

/** Between 20 kB, the least size of a file, and 32 kB, the largest in a payload. */
async function smallPhoto(seed: number): Promise<Buffer> {
  const bytes = await picture(280, 200, { seed }).jpeg({ quality: 90 }).toBuffer();
  expect(bytes.length).toBeGreaterThan(20_000);
  expect(bytes.length).toBeLessThan(32_768);
  return bytes;
}

const call = (operation: string, input: object, { endpoint = SHOP, client = caller } = {}): Promise<unknown> =>
  client.workflow.execute('call', {
    args: [endpoint, operation, input],
    taskQueue: client.options.namespace,
    workflowId: randomUUID(),
  });

/** Code and text of the failure that ends the caller's workflow: those of its innermost cause. */
async function failureOf(calling: Promise<unknown>): Promise<{ code: string; text: string }> {
  const error: unknown = await calling.then(
    () => expect('a failure').toBe('the outcome'),
    (reason: unknown) => reason,
  );
  const operation = (error as WorkflowFailedError).cause as NexusOperationFailure;
  expect(operation).toBeInstanceOf(NexusOperationFailure);
  let cause = operation.cause as ApplicationFailure;
  while (cause.cause !== undefined) cause = cause.cause as ApplicationFailure;
  return { code: cause.type ?? '', text: cause.message };
}

let seed = 0;
const small = async (): Promise<{ data: string }> => ({ data: (await smallPhoto(++seed)).toString('base64') });

test('a workflow in another namespace sends a small file and gets the finished record with a URL of the result', async () => {
  const result = (await call('enhance', { source: await small(), enhancement: X2 })) as EnhancementRepresentation;
  expect(result).toMatchObject({ status: 'FINISHED', width: 560, height: 400, provider: 'LOCAL' });
  expect((await fetch(result.fullUrl!)).status).toBe(200);
  const { body } = await instance.api.call<{ items: { id: string }[] }>('GET', '/v1/uploads');
  expect(body.items.map(({ id }) => id)).toContain(result.uploadId);

  // Only the payloads of the operation are plain.
  const own = new Client({ connection: caller.connection });
  const [operation, upload] = await Promise.all(
    [`operation/${result.id}`, `upload/${result.uploadId}`].map((id) => firstEncoding(own, id)),
  );
  expect([operation, upload]).toEqual(['json/plain', 'binary/encrypted']);
});

test('the operations estimate and getEnhancement answer at once, and enhance accepts an existing upload', async () => {
  const first = (await call('enhance', { source: await small(), enhancement: X2 })) as EnhancementRepresentation;
  const { uploadId } = first;
  const enhancement = { upscalingFactor: 'X4' };
  expect(await call('estimate', { uploadId, enhancement })).toMatchObject({ credits: expect.any(Number), notes: [] });
  const second = (await call('enhance', { source: { uploadId }, enhancement })) as EnhancementRepresentation;
  expect(second).toMatchObject({ uploadId, status: 'FINISHED', width: 1120 });
  expect(await call('getEnhancement', { enhancementId: second.id })).toMatchObject({ id: second.id, width: 1120 });
});

test('a failed enhancement and a refused input end the operation with their code, fault and remedy', async () => {
  const damaged = Buffer.from(await smallPhoto(++seed)).fill(0, 700);
  const broken = call('enhance', { source: { data: damaged.toString('base64') }, enhancement: X2 });
  expect(await failureOf(broken)).toEqual({
    code: 'CORRUPT_FILE',
    text: expect.stringMatching(/^The file is damaged.*Open the file in another program/s),
  });
  const wrong = call('enhance', { source: await small(), enhancement: { upscalingFactor: 'X3' } });
  expect(await failureOf(wrong)).toEqual({
    code: 'BAD_USER_INPUT',
    text: expect.stringMatching(/upscalingFactor.*Correct the input/s),
  });
  const unknown = call('getEnhancement', { enhancementId: 'enh_00000000000000000000000000' });
  expect(await failureOf(unknown)).toMatchObject({ code: 'NOT_FOUND' });
});

test('a cancelled caller cancels the enhancement and returns its credits', async () => {
  const source = await small();
  const { api } = instance;
  const reserved = async () =>
    (await api.call<{ reservedCreditsThisPeriod: number }>('GET', '/v1/credits')).body.reservedCreditsThisPeriod;
  const outcome = caller.workflow.execute('callAndCancel', {
    args: [SHOP, { source, enhancement: { ...X2, maxCredits: 0 } }, 3_000],
    taskQueue: SHOP,
    workflowId: randomUUID(),
  });
  const waiting = '/v1/enhancements?status=AWAITING_APPROVAL';
  const [{ id }] = await until(
    async () => (await api.call<{ items: { id: string }[] }>('GET', waiting)).body.items as [{ id: string }],
    (items) => items.length === 1,
  );
  expect(await outcome).toBe('cancelled');
  expect((await api.call('GET', `/v1/enhancements/${id}`)).body).toMatchObject({ status: 'CANCELLED' });
  expect(await reserved()).toBe(0);
});

test('an endpoint is for the workflows of one namespace, and an endpoint without an account is refused', async () => {
  const stranger = new Client({ connection: caller.connection, namespace: 'stranger' });
  const foreign = call('getEnhancement', { enhancementId: 'enh_00000000000000000000000000' }, { client: stranger });
  expect(await failureOf(foreign)).toEqual({
    code: 'FORBIDDEN',
    text: expect.stringContaining('The endpoint shop is for workflows of the namespace shop.'),
  });

  const target = { worker: { namespace: 'default', taskQueue: 'burnish-nexus' } };
  await connection.operatorService.createNexusEndpoint({ spec: { name: 'unmapped', target } });
  const unmapped = call('enhance', { source: await small(), enhancement: X2 }, { endpoint: 'unmapped' });
  expect(await failureOf(unmapped)).toEqual({
    code: 'FORBIDDEN',
    text: expect.stringContaining('burnish endpoints create unmapped'),
  });
});

test('a workflow of another program cannot read an enhancement with the ticket of another one', async () => {
  const [mine, other] = await Promise.all(
    [await small(), await small()].map((source) => call('enhance', { source, enhancement: X2 })),
  );
  const own = new Client({ connection: caller.connection });
  const input = await firstInput(own, `operation/${(mine as EnhancementRepresentation).id}`);
  const { id: enhancementId, uploadId } = other as EnhancementRepresentation;
  const forged = own.workflow.execute('enhanceOperation', {
    args: [{ ...input, enhancementId, uploadId }],
    taskQueue: 'burnish-nexus',
    workflowId: randomUUID(),
  });
  const error = (await forged.catch((reason: unknown) => reason)) as WorkflowFailedError;
  expect(error.cause?.cause).toMatchObject({ type: 'FORBIDDEN' });
});

test('the commands of endpoints repeat without an effect, refuse another account, list and delete', async () => {
  const create = ['endpoints', 'create', 'print-shop', '--caller-namespace', SHOP, '--account'];
  await burnish('accounts', 'create', 'Miller');
  expect(await burnish(...create, 'Miller')).toMatch(
    /^Workflows of the namespace shop can call the endpoint print-shop/,
  );
  expect(await burnish(...create, 'Miller')).not.toContain('did not create');
  const other = runCommand([...create, 'Default'], await cleanEnvironment({ BURNISH_DATA_DIR: instance.dataDir }));
  expect(await other.ended).not.toBe(0);
  expect(other.stderr()).toContain('Delete it first, or choose another name.');
  expect(await burnish('endpoints', 'list')).toMatch(/^print-shop {2}acc_\w+ {2}shop$/m);
  expect(await burnish('endpoints', 'delete', 'print-shop')).toBe('Deleted print-shop.');
  expect(await burnish('endpoints', 'list')).not.toContain('print-shop');
  const { endpoints } = await connection.operatorService.listNexusEndpoints({ name: 'print-shop' });
  expect(endpoints).toEqual([]);
});

async function firstPayload(client: Client, workflowId: string) {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  return events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
}

async function firstEncoding(client: Client, workflowId: string): Promise<string> {
  const payload = await firstPayload(client, workflowId);
  return Buffer.from(payload?.metadata?.['encoding'] ?? []).toString();
}

async function firstInput(client: Client, workflowId: string): Promise<object> {
  const payload = await firstPayload(client, workflowId);
  return JSON.parse(Buffer.from(payload?.data ?? []).toString()) as object;
}
