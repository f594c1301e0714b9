import type { Locator, Page } from 'playwright-core';
import { expect, test } from '@jest/globals';
import { photo } from '../../../test/e2e/files.ts';
import { poll } from '../../../test/support/poll.ts';
import { cardOf, dropFiles, orderOf, WORK } from './drop-files.ts';
import { expectAccessible, useDashboard } from './harness.ts';

const tests = useDashboard();
const NAMES = ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg', 'e.jpg'];
const SCREENS = [
  { name: 'a desk', width: 1280, height: 800 },
  { name: 'a phone', width: 390, height: 844 },
];

test.each(SCREENS)(
  'price and button of five files stay in view on $name, wherever the page is scrolled to',
  async (at) => {
    const page = await fiveFiles(at);
    const [bar, button] = [orderOf(page), orderOf(page).getByRole('button', { name: 'Enhance 5 images' })];
    await bar.getByText('At most 5 credits', { exact: true }).waitFor();
    await bar.getByText('for 5 images. An image without a change is free').waitFor();
    await bar.getByText('Enhanced colours', { exact: true }).waitFor();
    for (const share of [0, 0.5, 1]) {
      await page.evaluate(scrollTo, share);
      await poll(() => isInView(button, at.height)).toBe(true);
      await poll(() => isInView(bar.getByText('At most 5 credits', { exact: true }), at.height)).toBe(true);
    }
    await expectAccessible(page);
  },
);

test('a phone shows the files before the settings, to which the bar leads', async () => {
  const { height, ...rest } = SCREENS[1]!;
  const page = await fiveFiles({ height, ...rest });
  const settings = page.getByRole('form', { name: 'Settings for images' });
  const [files, form] = [await cardOf(page, 'e.jpg').boundingBox(), await settings.boundingBox()];
  expect(files!.y + files!.height).toBeLessThanOrEqual(form!.y);
  await orderOf(page).getByRole('link', { name: 'Settings' }).click();
  await poll(() => isInView(settings.getByRole('heading', { name: 'Settings' }), height)).toBe(true);
});

test('the exact size is folded until it is used, and opens for a number that cannot be ordered', async () => {
  const page = await fiveFiles(SCREENS[0]!);
  const settings = page.getByRole('form', { name: 'Settings for images' });
  const [fold, width] = [settings.getByText('Exact size', { exact: true }), settings.getByLabel('Width in pixels')];
  await poll(() => width.isVisible()).toBe(false);
  await fold.click();
  await width.fill('99999999');
  await fold.click();
  await poll(() => width.isVisible()).toBe(false);
  await orderOf(page).getByRole('button', { name: 'Enhance 5 images' }).click();
  await poll(() => width.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  await poll(() => width.isVisible()).toBe(true);
  await width.fill('200');
  await orderOf(page).getByText('200 pixels wide').waitFor();
  await orderOf(page).getByRole('button', { name: 'Enhance 5 images' }).click();
  for (const name of NAMES)
    await cardOf(page, name)
      .getByText(/^200 × 150 pixels/)
      .waitFor(WORK);
});

async function fiveFiles({ width, height }: { width: number; height: number }): Promise<Page> {
  const page = await tests.open('/', { width });
  await page.setViewportSize({ width, height });
  const files = NAMES.map(async (name, index) => ({
    name,
    mimeType: 'image/jpeg',
    buffer: await photo(60 + index),
  }));
  await dropFiles(page, await Promise.all(files));
  for (const name of NAMES) await cardOf(page, name).getByText('Ready to enhance').waitFor(WORK);
  return page;
}

async function isInView(element: Locator, height: number): Promise<boolean> {
  const box = await element.boundingBox();
  return box !== null && box.y >= 0 && box.y + box.height <= height;
}

interface InPage {
  document: { documentElement: { scrollHeight: number; scrollTop: number; clientHeight: number } };
}

function scrollTo(share: number): void {
  const root = (globalThis as unknown as InPage).document.documentElement;
  root.scrollTop = share * (root.scrollHeight - root.clientHeight);
}
