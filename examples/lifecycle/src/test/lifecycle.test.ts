import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspectImage } from '@burnish/engine';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { bundleWorkflowCode, DefaultLogger, Runtime, Worker, type WorkflowBundle } from '@temporalio/worker';
import express from 'express';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { Webhook } from 'standardwebhooks';
import { contractSteps } from '../activities/contract';
import { engineSteps } from '../activities/engine';
import { notifyShop } from '../activities/notify';
import { createGateway, TASK_QUEUE } from '../gateway';
import type { Order, Outcome, Steps } from '../steps';
import type { lifecycle } from '../workflows';
import { sendWebhook, TestService } from './service';

const SHOP_SECRET = `whsec_${Buffer.from('the secret of the shop').toString('base64')}`;
const FILE = Buffer.alloc(30_000, 'the bytes of a file ');

describe('the lifecycle of a file', () => {
  let environment: TestWorkflowEnvironment;
  let bundle: WorkflowBundle;
  let folder: string;
  let service: TestService;
  let gateway: Server;
  let shop: Server;
  /** What the shop heard */
  let heard: { event: string; data: Outcome }[];

  before(async () => {
    const logger = new DefaultLogger('ERROR');
    Runtime.install({ logger });
    environment = await TestWorkflowEnvironment.createTimeSkipping();
    bundle = await bundleWorkflowCode({ workflowsPath: require.resolve('../workflows'), logger });
  });
  after(() => environment?.teardown());

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lifecycle-'));
    heard = [];
    service = new TestService();
    await service.start();
    gateway = await listen(createGateway(environment.client, { shop: SHOP_SECRET, service: service.secret }));
    service.webhookUrl = `${addressOf(gateway)}/webhooks/service`;
    shop = await listen(
      express().use(express.raw({ type: '*/*' }), (req, res) => {
        heard.push(
          new Webhook(SHOP_SECRET).verify(req.body, req.headers as Record<string, string>) as (typeof heard)[0],
        );
        res.sendStatus(204);
      }),
    );
  });
  afterEach(async () => {
    for (const server of [gateway, shop]) server.close().closeAllConnections();
    await service.stop();
    await rm(folder, { recursive: true });
  });

  const notify = (): Steps['notify'] => notifyShop({ url: addressOf(shop), secret: SHOP_SECRET });
  /** A worker of this process, while a function runs. */
  async function withWorker<T>(work: () => Promise<T>, steps?: Steps): Promise<T> {
    const worker = await Worker.create({
      connection: environment.nativeConnection,
      taskQueue: TASK_QUEUE,
      workflowBundle: bundle,
      activities: steps ?? contractSteps({ url: service.url, apiKey: service.apiKey }, notify()),
    });
    return await worker.runUntil(work);
  }
  const tellShopEvent = (event: string, data: object): Promise<number> =>
    sendWebhook(`${addressOf(gateway)}/webhooks/shop`, SHOP_SECRET, { event, data });
  /** Orders a file as the shop does. */
  async function order(name: string, more: Partial<Order> = {}): Promise<WorkflowHandle<typeof lifecycle>> {
    const path = join(folder, name);
    await writeFile(path, FILE);
    const id = crypto.randomUUID();
    const resultPath = join(folder, 'result');
    const data = { id, source: { path }, enhancement: { upscalingFactor: 'X2' }, maxCredits: 10, resultPath, ...more };
    assert.equal(await tellShopEvent('order.created', data), 204);
    return environment.client.workflow.getHandle<typeof lifecycle>(`order/${id}`);
  }
  const decide = (handle: WorkflowHandle, approved: boolean): Promise<number> =>
    tellShopEvent('order.decided', { id: handle.workflowId.replace('order/', ''), approved });

  it('uploads, analyzes again, checks credits, enhances, downloads and notifies', () =>
    withWorker(async () => {
      service.failingAnalyses = 2;
      const resultPath = join(folder, 'better.pdf');
      const handle = await order('catalogue.pdf', { enhancement: { targetResolution: 300 }, resultPath });
      assert.deepEqual(await handle.result(), { status: 'DONE', resultPath });
      assert.deepEqual(await readFile(resultPath), Buffer.concat([Buffer.from('enhanced '), FILE]));
      assert.deepEqual(heard, [{ ...heard[0], event: 'order.ended', data: { status: 'DONE', resultPath } }]);
      assert.equal(service.credits, 96);
    }));

  it('reads a file from its address', () =>
    withWorker(async () => {
      const handle = await order('unused.jpg', { source: { url: 'https://example.com/photo.jpg' } });
      assert.equal((await handle.result()).status, 'DONE');
    }));

  it('waits three days for an approval', () =>
    withWorker(async () => {
      const handle = await order('photo.jpg', { maxCredits: 3 });
      await environment.sleep('3 days');
      assert.equal(service.enhancements.size, 0);
      await decide(handle, true);
      assert.equal((await handle.result()).status, 'DONE');
    }));

  it('spends nothing that nobody approves', () =>
    withWorker(async () => {
      for (const decision of [false, undefined]) {
        const handle = await order('photo.jpg', { maxCredits: 3 });
        if (decision !== undefined) await decide(handle, decision);
        await assert.rejects(handle.result(), failedWith('APPROVAL_REJECTED'));
      }
      assert.equal(service.credits, 100);
      assert.deepEqual([...new Set(heard.map(({ data }) => data.status))], ['FAILED']);
    }));

  it('waits for credits', () =>
    withWorker(async () => {
      service.credits = 3;
      const handle = await order('photo.jpg');
      await environment.sleep('5 hours');
      assert.equal(service.enhancements.size, 0);
      service.credits = 4;
      await handle.result();
      assert.equal(service.credits, 0);
    }));

  it('wakes by a webhook of the service, and by no forged one', () =>
    withWorker(async () => {
      service.holds = true;
      const handle = await order('photo.jpg');
      const id = await service.ordered();
      const waiting = environment.client.workflow.getHandle(`service/${id}`);
      await until(async () => (await statusOf(waiting)) === 'RUNNING');
      const forged = `whsec_${Buffer.from('a guess').toString('base64')}`;
      assert.equal(await sendWebhook(service.webhookUrl!, forged, { event: 'any', data: { id } }), 401);
      await service.finish(id);
      await handle.result();
      const { events = [] } = await waiting.fetchHistory();
      assert.equal(events!.filter((event) => event.workflowExecutionSignaledEventAttributes).length, 1);
    }));

  it('polls where webhooks are lost', () =>
    withWorker(async () => {
      service.webhookUrl = undefined;
      const handle = await order('catalogue.pdf', { enhancement: { targetResolution: 300 } });
      assert.equal((await handle.result()).status, 'DONE');
    }));

  it('starts one workflow for an order that the shop sends twice', () =>
    withWorker(async () => {
      const handle = await order('photo.jpg');
      await handle.result();
      assert.equal(await tellShopEvent('order.created', { id: handle.workflowId.replace('order/', '') }), 204);
      assert.equal(service.enhancements.size, 1);
    }));

  it('says why the service refused', () =>
    withWorker(async () => {
      service.holds = true;
      const handle = await order('photo.jpg');
      await service.finish(await service.ordered(), 'CORRUPT_FILE');
      await assert.rejects(handle.result(), failedWith('CORRUPT_FILE'));
      assert.deepEqual(heard[0]?.data, { status: 'FAILED', reason: 'The enhancement ended as ERROR.' });
    }));

  it('charges once when its worker is killed in the middle', async () => {
    const words = [environment.address, service.url, service.apiKey];
    const worker = spawn(process.execPath, ['-r', 'ts-node/register', join(__dirname, 'worker.ts'), ...words], {
      // The compiler has checked this process already.
      env: { ...process.env, TS_NODE_TRANSPILE_ONLY: 'true' },
      stdio: 'ignore',
    });
    // The service has accepted the order, and the worker never reads its answer.
    service.beforeAnswer = async () => {
      worker.kill('SIGKILL');
      service.beforeAnswer = async () => {};
    };
    const handle = await order('photo.jpg');
    await once(worker, 'exit');
    assert.equal(worker.signalCode, 'SIGKILL');
    await withWorker(async () => assert.equal((await handle.result()).status, 'DONE'));
    assert.equal(service.enhancements.size, 1);
    assert.equal(service.credits, 96);
  });

  it('runs unchanged with the engine in its own worker', () =>
    withWorker(
      async () => {
        const path = join(folder, 'picture.bmp');
        await writeFile(path, bitmap(40, 30));
        const enhancement = { upscalingFactor: 'X2', outputFormat: 'PNG' };
        const handle = await order('unused.jpg', { source: { path }, enhancement });
        const { resultPath } = (await handle.result()) as Outcome & { status: 'DONE' };
        const { width, height } = await inspectImage(resultPath);
        assert.deepEqual([width, height], [80, 60]);
        assert.equal(heard.length, 1);
      },
      engineSteps(join(folder, 'files'), notify()),
    ));
});

/** A bitmap of 24 bits a pixel, with a slope of grey. */
function bitmap(width: number, height: number): Buffer {
  const row = Math.ceil((3 * width) / 4) * 4;
  const bytes = Buffer.alloc(54 + row * height, 0);
  bytes.write('BM');
  bytes.writeUInt32LE(bytes.length, 2);
  for (const [at, value] of [
    [10, 54],
    [14, 40],
    [18, width],
    [22, height],
    [34, row * height],
  ] as const)
    bytes.writeUInt32LE(value, at);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  for (let y = 0; y < height; y += 1) bytes.fill(40 + 5 * y, 54 + row * y, 54 + row * (y + 1));
  return bytes;
}

async function listen(app: express.Express): Promise<Server> {
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const failedWith = (type: string) => (error: unknown) =>
  error instanceof WorkflowFailedError && (error.cause as { type?: string }).type === type;
const statusOf = async (handle: WorkflowHandle): Promise<string | undefined> =>
  (await handle.describe().catch(() => undefined))?.status.name;

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
}
