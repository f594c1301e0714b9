import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, test } from '@jest/globals';
import { type WebhookReceiver, webhookReceiver } from '../e2e/webhook-receiver.ts';
import { repositoryRoot } from '../support/repository.ts';
import { type OpenOptions, useOwnDashboard, WIDTHS } from './harness.ts';
import { poll } from '../support/poll.ts';

const FOLDER = join(repositoryRoot, 'docs', 'images', 'dashboard');
const QUALITY = 82;
const tests = useOwnDashboard();
const sample = (name: string): Promise<Buffer> => readFile(join(repositoryRoot, 'samples', name));

let receiver: WebhookReceiver;
let photoId: string;
let documentId: string;

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
  await api.upload(new Uint8Array(40_000).fill(37), { filename: 'not-a-picture.jpg' }).catch(() => undefined);
  await api.call('POST', `/v1/webhooks/${webhook.id}/test`);
  await receiver.received(({ event }) => event === 'webhook.test');
  [photoId, documentId] = [photo.id, document.id];
});
afterAll(async () => await receiver?.[Symbol.asyncDispose]());

/** Nothing turns any more, and every picture is there. */
const isStill = "!document.querySelector('.spinner') && [...document.images].every((image) => image.complete)";

interface Shot {
  name: string;
  path: () => string;
  options?: OpenOptions;
  prepare?: (page: Page) => Promise<void>;
}

const SHOTS: Shot[] = [
  { name: 'sign-in', path: () => '/sign-in', options: { signedIn: false } },
  { name: 'enhance', path: () => '/', prepare: chooseFiles },
  { name: 'uploads', path: () => '/uploads' },
  { name: 'upload', path: () => `/uploads/${photoId}` },
  { name: 'upload-narrow', path: () => `/uploads/${photoId}`, options: { width: WIDTHS.narrow } },
  { name: 'upload-pdf', path: () => `/uploads/${documentId}`, options: { colorScheme: 'dark' } },
  { name: 'keys', path: () => '/keys' },
  { name: 'webhooks', path: () => '/webhooks' },
  { name: 'credits', path: () => '/credits', options: { colorScheme: 'dark' } },
  { name: 'settings', path: () => '/settings' },
];

test.each(SHOTS)('$name', async ({ name, path, options, prepare }) => {
  const page = await tests.open(path(), options);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await prepare?.(page);
  await page.waitForLoadState('networkidle');
  await poll(() => page.evaluate(isStill), { timeout: 60_000 }).toBe(true);
  const png = await page.screenshot({ animations: 'disabled' });
  await sharp(png)
    .webp({ quality: QUALITY, smartSubsample: true })
    .toFile(join(FOLDER, `${name}.webp`));
});

async function chooseFiles(page: Page): Promise<void> {
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles([join(repositoryRoot, 'samples', 'dark-room.jpg')]);
  await page.getByText('dark-room.jpg').first().waitFor();
}
