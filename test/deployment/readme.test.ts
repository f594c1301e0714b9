import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, it } from '@jest/globals';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { poll } from '../support/poll.ts';
import { testPort } from '../support/test-port.ts';
import { expectNamed } from '../support/expect-named.ts';

const MAX_README_BYTES = 8000;
const MAX_RECEIVER_LINES = 15;

const readme = (): Promise<string> => readFile(join(repositoryRoot, 'README.md'), 'utf8');

const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
});

/** The program of the README, without the comment with its name. */
async function receiverSource(): Promise<string> {
  const [, source] = /```js\n\/\/ receiver\.mjs\n(.*?)```/s.exec(await readme()) ?? [];
  if (source === undefined) throw new Error('The README has no receiver.mjs.');
  return source;
}

/** Starts the receiver and waits until it answers. */
async function startReceiver(folder: string, secret: string): Promise<string> {
  const path = join(folder, 'receiver.mjs');
  await writeFile(path, await receiverSource());
  const port = await testPort();
  const child = spawn(process.execPath, [path], {
    env: { PATH: process.env['PATH'], WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: 'ignore',
  });
  children.push(child);
  const address = `http://127.0.0.1:${port}/`;
  await poll(
    () =>
      fetch(address).then(
        () => true,
        () => false,
      ),
    { timeout: 15_000 },
  ).toBe(true);
  return address;
}

/** Sends a delivery with the headers of Standard Webhooks and tells the status of the answer. */
async function deliver(
  address: string,
  secret: string,
  sentAt: Date,
  body = '{"event":"upload.deleted"}',
): Promise<number> {
  const id = 'evt_1';
  const signature = new Webhook(secret).sign(id, sentAt, '{"event":"upload.deleted"}');
  const response = await fetch(address, {
    method: 'POST',
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
      'webhook-signature': `v1,AAAA ${signature}`,
    },
    body,
  });
  return response.status;
}

it('the README has 8 kB at most, without comments that no reader sees', async () => {
  const seen = (await readme()).replace(/<!--.*?-->/gs, '');
  expect(Buffer.byteLength(seen)).toBeLessThanOrEqual(MAX_README_BYTES);
});

it('the webhook receiver of the README accepts signed deliveries and refuses all others, in 15 lines', async () => {
  expect((await receiverSource()).trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_RECEIVER_LINES);
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  await using folder = await temporaryFolder();
  const address = await startReceiver(folder.path, secret);
  const now = new Date();
  expectNamed(await deliver(address, secret, now), 'a signed delivery').toBe(204);
  expectNamed(await deliver(address, secret, now, '{"event":"forged"}'), 'a changed body').toBe(401);
  expectNamed(await deliver(address, `whsec_${randomBytes(32).toString('base64')}`, now), 'another secret').toBe(401);
  expectNamed(await deliver(address, secret, new Date(now.getTime() - 3_600_000)), 'a delivery an hour old').toBe(401);
  expectNamed((await fetch(address, { method: 'POST', body: '{}' })).status, 'a request without a signature').toBe(401);
});
