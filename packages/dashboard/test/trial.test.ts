import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, test } from '@jest/globals';
import { uploadOf } from '../../../test/api/previews/stored-files.ts';
import { testGateway } from '../../../test/api/support/gateway.ts';
import { poll } from '../../../test/support/poll.ts';
import { repositoryRoot } from '../../../test/support/repository.ts';
import { WORK } from './drop-files.ts';
import { expectAccessible, usePages } from './harness.ts';

let uploadId: string;

/** A gateway with one dark photograph of 700 × 467 pixels. */
const tests = usePages(async () => {
  const gateway = await testGateway({ dashboardFolder: join(repositoryRoot, 'dist', 'dashboard') });
  const bytes = await readFile(join(repositoryRoot, 'samples', 'dark-room.jpg'));
  const { width, height } = await sharp(bytes).metadata();
  const size = { width, height, originalFilename: 'dark.jpg' };
  uploadId = (await uploadOf(gateway, bytes, 'image/jpeg', size)).id;
  return { ...gateway, apiKey: gateway.key };
});

const dialogOf = (page: Page): Locator => page.getByRole('dialog', { name: 'Try dark.jpg' });
const choiceOf = (place: Page | Locator, name: string): Locator => place.getByRole('radio', { name, exact: true });

/** Opens the trial from the settings of an order. */
async function openTrial(width?: number): Promise<{ page: Page; dialog: Locator; pictures: Locator }> {
  const page = await tests.open(`/uploads/${uploadId}`, width === undefined ? {} : { width });
  await page.getByRole('button', { name: 'Enhance', exact: true }).click();
  await page.getByRole('button', { name: 'Try settings on dark.jpg' }).click();
  const dialog = dialogOf(page);
  const pictures = dialog.getByRole('group', { name: 'The better picture' });
  await pictures.getByRole('radio').first().waitFor(WORK);
  return { page, dialog, pictures };
}

/** The bodies of trials that the page asks for, from now on. */
function questionsOf(page: Page): { part?: { x: number; y: number } }[] {
  const asked: { part?: { x: number; y: number } }[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/trial')) asked.push(request.postDataJSON() as (typeof asked)[number]);
  });
  return asked;
}

test('a person compares modes on the file itself, and a click on the better picture fills the order', async () => {
  const { page, dialog, pictures } = await openTrial();
  await poll(() => pictures.locator('img').count()).toBe(5);
  await poll(() => choiceOf(pictures, 'Enhance').isChecked()).toBe(true);
  const sources = await pictures.locator('img').evaluateAll((all) => all.map((image) => image.getAttribute('src')));
  expect(new Set(sources).size).toBeGreaterThanOrEqual(4);
  await expectAccessible(page);
  await pictures.locator('label').filter({ hasText: 'Vivid' }).locator('img').click();
  await dialog.getByRole('button', { name: 'Use the chosen settings' }).click();
  await dialog.waitFor({ state: 'detached' });
  await poll(() => choiceOf(page, 'Vivid').isChecked()).toBe(true);
});

test('keys choose a picture, show a part at 100 % and move it', async () => {
  const { page, dialog, pictures } = await openTrial();
  await choiceOf(pictures, 'Enhance').focus();
  await page.keyboard.press('ArrowRight');
  await poll(() => choiceOf(pictures, 'Vivid').isChecked()).toBe(true);
  const asked = questionsOf(page);
  await choiceOf(dialog, 'Whole').focus();
  await page.keyboard.press('ArrowRight');
  const map = dialog.getByRole('group', { name: /^Part at 100 %/ });
  await map.focus();
  await dialog.locator('.part-frame').waitFor(WORK);
  const before = await dialog.locator('.part-frame').boundingBox();
  for (let press = 0; press < 4; press += 1) await page.keyboard.press('ArrowLeft');
  await poll(async () => asked.at(-1)?.part, { timeout: 20_000 }).toEqual({ x: 0.3, y: 0.5 });
  await poll(async () => (await dialog.locator('.part-frame').boundingBox())!.x < before!.x).toBe(true);
  // Four presses in a row are one question.
  expect(asked.length).toBeLessThanOrEqual(3);
  await poll(() => dialog.locator('[aria-busy=true]').count(), { timeout: 45_000 }).toBe(0);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

test('on a phone the part is dragged, and nothing sticks out', async () => {
  const { page, dialog } = await openTrial(390);
  const asked = questionsOf(page);
  await choiceOf(dialog, '100 %').check({ force: true });
  const map = dialog.getByRole('group', { name: /^Part at 100 %/ });
  await dialog.locator('.part-frame').waitFor(WORK);
  const { x, y, width, height } = (await map.boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width - 2, y + height - 2, { steps: 4 });
  await page.mouse.up();
  await poll(async () => (asked.at(-1)?.part?.x ?? 0) > 0.9, { timeout: 20_000 }).toBe(true);
  const wide: number = await page.evaluate('document.documentElement.scrollWidth');
  expect(wide).toBeLessThanOrEqual(390);
});
