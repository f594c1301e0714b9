import { chmod, cp, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isRunning } from '../../src/process/process-identity.ts';
import { portTrouble } from '../../src/temporal/port.ts';
import { expectNamed } from '../support/expect-named.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { testPort } from '../support/test-port.ts';
import { wideFiles } from '../support/wide-files.ts';
import type { UploadRecord } from './api.ts';
import { readEvents } from './events.ts';
import { pdfWithPhoto, photo } from './files.ts';
import { cleanEnvironment, type Instance, runCommand, startInstance } from './instance.ts';
import { processTree } from './processes.ts';
import { allBytes, allHistories } from './temporal-records.ts';
import { type WebhookReceiver, webhookReceiver } from './webhook-receiver.ts';

/** Milliseconds; a start on a busy machine takes many seconds. */
const SEVERAL_STARTS = 240_000;
const X2 = { upscalingFactor: 'X2' };

/** The answers of both addresses of metrics, and of the one of the Temporal SDK. */
interface Metrics {
  ours: string[];
  sdk: string;
}

let folder: TemporaryFolder;
let receiver: WebhookReceiver;
let first: Instance;
/** The same instance on another machine: its data folder is a copy, its ports are others, and the first folder is gone. */
let second: Instance;
/** Records and answers of the first one. */
const before = {} as {
  record: UploadRecord;
  result: Buffer;
  /** An upload whose enhancement waits for its approval */
  waiting: UploadRecord;
  credits: object;
  metrics: Metrics;
  histories: string;
};
/** Files that others may read, at each moment that could make one. */
const wide: Record<string, string[]> = {};
const METRICS_TOKEN = 'a-token-of-this-test';
const ends: { code: number; processes: number; running: number; takenPorts: (string | undefined)[] }[] = [];

beforeAll(async () => {
  [folder, receiver] = await Promise.all([temporaryFolder(), webhookReceiver()]);
  const [dataDir, backup, restored] = ['data', 'backup', 'restored'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  const [metricsPort, sdkMetrics] = [String(await testPort()), `127.0.0.1:${await testPort()}`];
  const env = {
    BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${receiver.port}`,
    // Without encryption, so that the histories show what stands in payloads.
    BURNISH_PAYLOAD_ENCRYPTION: 'off',
    BURNISH_METRICS_PORT: metricsPort,
    BURNISH_METRICS_TOKEN: METRICS_TOKEN,
    BURNISH_TEMPORAL_METRICS_ADDRESS: sdkMetrics,
  };
  await mkdir(dataDir);
  await chmod(dataDir, 0o755);
  first = await startInstance({ dataDir, env });
  before.record = await uploadOf(first);
  before.metrics = await readMetrics([first.url, `http://127.0.0.1:${metricsPort}`], sdkMetrics);
  await workOf(first, dataDir);
  wide['after work and commands'] = await wideFiles(dataDir);
  before.histories = await allHistories(first.ports.temporal);
  await end(first);
  await operate(dataDir, 'credits');
  wide['after a command without an instance'] = await wideFiles(dataDir);

  await cp(dataDir, backup, { recursive: true, preserveTimestamps: true });
  await rm(dataDir, { recursive: true });
  await cp(backup, restored, { recursive: true, preserveTimestamps: true });
  second = await startInstance({ dataDir: restored, env, apiKey: first.apiKey });
}, SEVERAL_STARTS);
afterAll(async () => {
  for (const each of [second, first, receiver, folder]) await each?.[Symbol.asyncDispose]();
});

/** An image and its events, as the first work of an instance. */
async function uploadOf({ api, url, apiKey }: Instance): Promise<UploadRecord> {
  const { body } = await api.upload(await photo(), { enhancements: [X2], webhookUrl: `${receiver.url}/hook` });
  for await (const event of readEvents(`${url}/v1/uploads/${body.id}/events?until=settled`, apiKey)) {
    expect(event.event).toMatch(/^(upload|enhancement|progress|end)$/);
  }
  await receiver.received(({ event }) => event === 'enhanced_image.status_update');
  return await api.settled(body.id);
}

/** Work of other kinds, refused requests, which are logged with more than others, and commands. */
async function workOf({ api, url, apiKey }: Instance, dataDir: string): Promise<void> {
  const { record } = before;
  before.result = await bytesOf(record.enhancements[0]!.fullUrl!);
  const order = { enhancements: [{}], webhookUrl: `${receiver.url}/hook` };
  await api.settled((await api.upload(await pdfWithPhoto(), order)).body.id);
  const headers = { 'x-api-key': apiKey };
  expect((await fetch(`${url}/v1/uploads/${record.id}/preview`, { headers })).status).toBe(200);
  expect((await fetch(`${record.enhancements[0]!.fullUrl!}x`)).status).toBe(403);
  const wrong = { 'x-api-key': 'bk_wrong-key-of-a-stranger' };
  expect((await fetch(`${url}/v1/uploads?key=${apiKey}`, { headers: wrong })).status).toBe(401);
  expect((await api.get(`/v1/uploads?after=${apiKey}`)).status).toBe(400);
  await operate(dataDir, 'keys', 'create', 'made by the operator');
  await operate(dataDir, 'signing-key', 'rotate');
  before.credits = (await api.get<object>('/v1/credits')).body;
  before.waiting = (await api.upload(await photo(2), { enhancements: [{ ...X2, maxCredits: 1 }] })).body;
  await api.reached(before.waiting.enhancements[0]!.id, 'AWAITING_APPROVAL');
}

async function operate(dataDir: string, ...args: string[]): Promise<void> {
  const command = runCommand(args, await cleanEnvironment({ BURNISH_DATA_DIR: dataDir }));
  expectNamed(await command.ended, command.output()).toBe(0);
}

/** Ctrl-C. */
async function end(instance: Instance): Promise<void> {
  const processes = processTree(instance.pid);
  const code = await instance.stop();
  const takenPorts = await Promise.all(Object.values(instance.ports).map((port) => portTrouble('127.0.0.1', port)));
  ends.push({ code, processes: processes.length, running: processes.filter(isRunning).length, takenPorts });
}

async function bytesOf(address: string): Promise<Buffer> {
  const response = await fetch(address);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

async function readMetrics(urls: readonly string[], sdk: string): Promise<Metrics> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const read = async (url: string): Promise<string> => (await fetch(`${url}/metrics`, { headers })).text();
  return { ours: await Promise.all(urls.map(read)), sdk: await read(`http://${sdk}`) };
}

test('Ctrl-C ends all processes of an instance, and frees its ports', () => {
  expect(ends[0]).toMatchObject({ code: 0, running: 0, takenPorts: [undefined, undefined, undefined] });
  expect(ends[0]!.processes).toBeGreaterThan(2);
});

test('both addresses of metrics have the figures of a whole lifecycle, and another one those of the Temporal SDK', () => {
  for (const beginning of [
    'burnish_uploads{status="UPLOAD_FINISHED"} 1',
    'burnish_enhancements{status="FINISHED"} 1',
    'burnish_activity_schedule_to_start_seconds_count{activity="inspectAndEnhance",task_queue="burnish-engine"} 1',
    'burnish_activity_duration_seconds_count{activity="inspectAndEnhance",outcome="completed"} 1',
    'burnish_engine_task_duration_seconds_count{task="inspect-and-enhance-image",outcome="completed"} 1',
    'burnish_engine_step_duration_seconds_count{task="inspect-and-enhance-image",step="upscale"} 1',
    'burnish_http_request_duration_seconds_count{method="POST",route="/v1/uploads",status="202"} 1',
  ]) {
    for (const text of before.metrics.ours) expect(text.split('\n')).toContain(beginning);
  }
  // Those that docs/operations.md names.
  for (const name of [
    'temporal_worker_task_slots_available',
    'temporal_workflow_task_schedule_to_start_latency_seconds',
    'temporal_workflow_task_execution_latency_seconds',
    'temporal_sticky_cache_size',
    'temporal_request_total',
  ]) {
    expect(before.metrics.sdk).toContain(`# TYPE ${name} `);
  }
});

test('a copy of the data folder of a stopped instance is a full backup: records, files, credits and lifecycles', async () => {
  const { record, result, waiting } = before;
  expect(second.stdout()).not.toMatch(/API key|whsec_/);
  const { body: found } = await second.api.get<UploadRecord>(`/v1/uploads/${record.id}`);
  expect(withoutAddresses(found)).toEqual(withoutAddresses(record));
  const here = (address: string): string => address.replace(/^http:\/\/[^/]+/, second.url);
  expect(await bytesOf(here(found.enhancements[0]!.fullUrl!))).toEqual(result);
  // An address that was handed out before the restart is good for its 24 hours.
  expect(await bytesOf(here(record.enhancements[0]!.fullUrl!))).toEqual(result);
  expect((await second.api.get('/v1/credits')).body).toEqual(before.credits);

  // Both lifecycles go on: one takes a command, the other is enhanced after its approval.
  expect((await second.api.call('DELETE', `/v1/uploads/${record.id}`)).status).toBe(202);
  const approve = `/v1/enhancements/${waiting.enhancements[0]!.id}/approve`;
  expect((await second.api.call('POST', approve)).status).toBe(202);
  expect((await second.api.settled(waiting.id)).enhancements).toMatchObject([{ status: 'FINISHED' }]);
  wide['after work of the second start'] = await wideFiles(second.dataDir);
  await end(second);
  expect(ends[1]).toMatchObject({ code: 0, running: 0 });
});

test('the data folder is readable only by its owner, even if it was wider before', async () => {
  wide['after the end'] = await wideFiles(second.dataDir);
  for (const [moment, files] of Object.entries(wide)) expectNamed(files, moment).toEqual([]);
  expect(Object.keys(wide)).toHaveLength(4);
  expect(await readFile(join(second.dataDir, 'encryption.key'), 'utf8')).toMatch(/^[\w+/]{43}=\n$/);
});

test('no secret is in logs or histories', async () => {
  const { histories, record } = before;
  expect(histories.includes(record.id)).toBe(true);
  expect(histories.includes('notifyReceivers')).toBe(true);
  expect(first.apiKey).not.toBe('');
  expect(first.webhookSecret).toMatch(/^whsec_/);
  const token = new URL(record.enhancements[0]!.fullUrl!).searchParams.get('token')!;
  const secrets = {
    'the API key': first.apiKey,
    'the webhook secret': first.webhookSecret,
    'the webhook secret as a key': Buffer.from(first.webhookSecret.slice(6), 'base64').toString('latin1'),
    'the key of commands on this machine': localKey(await readFile(join(second.dataDir, 'local-access.json'), 'utf8')),
    'a signed address': token,
    'the signature of an address': token.split('.')[1]!,
  };
  const places = {
    'the log': first.stderr() + second.stderr(),
    'what the second start printed': second.stdout(),
    'the histories': histories,
    "Temporal's folder": await allBytes(join(second.dataDir, 'temporal')),
  };
  for (const [secret, text] of Object.entries(secrets)) {
    expectNamed(text.length, secret).toBeGreaterThan(20);
    for (const [place, content] of Object.entries(places)) {
      expectNamed(content.includes(text), `${secret} in ${place}`).toBe(false);
    }
  }
});

const localKey = (json: string): string => (JSON.parse(json) as { apiKey: string }).apiKey;

/** Addresses are signed afresh at each read. */
function withoutAddresses({ url: _, enhancements, ...upload }: UploadRecord): object {
  return { ...upload, enhancements: enhancements.map(({ fullUrl: __, ...each }) => each) };
}
