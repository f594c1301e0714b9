import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { Webhook } from 'standardwebhooks';
import { createDevEnvironment } from '../support/dev-server.ts';
import { listenHttp } from '../support/local-server.ts';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testPort } from '../support/test-port.ts';
import { until } from '../support/until.ts';
import { strangerProject, type StrangerProject } from './stranger-project.ts';
import { withTimeSkippingServer } from './test-server.ts';

/* The example that people copy, in a folder of its own, with the tarballs instead of the registry. */
const EXAMPLE = join(repositoryRoot, 'examples', 'lifecycle');
const TEST_FILE = join('src', 'test', 'lifecycle.test.ts');

const folder = await temporaryFolder();
let project: StrangerProject;

beforeAll(async () => {
  const manifest = JSON.parse(await readFile(join(EXAMPLE, 'package.json'), 'utf8')) as Record<string, unknown>;
  project = await strangerProject(join(folder.path, 'lifecycle'), manifest);
  for (const name of ['src', 'tsconfig.json'])
    await cp(join(EXAMPLE, name), join(project.path, name), { recursive: true });
  const path = join(project.path, TEST_FILE);
  await writeFile(path, withTimeSkippingServer(await readFile(path, 'utf8')));
});
afterAll(() => folder[Symbol.asyncDispose]());

test('the example compiles', async () => {
  await project.run('npm', 'run', 'build');
});

test('its tests pass, with each test of its file', async () => {
  const output = await project.run('npm', 'test', '--silent', '--', '--reporter', 'json');
  const { stats } = JSON.parse(output.slice(output.indexOf('{\n'))) as { stats: object };
  const tests = (await readFile(join(EXAMPLE, TEST_FILE), 'utf8')).match(/^ {2}it\(/gm)!.length;
  expect(stats).toMatchObject({ passes: tests, failures: 0, pending: 0 });
}, 600_000);

test('npm start takes an order of a shop, and enhances its file with the engine', async () => {
  await using dev = await createDevEnvironment();
  const heard: unknown[] = [];
  await using shop = await listenHttp((req, res) => {
    void req.toArray().then((parts: Buffer[]) => {
      heard.push(JSON.parse(Buffer.concat(parts).toString()));
      res.end();
    });
  });
  const port = await testPort();
  const secret = `whsec_${Buffer.from('the secret of the shop').toString('base64')}`;
  const settings = { STEPS: 'engine', FOLDER: join(project.path, 'files'), SHOP_URL: shop.url, SHOP_SECRET: secret };
  const program = spawn('npm', ['start'], {
    cwd: project.path,
    env: { ...process.env, ...settings, TEMPORAL_ADDRESS: dev.environment.address, PORT: String(port) },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(program, 'exit');
  try {
    let said = '';
    program.stdout.on('data', (text: Buffer) => (said += text.toString()));
    await until(() => said.includes(`http://127.0.0.1:${port}/webhooks/`) || undefined);
    const resultPath = join(project.path, 'result.jpg');
    const enhancement = { upscalingFactor: 'X2' };
    const order = { id: '1', source: { path: join(project.path, 'in.jpg') }, enhancement, maxCredits: 0, resultPath };
    const body = JSON.stringify({ event: 'order.created', data: order });
    const now = new Date();
    const headers = {
      'content-type': 'application/json',
      'webhook-id': 'evt',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('evt', now, body),
    };
    const { status } = await fetch(`http://127.0.0.1:${port}/webhooks/shop`, { method: 'POST', headers, body });
    expect(status).toBe(204);
    await until(() => heard[0]);
    expect(heard).toEqual([expect.objectContaining({ data: { status: 'DONE', resultPath } })]);
    expect(await sharp(resultPath).metadata()).toMatchObject({ width: 120, height: 80, format: 'jpeg' });
  } finally {
    process.kill(-program.pid!, 'SIGTERM');
    await ended;
  }
});
