import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { type WebhookReceiver, webhookReceiver } from '../../../test/e2e/webhook-receiver.ts';
import { repositoryRoot } from '../../../test/support/repository.ts';
import { type OpenOptions, useOwnDashboard } from './harness.ts';
import { poll } from '../../../test/support/poll.ts';

const FOLDER = join(repositoryRoot, 'docs', 'images', 'dashboard');
const QUALITY = 82;
const tests = useOwnDashboard();
const sample = (name: string): Promise<Buffer> => readFile(join(repositoryRoot, 'samples', name));

let receiver: WebhookReceiver;
let photoId: string;
let documentId: string;
let batchId: string;

beforeAll(async () => {
  await mkdir(FOLDER, { recursive: true });
  receiver = await webhookReceiver();
  const { api } = tests.instance;
  const { body: webhook } = await api.call<{ id: string }>('POST', '/v1/webhooks', { body: { url: receiver.url } });
  for (const name of ['Production', 'Staging']) await api.call('POST', '/v1/api-keys', { body: { name } });
  const enhancements = [{ mode: 'ENHANCE', upscalingFactor: 'X2', noiseReductionProfilingMode: 'AUTO' }];
  const { body: photo } = await api.upload(await sample('dark-room.jpg'), { filename: 'dark-room.jpg', enhancements });
  await api.settled(photo.id);
  const pdf = [{ targetResolution: 300 }];
  const { body: document } = await api.upload(await sample('document.pdf'), {
    filename: 'brochure.pdf',
    enhancements: pdf,
  });
  await api.settled(document.id);
  batchId = await startBatch();
  await api.upload(new Uint8Array(40_000).fill(37), { filename: 'not-a-picture.jpg' }).catch(() => undefined);
  await api.call('POST', `/v1/webhooks/${webhook.id}/test`);
  await receiver.received(({ event }) => event === 'webhook.test');
  [photoId, documentId] = [photo.id, document.id];
});
afterAll(async () => await receiver?.[Symbol.asyncDispose]());

/** Nothing turns any more, and every picture in view is there. Pictures below load when they come into view. */
const isStill =
  "!document.querySelector('.spinner') && [...document.images].every((image) => image.complete || image.getBoundingClientRect().top > innerHeight)";

interface Shot {
  name: string;
  path: () => string;
  options?: OpenOptions;
  prepare?: (page: Page) => Promise<void>;
}

/** A desk and a phone; the name of a picture of the latter ends with `-narrow`. */
const SIZES = [
  { suffix: '', width: 1280, height: 800 },
  { suffix: '-narrow', width: 390, height: 844 },
];

const SHOTS: Shot[] = [
  { name: 'sign-in', path: () => '/sign-in', options: { signedIn: false } },
  { name: 'enhance', path: () => '/', prepare: chooseFiles },
  { name: 'trial', path: () => '/', prepare: openTrial },
  { name: 'uploads', path: () => '/uploads' },
  { name: 'upload', path: () => `/uploads/${photoId}` },
  { name: 'upload-pdf', path: () => `/uploads/${documentId}`, options: { colorScheme: 'dark' } },
  { name: 'batches', path: () => '/batches' },
  { name: 'batch', path: () => `/batches/${batchId}` },
  {
    name: 'looks',
    path: () => '/looks',
    prepare: (page) => page.getByRole('button', { name: 'Build a look' }).click(),
  },
  { name: 'keys', path: () => '/keys' },
  { name: 'webhooks', path: () => '/webhooks' },
  { name: 'credits', path: () => '/credits', options: { colorScheme: 'dark' } },
  { name: 'audit', path: () => '/audit' },
  { name: 'settings', path: () => '/settings' },
];

describe.each(SHOTS)('$name', ({ name, path, options, prepare }) => {
  test.each(SIZES)('$width × $height', async ({ suffix, width, height }) => {
    const page = await tests.open(path(), { ...options, width, height });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await prepare?.(page);
    await page.waitForLoadState('networkidle');
    await poll(() => page.evaluate(isStill), { timeout: 60_000 }).toBe(true);
    const png = await page.screenshot({ animations: 'disabled' });
    await sharp(png)
      .webp({ quality: QUALITY, smartSubsample: true })
      .toFile(join(FOLDER, `${name}${suffix}.webp`));
  });
});

/** A batch that waits for approval. @returns its id */
async function startBatch(): Promise<string> {
  const { api } = tests.instance;
  const order = { enhancements: [{ mode: 'ENHANCE', upscalingFactor: 'X2' }], maxCredits: 100, samples: 2 };
  const { body: batch } = await api.call<{ id: string }>('POST', '/v1/batches', {
    body: { ...order, reference: 'autumn catalogue' },
  });
  const items = await Promise.all(
    ['dark-room', 'yellow-light', 'against-the-light', 'noisy'].map(async (name) => {
      const { body } = await api.upload(await sample(`${name}.jpg`), { filename: `${name}.jpg` });
      await api.settled(body.id);
      return JSON.stringify({ key: `${name}.jpg`, uploadId: body.id });
    }),
  );
  await api.call('POST', `/v1/batches/${batch.id}/items`, {
    body: Buffer.from(items.join('\n')),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  await api.call('POST', `/v1/batches/${batch.id}/close`);
  const status = async () => (await api.call<{ status: string }>('GET', `/v1/batches/${batch.id}`)).body.status;
  await poll(status, { timeout: 180_000 }).toBe('APPROVAL_NEEDED');
  return batch.id;
}

async function chooseFiles(page: Page): Promise<void> {
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles([join(repositoryRoot, 'samples', 'dark-room.jpg')]);
  await page.getByText('dark-room.jpg').first().waitFor();
}

async function openTrial(page: Page): Promise<void> {
  await chooseFiles(page);
  await page.getByRole('button', { name: 'Try settings on dark-room.jpg' }).click({ timeout: 60_000 });
  const pictures = page.getByRole('group', { name: 'The better picture' }).locator('img');
  await poll(() => pictures.count(), { timeout: 60_000 }).toBe(5);
}
