import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, test } from '@jest/globals';
import { manyUploads } from '../../../test/api/support/many-uploads.ts';
import { photo } from '../../../test/e2e/files.ts';
import { poll } from '../../../test/support/poll.ts';
import { unzip } from '../../../test/support/unzip.ts';
import { expectAccessible, usePages, WIDTHS } from './harness.ts';

const tests = usePages(async () => {
  const before = await photo(1);
  return await manyUploads(230, [{ before, after: await sharp(before).negate().jpeg().toBuffer() }]);
});

const barOf = (page: Page): Locator => page.getByRole('region', { name: 'Selection' });
const check = (page: Page, number: number): Locator =>
  page.getByRole('checkbox', { name: `Select photo ${number}.jpg`, exact: true });
const link = (page: Page, number: number): Locator =>
  page.getByRole('link', { name: `photo ${number}.jpg`, exact: true });
const selectedIn = async (page: Page): Promise<number[]> => {
  const labels = await page
    .locator('.tile-check:checked')
    .evaluateAll((boxes) => boxes.map((box) => box.getAttribute('aria-label')!));
  return labels.map((label) => Number(/\d+/.exec(label)![0])).toSorted((a, b) => a - b);
};

test('a mouse selects one, a range and more, and the selection is downloaded as one ZIP', async () => {
  const page = await tests.open('/uploads');
  await check(page, 2).check();
  // While something is selected, a press on a tile selects.
  await link(page, 4).click();
  await link(page, 7).click({ modifiers: ['Shift'] });
  await poll(() => selectedIn(page)).toEqual([2, 4, 5, 6, 7]);
  await link(page, 5).click();
  await poll(() => selectedIn(page)).toEqual([2, 4, 6, 7]);
  await barOf(page).getByText('4 selected').waitFor();
  await expectAccessible(page);

  const download = page.waitForEvent('download');
  await barOf(page).getByRole('link', { name: 'Download' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('burnish.zip');
  const files = unzip(await readFile(await file.path()));
  expect(Object.keys(files).toSorted()).toEqual(['photo 2.jpg', 'photo 4.jpg', 'photo 6.jpg', 'photo 7.jpg']);
  // It has what the tiles show: the negatives.
  const { data } = await sharp(files['photo 6.jpg']).raw().toBuffer({ resolveWithObject: true });
  const { data: original } = await sharp(await photo(1))
    .raw()
    .toBuffer({ resolveWithObject: true });
  const sum = data.reduce((total, value, index) => total + value + original[index]!, 0) / data.length;
  expect(Math.abs(sum - 255)).toBeLessThan(5);

  // The selection is still there after Back.
  await page.getByRole('link', { name: 'Credits' }).click();
  await page.getByRole('heading', { level: 1, name: 'Credits' }).waitFor();
  await page.goBack();
  await poll(() => selectedIn(page)).toEqual([2, 4, 6, 7]);
  await barOf(page).getByRole('button', { name: 'Clear the selection' }).click();
  await barOf(page).waitFor({ state: 'detached' });
  await link(page, 4).click();
  await page.getByRole('heading', { level: 1, name: 'photo 4.jpg' }).waitFor();
});

test('the results of a selection are exported to a bucket: ordered once more, each once, at no charge', async () => {
  const page = await tests.open('/uploads', { expecting: [/422/] });
  const orders: { path: string; order: unknown }[] = [];
  let refusals = 1;
  await page.route('**/v1/uploads/*/enhancements', async (route) => {
    const request = route.request();
    const { enhancements } = request.postDataJSON() as { enhancements: unknown[] };
    if (orders.length === 1 && refusals-- > 0) {
      const field = 'enhancements[0].destination.bucket';
      const json = { code: 'BAD_USER_INPUT', field, detail: 'The account has no such bucket.', retryable: false };
      await route.fulfill({ status: 422, json });
      return;
    }
    orders.push({ path: new URL(request.url()).pathname, order: enhancements[0] });
    await route.fulfill({ status: 202, json: { enhancements } });
  });
  await check(page, 3).check();
  await check(page, 5).check();
  await barOf(page).getByRole('button', { name: 'Export' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export 2 results' });
  await expectAccessible(page);
  await dialog.getByLabel('Bucket').fill('results');
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').getByText('The account has no such bucket.').waitFor();
  await dialog.getByRole('button', { name: 'Export' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(new Set(orders.map(({ path }) => path)).size).toBe(2);
  const destination = { bucket: 'results', key: '{uploadId}/{name}' };
  expect(orders.map(({ order }) => order)).toEqual([
    expect.objectContaining({ destination, maxCredits: 0 }),
    expect.objectContaining({ destination, maxCredits: 0 }),
  ]);
});

test('keys select with Space, Shift and an arrow, Ctrl and A, and Escape ends it', async () => {
  const page = await tests.open('/uploads');
  await link(page, 1).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Space');
  await poll(() => selectedIn(page)).toEqual([2]);
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  await poll(() => selectedIn(page)).toEqual([2, 3, 4]);
  await page.keyboard.press('Escape');
  await poll(() => selectedIn(page)).toEqual([]);
  // All that was read, also outside of the document.
  await page.keyboard.press('Control+a');
  await barOf(page).getByText('100 selected').waitFor();
  await page.keyboard.press('Escape');
  await poll(async () => {
    await page.keyboard.press('End');
    return await link(page, 230).count();
  }).toBe(1);
  await page.keyboard.press('Control+a');
  await barOf(page).getByText('A download has at most 200 files. Select fewer.').waitFor();
  await poll(() => barOf(page).getByRole('link').count()).toBe(0);
  // Enter opens a page also while something is selected.
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'photo 230.jpg' }).waitFor();
});

test('a finger that rests on a tile selects it, and then each tap selects', async () => {
  const page = await tests.open('/uploads', { width: WIDTHS.narrow, hasTouch: true });
  const rest = async (number: number, ms: number): Promise<void> => {
    const { x, y } = (await link(page, number).boundingBox())!;
    const session = await page.context().newCDPSession(page);
    const touchPoints = [{ x: x + 8, y: y + 8 }];
    await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
    await page.waitForTimeout(ms);
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  };
  await link(page, 1).waitFor();
  await rest(1, 700);
  await poll(() => selectedIn(page)).toEqual([1]);
  await link(page, 2).tap();
  await poll(() => selectedIn(page)).toEqual([1, 2]);
  await expectAccessible(page);
  await barOf(page).getByRole('button', { name: 'Clear the selection' }).tap();
  await poll(() => selectedIn(page)).toEqual([]);
  await link(page, 2).tap();
  await page.getByRole('heading', { level: 1, name: 'photo 2.jpg' }).waitFor();
});
