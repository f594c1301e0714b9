import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from '@jest/globals';
import { picture } from '../../../test/e2e/files.ts';
import { dividerOf, WORK } from './drop-files.ts';
import { expectAccessible, useDashboard, WIDTHS } from './harness.ts';
import { poll } from '../../../test/support/poll.ts';

const tests = useDashboard();

/** A page with one comparison: a picture of 1,000 × 750 pixels, enlarged to twice its size. */
async function comparison(width: number = WIDTHS.wide): Promise<{ page: Page; divider: Locator; stage: Locator }> {
  const { api } = tests.instance;
  const bytes = await picture(1000, 750, { seed: 5 }).jpeg().toBuffer();
  const { body } = await api.upload(bytes, { filename: 'view.jpg', enhancements: [{ upscalingFactor: 'X2' }] });
  await api.settled(body.id);
  const page = await tests.open(`/uploads/${body.id}`, { width });
  const divider = dividerOf(page);
  await divider.waitFor(WORK);
  return { page, divider, stage: page.getByRole('group', { name: /view\.jpg/ }) };
}

const at = async (divider: Locator): Promise<number> => Number(await divider.getAttribute('aria-valuenow'));
const transformOf = (image: Locator): Promise<string> =>
  image.evaluate((element) => (element as unknown as { style: { transform: string } }).style.transform);

test('each label waits for its picture, and headings skip no level', async () => {
  const { page, divider } = await comparison();
  const [before, after] = [page.locator('.picture-tag.before'), page.locator('.picture-tag.after')];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/v1\/uploads\/[^/]+\/preview/, async (route) => {
    await held;
    await route.continue();
  });
  await page.reload();
  await divider.waitFor(WORK);
  await after.waitFor(WORK);
  await poll(() => before.isVisible()).toBe(false);
  release();
  await before.waitFor(WORK);
  await poll(() => after.isVisible()).toBe(true);
  const levels = await page
    .locator('h1, h2, h3, h4')
    .evaluateAll((all) => all.map(({ tagName }) => Number(tagName[1])));
  expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([]);
});

describe('the divider between before and after', () => {
  test('is moved by keys, and announces its position', async () => {
    const { page, divider } = await comparison();
    await poll(() => divider.getAttribute('aria-valuetext')).toBe('50 % before, 50 % after');
    await divider.focus();
    for (const [key, position] of [
      ['ArrowRight', 52],
      ['ArrowUp', 54],
      ['ArrowLeft', 52],
      ['Shift+ArrowLeft', 42],
      ['PageUp', 52],
      ['Home', 0],
      ['ArrowLeft', 0],
      ['End', 100],
      ['PageDown', 90],
    ] as const) {
      await page.keyboard.press(key);
      await poll(async () => [key, await at(divider)]).toEqual([key, position]);
    }
    await poll(() => divider.getAttribute('aria-valuetext')).toBe('90 % before, 10 % after');
  });

  test('is dragged by the mouse, and follows a click beside it', async () => {
    const { page, divider, stage } = await comparison();
    const { x, y, width, height } = (await stage.boundingBox())!;
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 4, y + height / 3, { steps: 4 });
    await page.mouse.up();
    await poll(() => at(divider)).toBe(25);
    await page.mouse.move(x + width * 0.9, y + 10);
    await poll(() => at(divider)).toBe(25);
    await page.mouse.click(x + width * 0.8, y + height / 2);
    await poll(() => at(divider)).toBe(80);
    const clip = page.locator('.compare-layer').last();
    await poll(() =>
      clip.evaluate((element) => (element as unknown as { style: { clipPath: string } }).style.clipPath),
    ).toMatch(/^inset\(0(px)? 20% 0(px)? 0(px)?\)$/);
  });

  test('is dragged by a finger', async () => {
    const { page, divider, stage } = await comparison(WIDTHS.narrow);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    await stage.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await stage.boundingBox())!;
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchX = 0, touchY = 0) =>
      cdp.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: type === 'touchEnd' ? [] : [{ x: touchX, y: touchY }],
      });
    await touch('touchStart', x + width / 2, y + height / 2);
    for (const share of [0.6, 0.65, 0.7, 0.75]) await touch('touchMove', x + width * share, y + height / 2);
    await touch('touchEnd');
    await poll(() => at(divider)).toBe(75);
    await expectAccessible(page);
  });
});

describe('the comparison at 100 %', () => {
  test('moves the images by mouse and keys, and keeps the divider working', async () => {
    const { page, divider, stage } = await comparison();
    const zoom = page.getByRole('button', { name: '100 %' });
    await poll(() => zoom.getAttribute('aria-pressed')).toBe('false');
    await zoom.click();
    await poll(() => zoom.getAttribute('aria-pressed')).toBe('true');
    const image = page.getByRole('img', { name: 'view.jpg, after' });
    const { x, y, width, height } = (await stage.boundingBox())!;
    await poll(async () => (await image.boundingBox())?.width).toBe(2000);
    const middle = await transformOf(image);

    await page.mouse.move(x + width * 0.8, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.8 - 90, y + height / 2 - 40, { steps: 3 });
    await page.mouse.up();
    await poll(async () => shift(middle, await transformOf(image))).toEqual({ x: -90, y: -40 });
    const moved = await transformOf(image);
    await poll(() => transformOf(page.getByRole('img', { name: 'view.jpg, before' }))).toBe(moved);

    await stage.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowUp');
    await poll(async () => shift(moved, await transformOf(image))).toEqual({ x: 60, y: 60 });
    for (let i = 0; i < 60; i += 1) await page.keyboard.press('ArrowRight');
    // No further than to its edge.
    await poll(async () => Math.abs((await image.boundingBox())!.x + 2000 - (x + width))).toBeLessThan(1);

    await divider.focus();
    await page.keyboard.press('Home');
    await poll(() => at(divider)).toBe(0);
    await expectAccessible(page);
    await zoom.click();
    await poll(() => zoom.getAttribute('aria-pressed')).toBe('false');
  });

  test('loads the full images, and only then', async () => {
    const { page, stage } = await comparison();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).search));
    await stage.dblclick({ position: { x: 20, y: 20 } });
    await poll(() => asked.filter((query) => query === '?width=full').length, WORK).toBe(2);
    // What was under the pointer stays there: the upper left corner.
    const { x } = (await stage.boundingBox())!;
    const { x: left } = (await page.getByRole('img', { name: 'view.jpg, after' }).boundingBox())!;
    expect(x - left).toBeLessThan(60);
  });
});

function shift(from: string, to: string): { x: number; y: number } {
  const [a, b] = [from, to].map((text) => text.match(/-?[\d.]+(?=px)/g)!.map(Number));
  return { x: Math.round(b![0]! - a![0]!), y: Math.round(b![1]! - a![1]!) };
}
