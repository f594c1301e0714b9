import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, test } from '@jest/globals';
import { manyUploads } from '../../../test/api/support/many-uploads.ts';
import { photo } from '../../../test/e2e/files.ts';
import { poll } from '../../../test/support/poll.ts';
import { expectAccessible, usePages, WIDTHS } from './harness.ts';

const COUNT = 10_000;
/** Tiles that may be in the document at once, whatever the list has. */
const MOST_TILES = 200;

/** Each result is the negative of its original. */
const tests = usePages(async () => {
  const originals = await Promise.all([1, 2, 3].map((seed) => photo(seed)));
  const pairs = originals.map(async (before) => ({ before, after: await sharp(before).negate().jpeg().toBuffer() }));
  return await manyUploads(COUNT, await Promise.all(pairs));
});

const tilesOf = (page: Page): Locator => page.getByRole('list', { name: 'Uploads' }).getByRole('listitem');
const tileOf = (page: Page, name: string): Locator =>
  tilesOf(page).filter({ has: page.getByRole('link', { name, exact: true }) });
/** What the pictures of a tile are of, the upper one last. */
const sourcesOf = (tile: Locator): Promise<string[]> =>
  tile
    .locator('img')
    .evaluateAll((images) =>
      images.map((image) =>
        (image as { naturalWidth?: number }).naturalWidth === 0 ? 'nothing yet' : image.getAttribute('src')!,
      ),
    );
/** The name on the tile at a point of the window. */
const nameAt = (page: Page, x: number, y: number): Promise<string> =>
  page.evaluate(`document.elementFromPoint(${x}, ${y})?.closest('.tile')?.querySelector('a').textContent`);
const scrollOf = (page: Page): Promise<number> => page.evaluate('scrollY');
const isFocused = (place: Locator): Promise<boolean> =>
  place.evaluate((element) => element === element.ownerDocument.activeElement);

test('10,000 uploads scroll to the last one, with few tiles in the document, and Back returns to the place', async () => {
  const page = await tests.open('/uploads');
  await tileOf(page, 'photo 1.jpg').waitFor();
  let most = 0;
  await poll(
    async () => {
      most = Math.max(most, await tilesOf(page).count());
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      return await tileOf(page, `photo ${COUNT}.jpg`).count();
    },
    { timeout: 120_000 },
  ).toBe(1);
  expect(most).toBeLessThanOrEqual(MOST_TILES);
  expect(most).toBeGreaterThan(8);
  const last = tileOf(page, `photo ${COUNT}.jpg`);
  await poll(() => last.getAttribute('aria-setsize')).toBe(String(COUNT));

  // Somewhere in the middle, a person opens one and comes back.
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 2)');
  await poll(() => last.count()).toBe(0);
  await poll(() => nameAt(page, 640, 450)).toMatch(/^photo \d+\.jpg$/);
  const name = await nameAt(page, 640, 450);
  const middle = tileOf(page, name);
  await poll(async () => (await sourcesOf(middle))[0]).toMatch(/^\/v1\/enhancements\//);
  const offset = await scrollOf(page);
  const { y } = (await middle.boundingBox())!;
  await middle.getByRole('link').click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.goBack();
  await tileOf(page, name).waitFor();
  await poll(() => scrollOf(page)).toBe(offset);
  await poll(async () => (await tileOf(page, name).boundingBox())!.y).toBe(y);

  // The menu leads to the start of the list.
  await page.getByRole('link', { name: 'Credits' }).click();
  await page.getByRole('link', { name: 'Uploads', exact: true }).click();
  await tileOf(page, 'photo 1.jpg').waitFor();
  await poll(() => scrollOf(page)).toBe(0);
}, 240_000);

test('a tile shows the result with kind, state and price, and the original at a hover, a press and a key', async () => {
  const page = await tests.open('/uploads');
  const tile = tileOf(page, 'photo 2.jpg');
  await poll(() => sourcesOf(tile)).toEqual([expect.stringMatching(/^\/v1\/enhancements\/enh_\w+\/preview$/)]);
  await poll(() => tile.innerText()).toMatch(/JPG · 400 × 300 · \d+ kB\s+Finished\s+4 credits/);
  const before = expect.stringMatching(/^\/v1\/uploads\/upl_\w+\/preview$/);
  const button = tile.getByRole('button', { name: 'Show photo 2.jpg before' });
  await button.hover();
  await poll(() => sourcesOf(tile)).toEqual([expect.any(String), before]);
  await tile.getByText('Before', { exact: true }).waitFor();
  await page.mouse.move(0, 0);
  await poll(async () => (await sourcesOf(tile)).length).toBe(1);

  await button.click();
  await page.mouse.move(0, 0);
  await poll(() => sourcesOf(tile)).toEqual([expect.any(String), before]);
  await poll(() => button.getAttribute('aria-pressed')).toBe('true');

  await tile.getByRole('link').focus();
  await page.keyboard.press('b');
  await poll(async () => (await sourcesOf(tile)).length).toBe(1);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'List' }).click();
  await tile.getByText(/^Kept until/).waitFor();
  await expectAccessible(page);
  // The choice outlives the page.
  await page.reload();
  await tile.getByText(/^Kept until/).waitFor();
});

test('arrow keys lead from tile to tile, also to those that are not in the document yet', async () => {
  const page = await tests.open('/uploads', { width: WIDTHS.narrow });
  const link = (number: number): Locator => page.getByRole('link', { name: `photo ${number}.jpg`, exact: true });
  await link(1).focus();
  await page.keyboard.press('ArrowRight');
  await poll(() => isFocused(link(2))).toBe(true);
  const { y } = (await link(2).boundingBox())!;
  await page.keyboard.press('ArrowDown');
  await poll(() => isFocused(link(4))).toBe(true);
  await poll(async () => (await link(4).boundingBox())!.y).toBeGreaterThan(y);
  await page.keyboard.press('End');
  await poll(() => isFocused(link(100))).toBe(true);
  await poll(() => link(1).count()).toBe(0);
  // The wheel leaves the focus where it is.
  await page.mouse.move(100, 400);
  await page.mouse.wheel(0, -100_000);
  await link(1).waitFor();
  await poll(() => isFocused(link(100))).toBe(true);
  await page.keyboard.press('Home');
  await poll(() => isFocused(link(1))).toBe(true);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'photo 1.jpg' }).waitFor();
});
