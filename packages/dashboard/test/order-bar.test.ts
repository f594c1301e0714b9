import type { Locator, Page } from 'playwright-core';
import { expect, test } from '@jest/globals';
import { pdfWithPhoto, photo } from '../../../test/e2e/files.ts';
import { poll } from '../../../test/support/poll.ts';
import { cardOf, dropFiles, orderOf, WORK } from './drop-files.ts';
import { expectAccessible, useDashboard } from './harness.ts';

const tests = useDashboard();
const NAMES = ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg', 'e.jpg'];
/** The highest bar with one line of controls, in pixels. */
const ONE_LINE = 64;
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
    await bar.getByText('5 images · Enhanced colours').waitFor();
    await poll(async () => (await bar.boundingBox())!.height).toBeLessThanOrEqual(ONE_LINE);
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

test.each(SCREENS)(
  'images and PDFs have one price and one order on $name, by keys alone',
  async ({ width, height }) => {
    const page = await tests.open('/', { width, height });
    const [first, second] = [await pdfWithPhoto(480, 360, 5), await pdfWithPhoto(480, 360, 6)];
    await dropFiles(page, [
      { name: 'a.jpg', mimeType: 'image/jpeg', buffer: await photo(71) },
      { name: 'first.pdf', mimeType: 'application/pdf', buffer: first },
      { name: 'second.pdf', mimeType: 'application/pdf', buffer: second },
    ]);
    const bar = orderOf(page);
    await bar.getByText('8 to 9 credits', { exact: true }).waitFor(WORK);
    const button = bar.getByRole('button', { name: 'Enhance 3 files' });
    await poll(() => page.getByRole('button', { name: /^Enhance/ }).count()).toBe(1);
    await poll(async () => (await bar.boundingBox())!.height).toBeLessThanOrEqual(ONE_LINE);

    // The settings of one PDF change its part of the price, and go to the other one.
    const card = cardOf(page, 'first.pdf');
    await card.locator('summary').first().press('Enter');
    await card.getByRole('slider', { name: 'Target resolution' }).fill('72');
    await bar.getByText('4 to 6 credits', { exact: true }).waitFor(WORK);
    await expectAccessible(page);
    await card.getByRole('button', { name: 'Use for all PDFs' }).press('Enter');
    await bar.getByText('At most 3 credits', { exact: true }).waitFor(WORK);

    const { used } = await tests.instance.api.credits();
    await button.press('Enter');
    for (const name of ['a.jpg', 'first.pdf', 'second.pdf'])
      await cardOf(page, name).getByText('Finished', { exact: true }).waitFor(WORK);
    await bar.waitFor({ state: 'detached' });
    expect((await tests.instance.api.credits()).used - used).toBeLessThanOrEqual(3);
  },
);

test('a PDF without a price is left out of the order, and the bar says so', async () => {
  const page = await tests.open('/');
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/v1/uploads/*/estimate', async (route) => {
    await held;
    await route.continue();
  });
  await dropFiles(page, [
    { name: 'at-once.jpg', mimeType: 'image/jpeg', buffer: await photo(72) },
    { name: 'later.pdf', mimeType: 'application/pdf', buffer: await pdfWithPhoto(480, 360, 7) },
  ]);
  await orderOf(page).getByText('1 PDF without a price yet').waitFor(WORK);
  await orderOf(page).getByRole('button', { name: 'Enhance 1 image' }).click();
  await poll(() => orderOf(page).getByRole('button', { name: 'Enhance 1 PDF' }).isDisabled()).toBe(true);
  answer();
  await orderOf(page).getByText('4 credits', { exact: true }).waitFor(WORK);
  await orderOf(page).getByRole('button', { name: 'Enhance 1 PDF' }).click();
  for (const name of ['at-once.jpg', 'later.pdf'])
    await cardOf(page, name).getByText('Finished', { exact: true }).waitFor(WORK);
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
