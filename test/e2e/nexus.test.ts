import '../setup/quiet-temporal.ts';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, type WorkflowFailedError } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EnhancementRepresentation } from '@burnish/contract';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { cleanEnvironment, type Instance, runCommand, startInstance } from './instance.ts';
import {
  failureOf,
  type NexusCallers,
  printedToken,
  SHOP,
  smallPhoto,
  smallSource,
  startNexusCallers,
} from './nexus-callers.ts';
import { nexusOperationTests } from './nexus-operations.ts';
import { nexusTokenTests } from './nexus-token-tests.ts';
import { callersSpan, pathOf, spanNamed, type TraceCollector, traceCollector } from './trace-collector.ts';

const X2 = { upscalingFactor: 'X2' } as const;

let collector: TraceCollector;
let s3: S3Server;
let instance: Instance;
let callers: NexusCallers;
let call: NexusCallers['call'];

beforeAll(async () => {
  collector = await traceCollector();
  s3 = await startS3Server();
  const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '0' };
  instance = await startInstance({
    env: { BURNISH_CREDITS_PER_PERIOD: '100', BURNISH_ALLOWED_PRIVATE_HOSTS: new URL(s3.endpoint).host, ...tracing },
  });
  const made = await burnish(
    'endpoints',
    'create',
    SHOP,
    '--account',
    'Default',
    '--scope',
    'enhance,buckets,destinations',
    '--json',
  );
  callers = await startNexusCallers(instance.temporalAddress, printedToken(made));
  ({ call } = callers);
});
afterAll(async () => {
  await callers?.[Symbol.asyncDispose]();
  await instance?.[Symbol.asyncDispose]();
  await collector?.[Symbol.asyncDispose]();
  await s3?.[Symbol.asyncDispose]();
});

nexusOperationTests(() => ({ callers, api: instance.api }));
nexusTokenTests(() => ({ callers, instance, collector, burnish }));

async function burnish(...args: string[]): Promise<string> {
  const keys = {
    BUCKET_ACCESS_KEY_ID: s3.env['AWS_ACCESS_KEY_ID'],
    BUCKET_SECRET_ACCESS_KEY: s3.env['AWS_SECRET_ACCESS_KEY'],
  };
  const command = runCommand(args, await cleanEnvironment({ BURNISH_DATA_DIR: instance.dataDir, ...keys }));
  expect([await command.ended, command.stderr()]).toEqual([0, '']);
  return command.stdout().trimEnd();
}

test('a traced caller, its operation, the upload and the engine are one trace', async () => {
  const caller = callersSpan();
  await call(
    'enhance',
    { source: await smallSource(), enhancements: [X2] },
    { headers: { traceparent: caller.traceparent } },
  );
  const spans = await collector.traceOf(caller, 'engine inspect-and-enhance-image', 'RunActivity:awaitEnhancement');
  const operation = ['RunStartNexusOperation:burnish/enhance', caller.spanId];
  expect(pathOf(spanNamed(spans, 'engine inspect-and-enhance-image'), spans)).toEqual([
    'engine inspect-and-enhance-image',
    'RunActivity:inspectAndEnhance',
    'StartWorkflow:upload',
    ...operation,
  ]);
  expect(pathOf(spanNamed(spans, 'RunActivity:awaitEnhancement'), spans)).toEqual([
    'RunActivity:awaitEnhancement',
    'StartWorkflow:enhanceOperation',
    ...operation,
  ]);
});

test('a caller names a file in a bucket and a destination, and gets the result after its delivery', async () => {
  const [source, results] = [await s3.createBucket(), await s3.createBucket()];
  for (const [name, bucket] of [
    ['photos', source],
    ['results', results],
  ] as const) {
    const place = ['--url', `s3://${bucket}`, '--endpoint', s3.endpoint, '--region', 'us-east-1'];
    await burnish('buckets', 'create', name, '--account', 'Default', ...place);
  }
  await mkdir(join(s3.folderOf(source), 'in'), { recursive: true });
  await writeFile(join(s3.folderOf(source), 'in', '1.jpg'), await smallPhoto());
  const destination = { bucket: 'results', key: 'out/{name}' };
  const result = (await call('enhance', {
    source: { bucket: 'photos', key: 'in/1.jpg' },
    enhancements: [{ ...X2, destination }],
  })) as EnhancementRepresentation;
  expect(result).toMatchObject({ status: 'FINISHED', width: 560, destination: { status: 'DELIVERED' } });
  const delivered = await readFile(join(s3.folderOf(results), 'out', '1.jpg'));
  expect(delivered).toEqual(Buffer.from(await (await fetch(result.fullUrl!)).arrayBuffer()));

  const missing = call('enhance', { source: { bucket: 'photos', key: 'in/2.jpg' }, enhancements: [X2] });
  expect(await failureOf(missing)).toMatchObject({ code: 'SOURCE_MISSING' });
});

test('only the payloads of the operation are plain', async () => {
  const done = await call('enhance', { source: await smallSource(), enhancements: [X2] });
  const { id, uploadId } = done as EnhancementRepresentation;
  const own = new Client({ connection: callers.shop.connection });
  const encodings = await Promise.all(
    [`operation/${id}`, `upload/${uploadId}`].map((each) => firstEncoding(own, each)),
  );
  expect(encodings).toEqual(['json/plain', 'binary/encrypted']);
});

test('a failed enhancement and a refused input end the operation with their code, fault and remedy', async () => {
  const damaged = Buffer.from(await smallPhoto()).fill(0, 700);
  const broken = call('enhance', { source: { data: damaged.toString('base64') }, enhancements: [X2] });
  expect(await failureOf(broken)).toEqual({
    code: 'CORRUPT_FILE',
    text: expect.stringMatching(/^The file is damaged.*Open the file in another program/s),
  });
  const wrong = call('enhance', { source: await smallSource(), enhancements: [{ upscalingFactor: 'X3' }] });
  expect(await failureOf(wrong)).toEqual({
    code: 'BAD_USER_INPUT',
    text: expect.stringMatching(/upscalingFactor.*"X3".*Send X1, X2 or X4/s),
  });
  const unknown = call('getEnhancement', { enhancementId: 'enh_00000000000000000000000000' });
  expect(await failureOf(unknown)).toMatchObject({ code: 'NOT_FOUND' });
});

test('a workflow of another program cannot read an enhancement with the ticket of another one', async () => {
  const [mine, other] = await Promise.all(
    [await smallSource(), await smallSource()].map((source) => call('enhance', { source, enhancements: [X2] })),
  );
  const own = new Client({ connection: callers.shop.connection });
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
  const create = ['endpoints', 'create', 'print-shop', '--account'];
  await burnish('accounts', 'create', 'Miller');
  expect(await burnish(...create, 'Miller')).toMatch(
    /^Workflows with the token of the endpoint print-shop may enhance, for acc_\w+\.\nIts token, for the operation header burnish-token: bne_[\w-]{43}$/,
  );
  const again = await burnish(...create, 'Miller');
  expect(again).toContain('run: burnish endpoints rotate print-shop');
  expect(again).not.toContain('did not create');
  for (const other of [['Default'], ['Miller', '--scope', 'enhance', 'buckets']]) {
    const refused = runCommand([...create, ...other], await cleanEnvironment({ BURNISH_DATA_DIR: instance.dataDir }));
    expect(await refused.ended).not.toBe(0);
    expect(refused.stderr()).toContain('Delete it first, or choose another name.');
  }
  expect(await burnish('endpoints', 'list')).toMatch(/^print-shop {2}acc_\w+ {2}may enhance {2}token of \S+Z$/m);
  expect(await burnish('endpoints', 'rotate', 'print-shop')).toMatch(/The previous token is valid until \S+Z\.$/);
  expect(await burnish('endpoints', 'delete', 'print-shop')).toBe('Deleted print-shop.');
  expect(await burnish('endpoints', 'list')).not.toContain('print-shop');
  const { endpoints } = await callers.connection.operatorService.listNexusEndpoints({ name: 'print-shop' });
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
