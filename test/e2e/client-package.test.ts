import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { copyFile, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { Webhook } from 'standardwebhooks';
import { startChromium } from '../support/chromium.ts';
import { tarballOf } from '../support/public-packages.ts';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { timeSkippingServer } from '../support/time-skipping-server.ts';
import { testPort } from '../support/test-port.ts';
import { until } from '../support/until.ts';
import { photo } from './files.ts';
import { listenHttp } from '../support/local-server.ts';
import { sharedInstance, type SharedInstance } from './shared-instance.ts';

const execute = promisify(execFile);
const folder = await temporaryFolder();
const place = join(folder.path, 'empty');
const installed = join(place, 'node_modules', '@burnish', 'client');
const EXAMPLES = [
  'enhance.mjs',
  'server.mjs',
  'listen.mjs',
  'batch.mjs',
  'page.html',
  'workflows.mjs',
  'workflows.test.mjs',
];
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
/** The runtimes that this machine has, with their arguments before a script. */
const RUNTIMES = [
  ['node', []],
  ['deno', ['run', '--allow-all']],
  ['bun', ['run']],
].filter(([runtime]) => spawnSync(runtime as string, ['--version']).status === 0) as [string, string[]][];
let instance: SharedInstance;
let env: NodeJS.ProcessEnv;

/** Installs the tarball beside the examples of its readme. */
beforeAll(async () => {
  await mkdir(place);
  await execute('npm', ['install', '--offline', tarballOf('client')], { cwd: place });
  const readme = await readFile(join(repositoryRoot, 'packages/client/README.md'), 'utf8');
  const examples = [...readme.matchAll(/```\w+(?: file=(\S+))?\n(.*?)```/gs)].map(([, name, code]) => ({ name, code }));
  for (const { name, code } of examples) if (name !== undefined) await writeFile(join(place, name), code!);
  // The first one installs the package. A new example needs a test below.
  expect(examples.map(({ name }) => name)).toEqual([undefined, ...EXAMPLES]);
  await writeFile(join(place, 'photo.jpg'), await photo());
  instance = await sharedInstance();
  env = { PATH: process.env['PATH'], BURNISH_URL: instance.url, BURNISH_API_KEY: instance.apiKey };
}, 300_000);
afterAll(() => folder[Symbol.asyncDispose]());

describe('the client package, installed from its tarball in an empty folder', () => {
  test('has no dependencies, and licences of the code in it', async () => {
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>;
    expect(manifest['dependencies']).toBeUndefined();
    const licences = await readFile(join(installed, 'dist', 'licences.txt'), 'utf8');
    for (const name of ['eventsource-parser', 'standardwebhooks', 'fast-sha256', '@stablelib/base64', 'zod'])
      expect(licences).toContain(name);
    await expect(readdir(join(place, 'node_modules', '@temporalio'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test.each(RUNTIMES)('enhances a file with the script of the readme in %s', async (runtime, args) => {
    const better = join(place, 'better.jpg');
    await rm(better, { force: true });
    const { stdout } = await execute(runtime, [...args, 'enhance.mjs'], { cwd: place, env });
    const [before, { width, height }] = await Promise.all([
      sharp(join(place, 'photo.jpg')).metadata(),
      sharp(better).metadata(),
    ]);
    expect([width, height]).toEqual([2 * before.width, 2 * before.height]);
    expect(stdout).toMatch(new RegExp(`^${width} × ${height} pixels for \\d+ credits\n$`));
  });

  test('runs a batch with a preset, and forwards its events, with the scripts of the readme', async () => {
    const events: { event: string }[] = [];
    await using receiver = await listenHttp((req, res) => {
      void text(req).then((body) => {
        const webhook = new Webhook(WEBHOOK_SECRET);
        events.push(webhook.verify(body, req.headers as Record<string, string>) as { event: string });
        res.writeHead(204).end();
      });
    });
    const HOOK_URL = `${receiver.url}/hook`;
    const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const stdio = ['ignore', 'pipe', 'inherit'] as const;
    const listener = spawn(process.execPath, ['listen.mjs'], {
      cwd: place,
      env: { ...env, HOOK_URL, WEBHOOK_SECRET },
      stdio: [...stdio],
    });
    let printed = '';
    listener.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    try {
      await until(() => (printed.endsWith('\n') ? true : undefined));
      const { stdout } = await execute(process.execPath, ['batch.mjs'], { cwd: place, env });
      expect(stdout).toMatch(/^FINISHED \d+\n$/);
      await until(() => events.find(({ event }) => event === 'batch.ended'));
    } finally {
      listener.kill();
    }
  });

  test('works in CommonJS, and refuses with a code and a remedy', async () => {
    const script = `
      const { Burnish, BurnishError } = require('@burnish/client');
      new Burnish().uploads.get('upl_unknown').catch((error) => {
        console.log(error instanceof BurnishError, error.code, error.status, error.message);
      });`;
    const { stdout } = await execute(process.execPath, ['-e', script], { cwd: place, env });
    expect(stdout).toMatch(/^true \w+ 40[04] .+\.\n$/);
  });

  test('has types that a strict compiler accepts, and that refuse a wrong parameter', async () => {
    const source = `import { Burnish, verifyWebhook } from '@burnish/client';
       const burnish = new Burnish();
       const { enhancement } = await burnish.enhance('photo.jpg', { mode: 'VIVID', targetResolution: 300 });
       export const credits: number | null = enhancement.chargedCredits;
       await burnish.enhance('photo.jpg', { targetWidthCm: 10.5, targetHeightCm: 7, targetDpi: 240, fit: 'COVER' });
       for await (const { status } of burnish.uploads.list({ status: 'UPLOAD_FAILED' })) status satisfies string;
       const event = await verifyWebhook(new Request('http://localhost'), 'whsec_');
       if (event.event === 'credits.low') event.data.level satisfies 20 | 0;
       // @ts-expect-error no such mode
       await burnish.enhance('photo.jpg', { mode: 'LOUD' });`;
    expect(await compile('typed.mts', source)).toBe('');
  });

  test('serves an Express handler that sends files on, and verifies webhooks', async () => {
    await symlink(join(repositoryRoot, 'node_modules', 'express'), join(place, 'node_modules', 'express'));
    const port = await testPort();
    const more = { PORT: String(port), WEBHOOK_SECRET: SECRET };
    const server = spawn(process.execPath, ['server.mjs'], {
      cwd: place,
      env: { ...env, ...more },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    server.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    try {
      const address = `http://localhost:${port}`;
      await until(() => fetch(address).catch(() => undefined));
      const sent = await fetch(`${address}/photos`, { method: 'POST', body: new Uint8Array(await photo()) });
      expect(sent.status).toBe(202);
      const upload = await instance.api.settled(((await sent.json()) as { id: string }).id);
      expect(upload.enhancements[0]).toMatchObject({ status: 'FINISHED' });

      const body = JSON.stringify({
        id: 'evt_1',
        event: 'enhanced_image.status_update',
        data: { id: 'enh_1', status: 'FINISHED' },
      });
      const call = (signature: string) =>
        fetch(`${address}/hook`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'webhook-id': 'evt_1',
            'webhook-timestamp': stamp,
            'webhook-signature': signature,
          },
          body,
        });
      const now = new Date();
      const stamp = String(Math.floor(now.getTime() / 1000));
      expect((await call(new Webhook(SECRET).sign('evt_1', now, body))).status).toBe(204);
      expect((await call('v1,AAAA')).status).toBe(400);
      await until(() => printed.includes('enh_1 has a result') || undefined);
    } finally {
      server.kill();
      await once(server, 'exit');
    }
  });

  test('enhances a file in a page, whose server has the key', async () => {
    await copyFile(join(installed, 'dist', 'index.js'), join(place, 'burnish-client.js'));
    await using site = await serveSite();
    const browser = await startChromium();
    try {
      const page = await browser.newPage();
      await page.goto(`${site.url}/page.html`);
      await page.setInputFiles('#file', join(place, 'photo.jpg'));
      await page.waitForFunction(`document.querySelector('#result').naturalWidth > 0`);
      expect(await page.evaluate(`document.querySelector('#sent').value`)).toBe(1);
    } finally {
      await browser.close();
    }
  });
});

describe('the testing module of the client package, beside the packages of Temporal', () => {
  const ownServer = `createTimeSkipping({ server: { executable: { type: 'existing-path', path: ${JSON.stringify(timeSkippingServer)} } } })`;
  beforeAll(async () => {
    for (const name of ['@temporalio', 'nexus-rpc'])
      await symlink(join(repositoryRoot, 'node_modules', name), join(place, 'node_modules', name));
  });

  test('runs the test of the readme, in which days pass', async () => {
    const path = join(place, 'workflows.test.mjs');
    const code = await readFile(path, 'utf8');
    expect(code).toContain('createTimeSkipping()');
    await writeFile(path, code.replace('createTimeSkipping()', ownServer));
    const { stdout } = await execute(process.execPath, ['--test', '--test-reporter=tap', path], { cwd: place });
    expect(stdout).toMatch(/^# pass 2$/m);
  }, 120_000);

  test('works in CommonJS', async () => {
    const workflows = `
      const { createNexusServiceClient } = require('@temporalio/workflow');
      const { burnishService } = require('@burnish/client/workflow');
      exports.publish = async () => {
        const burnish = createNexusServiceClient({ service: burnishService, endpoint: 'shop' });
        const input = { source: { url: 'https://example.com/photo.jpg' }, enhancements: [{ mode: 'ENHANCE', maxCredits: 0 }] };
        return (await burnish.executeOperation('enhance', input, { scheduleToCloseTimeout: '10 days' })).status;
      };`;
    await writeFile(join(place, 'workflows.cjs'), workflows);
    const script = `
      const { TestWorkflowEnvironment } = require('@temporalio/testing');
      const { startFakeBurnish } = require('@burnish/client/testing');
      const { BurnishPlugin } = require('@burnish/client/worker');
      const { Worker } = require('@temporalio/worker');
      (async () => {
        const environment = await TestWorkflowEnvironment.${ownServer};
        const burnish = await startFakeBurnish(environment, { endpoint: 'shop' });
        const worker = await Worker.create({
          connection: environment.nativeConnection,
          taskQueue: 'shop',
          workflowsPath: require.resolve('./workflows.cjs'),
          plugins: [new BurnishPlugin({ token: 'any' })],
        });
        const options = { workflowId: 'common', taskQueue: 'shop' };
        await worker.runUntil(async () => {
          const handle = await environment.client.workflow.start('publish', options);
          await environment.sleep('3 days');
          const { value, done } = await burnish.enhancements.list({ status: 'AWAITING_APPROVAL' }).next();
          await burnish.enhancements.approve(value.id);
          console.log(await handle.result(), burnish.orders.length);
        });
        const { BurnishError } = require('@burnish/client');
        await burnish.enhancements.get('enh_1').catch((error) => console.log(error instanceof BurnishError, error.code));
        await burnish.stop();
        await environment.teardown();
      })();`;
    const { stdout } = await execute(process.execPath, ['-e', script], { cwd: place });
    // The test server may print a line, too.
    expect(stdout).toMatch(/^FINISHED 1\ntrue NOT_FOUND$/m);
  }, 120_000);

  test('has types', async () => {
    const source = `import type { TestWorkflowEnvironment } from '@temporalio/testing';
       import { startFakeBurnish } from '@burnish/client/testing';
       import { BurnishPlugin } from '@burnish/client/worker';
       import type { EnhanceInput } from '@burnish/client/workflow';
       declare const environment: TestWorkflowEnvironment;
       const input: EnhanceInput = { source: { uploadId: 'upl_1' }, enhancements: [{ mode: 'VIVID' }] };
       const { orders, enhancements, enhance } = await startFakeBurnish(environment, { outcome: () => ({ afterMs: 1 }) });
       orders satisfies readonly EnhanceInput[];
       (await enhance(input)).chargedCredits satisfies number | null;
       (await enhancements.approve('enh_1')).status satisfies string;
       new BurnishPlugin({ token: async (endpoint) => endpoint }).name satisfies string;
       // @ts-expect-error no such mode
       await enhance({ ...input, enhancements: [{ mode: 'LOUD' }] });`;
    expect(await compile('testing.mts', source, ['--skipLibCheck'])).toBe('');
  });
});

/** Compiles a file beside the installed package. @returns what the compiler prints */
async function compile(name: string, source: string, more: string[] = []): Promise<string> {
  await writeFile(join(place, name), source);
  const tsc = join(repositoryRoot, 'node_modules', 'typescript', 'bin', 'tsc');
  const lib = 'es2023,dom,dom.iterable,dom.asynciterable';
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', '--lib', lib, ...more];
  const compiled = execute(process.execPath, [tsc, ...options, name], { cwd: place });
  const { stdout } = await compiled.catch((error: { stdout: string }) => error);
  return stdout;
}

/** A site with the page, which passes the rest on to the instance, and adds the key. */
async function serveSite() {
  const files: Record<string, string> = { '/page.html': 'text/html', '/burnish-client.js': 'text/javascript' };
  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const type = files[req.url!];
    if (type !== undefined) {
      res.writeHead(200, { 'content-type': type }).end(await readFile(join(place, req.url!)));
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const { host: _, connection: __, origin: ___, ...headers } = req.headers as Record<string, string>;
    const answer = await fetch(`${instance.url}${req.url}`, {
      method: req.method!,
      headers: { ...headers, 'x-api-key': instance.apiKey },
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    res.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    for await (const chunk of answer.body ?? []) res.write(chunk);
    res.end();
  };
  const server = createServer((req, res) => void serve(req, res));
  await new Promise<void>((listening) => server.listen(0, 'localhost', listening));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((closed) => (server.closeAllConnections(), server.close(() => closed()))),
  };
}
