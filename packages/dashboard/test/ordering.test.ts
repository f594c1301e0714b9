import { expect, test } from '@jest/globals';
import type { Enhancement } from '@burnish/client';
import { photo } from '../../../test/e2e/files.ts';
import { poll } from '../../../test/support/poll.ts';
import { cardOf, dropFiles, orderOf, WORK } from './drop-files.ts';
import { expectFocusOnHeading, useDashboard } from './harness.ts';

const tests = useDashboard();
const file = async (name: string, seed: number) => ({ name, mimeType: 'image/jpeg', buffer: await photo(seed) });

test('the keyboard goes on at the heading after an order, whose button is gone', async () => {
  const page = await tests.open('/');
  await dropFiles(page, [await file('focus.jpg', 81)]);
  await cardOf(page, 'focus.jpg').getByText('Ready to enhance').waitFor(WORK);
  const button = orderOf(page).getByRole('button', { name: 'Enhance 1 image' });
  await button.focus();
  await page.keyboard.press('Enter');
  await button.waitFor({ state: 'detached' });
  await expectFocusOnHeading(page);
  await cardOf(page, 'focus.jpg').getByText('Finished', { exact: true }).waitFor(WORK);

  // The form of another order receives the focus of the button that opened it, and gives it to the heading.
  await cardOf(page, 'focus.jpg').getByRole('link', { name: 'focus.jpg' }).click();
  await page.getByRole('button', { name: 'Enhance again' }).press('Enter');
  const form = page.getByRole('region', { name: 'Settings' });
  await poll(() =>
    form.getByRole('heading').evaluate((element) => element === element.ownerDocument.activeElement),
  ).toBe(true);
  await form.getByRole('radio', { name: 'Vivid' }).check();
  await form.getByRole('button', { name: /^Enhance for/ }).press('Enter');
  await form.waitFor({ state: 'detached' });
  await expectFocusOnHeading(page);
});

test('a click beside everything takes the focus away for good', async () => {
  const page = await tests.open('/');
  await dropFiles(page, [await file('beside.jpg', 82)]);
  await cardOf(page, 'beside.jpg').getByText('Ready to enhance').waitFor(WORK);
  const settings = page.getByRole('form', { name: 'Settings for images' });
  await settings.getByText('Exact size').focus();
  await page.mouse.click(124, 600);
  await cardOf(page, 'beside.jpg').evaluate((element) => element.ownerDocument.querySelector('form')!.remove());
  const focused = () => page.evaluate<string>('document.activeElement.tagName');
  expect(await focused()).toBe('BODY');
});

test('an order records a preset only if somebody chose it, whatever its settings are equal to', async () => {
  const { api } = tests.instance;
  await api.call('PUT', '/v1/presets/double', { body: { enhancements: [{ upscalingFactor: 'X2' }] } });
  const page = await tests.open('/');
  const settings = page.getByRole('form', { name: 'Settings for images' });
  const preset = settings.getByLabel('Preset', { exact: true });
  const recorded = async (name: string): Promise<string | null> => {
    await cardOf(page, name).getByText('Finished', { exact: true }).waitFor(WORK);
    const { body } = await api.get<{ items: Enhancement[] }>('/v1/enhancements?limit=1');
    expect(body.items[0]!.parameters).toEqual({ upscalingFactor: 'X2' });
    return body.items[0]!.preset;
  };
  const enhance = () => orderOf(page).getByRole('button', { name: 'Enhance 1 image' }).click();

  await dropFiles(page, [await file('by-hand.jpg', 83)]);
  await settings.getByRole('radio', { name: '2×' }).check();
  await poll(() => preset.inputValue()).toBe('');
  await enhance();
  expect(await recorded('by-hand.jpg')).toBeNull();

  await dropFiles(page, [await file('chosen.jpg', 84)]);
  await preset.selectOption('double');
  await enhance();
  expect(await recorded('chosen.jpg')).toBe('double@1');
});
