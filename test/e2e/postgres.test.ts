import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestTemporal } from '../support/test-temporal.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { startStatementCounter } from '../support/statement-counter.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { Api, UploadRecord } from './api.ts';
import { readEvents } from './events.ts';
import { pdfWithPhoto, photo } from './files.ts';
import { freePorts, type Instance, startInstance } from './instance.ts';
import { until } from '../support/until.ts';
import { expectExactSteps } from './step-counts.ts';
import { isSignedBy, type WebhookReceiver, webhookReceiver } from './webhook-receiver.ts';

/** Milliseconds; a start on a busy machine takes many seconds. */
const SEVERAL_STARTS = 180_000;

const BOOTSTRAP_KEY = 'a-key-that-the-operator-chose';

let postgres: Postgres;
let receiver: WebhookReceiver;
beforeAll(async () => {
  postgres = await startPostgres();
  receiver = await webhookReceiver();
});
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await postgres?.[Symbol.asyncDispose]();
});

/** The heart of the product in one pass: two files, live events, signed webhooks, credits, reuse, deletion. */
async function expectTheWholeLifecycle({ url, apiKey, api, webhookSecret }: Instance): Promise<void> {
  const webhookUrl = `${receiver.url}/hook`;
  const file = await photo(1);
  const order = { filename: 'photo.jpg', enhancements: [{ upscalingFactor: 'X2' }], webhookUrl };
  const [image, pdf] = await Promise.all([
    api.upload(file, order),
    api.upload(await pdfWithPhoto(), { enhancements: [{}], webhookUrl }),
  ]);
  const events: string[] = [];
  const stream = readEvents(`${url}/v1/uploads/${image.body.id}/events?until=settled`, apiKey);
  for await (const { event, data } of stream) events.push(String(data['status'] ?? event));
  expect(events.filter((event) => event !== 'progress')).toEqual([
    'UPLOAD_PROCESSING',
    'QUEUED',
    // The inspection is a part of the work.
    'PROCESSING',
    'UPLOAD_FINISHED',
    'FINISHED',
    'end',
  ]);
  const [enhanced] = (await api.settled(image.body.id)).enhancements;
  const [enhancedPdf] = (await api.settled(pdf.body.id)).enhancements;
  expect(enhanced).toMatchObject({ status: 'FINISHED', width: 800, height: 600, chargedCredits: 4 });
  expect(enhancedPdf).toMatchObject({ status: 'FINISHED', mimetype: 'application/pdf', chargedCredits: 4 });
  expect((await fetch(enhanced!.fullUrl!)).status).toBe(200);
  const told = await receiver.received(({ data }) => data['id'] === enhanced!.id);
  expect(isSignedBy(webhookSecret, told)).toBe(true);
  expect(await api.credits()).toMatchObject({ used: 8, reserved: 0 });

  const again = await api.settled((await api.upload(file, order)).body.id);
  expect(again.enhancements).toMatchObject([{ status: 'FINISHED', chargedCredits: 0, reusedFrom: enhanced!.id }]);
  expect((await api.call('DELETE', `/v1/uploads/${image.body.id}`)).status).toBe(202);
  expect((await fetch(enhanced!.fullUrl!)).status).toBe(404);
  expect((await fetch(again.enhancements[0]!.fullUrl!)).status).toBe(200);
}

test(
  'the whole lifecycle runs on PostgreSQL, an image takes a fixed number of steps, and a new start has all data',
  async () => {
    await using folder = await temporaryFolder();
    const databaseUrl = await postgres.createDatabase();
    await using counter = await startStatementCounter(databaseUrl);
    const shared = {
      dataDir: folder.path,
      env: {
        DATABASE_URL: counter.url,
        BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${receiver.port}`,
      },
    };
    await using first = await startInstance(shared);
    await expectTheWholeLifecycle(first);
    await expectExactSteps({ ...first, databaseUrl, counter });
    const list = (api: Api): Promise<object[]> =>
      api
        .get<{ items: UploadRecord[] }>('/v1/uploads')
        .then(({ body }) => body.items.map(({ id, status }) => ({ id, status })));
    const before = await list(first.api);
    expect(await first.stop()).toBe(0);
    await using second = await startInstance({ ...shared, apiKey: first.apiKey });
    expect(second.stdout()).not.toContain('API key');
    expect(await list(second.api)).toEqual(before);
    expect(await second.stop()).toBe(0);
  },
  SEVERAL_STARTS,
);

test(
  'gateway, worker and engine run as separate processes, and one continues the work of another',
  async () => {
    await using folder = await temporaryFolder();
    await using temporalFolder = await temporaryFolder();
    await using temporal = await startTestTemporal(temporalFolder.path);
    const env = {
      DATABASE_URL: await postgres.createDatabase(),
      TEMPORAL_ADDRESS: temporal.address,
      BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${receiver.port}`,
      BURNISH_BOOTSTRAP_API_KEY: BOOTSTRAP_KEY,
    };
    const start = async (...args: string[]): Promise<Instance> =>
      startInstance({
        dataDir: folder.path,
        ports: await freePorts(),
        env,
        args,
        apiKey: BOOTSTRAP_KEY,
        awaitReady: false,
      });

    await using gateway = await start('gateway');
    expect(gateway.stdout()).toMatch(/Gateway/);
    expect(gateway.stdout()).not.toMatch(/Workers|Temporal UI {2}|API key/);
    expect(gateway.stdout()).toContain(`${gateway.url}/temporal-codec`);
    expect(gateway.stdout()).toContain('First set BURNISH_TEMPORAL_UI_URL');
    expect(gateway.webhookSecret).toMatch(/^whsec_/);
    const ready = (): Promise<Response> => fetch(`${gateway.url}/readyz`);
    expect(await (await ready()).json()).toMatchObject({
      ready: false,
      problems: [
        'burnish-main',
        'burnish-notifications',
        'burnish-transfers',
        'burnish-inspection',
        'burnish-inspection-large',
        'burnish-engine',
        'burnish-engine-large',
      ].map((queue) => `No worker polls the task queue ${queue}.`),
    });
    // Accepted without any worker, and done once there are some.
    const { status, body: early } = await gateway.api.upload(await photo(9), { enhancements: [{}] });
    expect(status).toBe(202);
    const { body: waits } = await gateway.api.get<UploadRecord>(`/v1/uploads/${early.id}`);
    expect(waits).toMatchObject({
      status: 'UPLOAD_PROCESSING',
      waitingFor: 'worker',
      enhancements: [{ status: 'QUEUED', waitingFor: 'worker' }],
    });

    await using main = await start('worker', '--role', 'main');
    await using engine = await start('worker', '--role', 'engine');
    await until(async () => ((await ready()).ok ? true : undefined));
    expect((await gateway.api.settled(early.id)).enhancements).toMatchObject([
      { status: 'FINISHED', chargedCredits: 1 },
    ]);
    await gateway.api.call('DELETE', `/v1/uploads/${early.id}`);
    // Commands on this machine find the gateway, not a worker that came later.
    const access = JSON.parse(await readFile(join(folder.path, 'local-access.json'), 'utf8')) as { baseUrl: string };
    expect(access.baseUrl).toBe(gateway.url);

    expect(await engine.stop()).toBe(0);
    const { body: waiting } = await gateway.api.upload(await photo(10), { enhancements: [{}] });
    await using another = await start('worker', '--role', 'engine');
    expect((await gateway.api.settled(waiting.id)).enhancements).toMatchObject([{ status: 'FINISHED' }]);
    for (const each of [another, main, gateway]) expect(await each.stop()).toBe(0);
  },
  SEVERAL_STARTS,
);
