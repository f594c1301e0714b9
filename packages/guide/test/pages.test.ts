import { expect, test } from '@jest/globals';
import { testGateway, type TestGateway } from '../../../test/api/support/gateway.ts';
import { poll } from '../../../test/support/poll.ts';
import { expectAccessible, usePages, WIDTHS } from '../../dashboard/test/harness.ts';
import { builtGuide } from './built-guide.ts';

/** A gateway with the guide of these sources. The pages of a test fail at an error on the console and at a broken policy. */
const { open } = usePages(async () => {
  const site = await builtGuide();
  const gateway: TestGateway = await testGateway({ guideFolder: site.path });
  return {
    url: gateway.url,
    apiKey: gateway.key,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
    },
  };
});

const anyone = { signedIn: false } as const;

test.each(['/guide/', '/guide/operations.html', '/guide/introduction.html', '/guide/reference/uploads.html'])(
  '%s is readable in both schemes, on a desk and on a phone',
  async (path) => {
    await expectAccessible(await open(path, anyone));
  },
);

test('/guide leads to the first page, and the search of each page finds a word in another one', async () => {
  const page = await open('/guide', anyone);
  expect(new URL(page.url()).pathname).toBe('/guide/');
  await page.getByRole('combobox', { name: 'Search' }).fill('manifest of a batch');
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/batch/);
  // From a folder below, too.
  await page.goto(new URL('/guide/reference/credits.html', page.url()).href);
  await page.keyboard.press('/');
  await page.keyboard.type('backupp');
  await poll(() => page.getByRole('option').first().textContent()).toMatch(/backup/i);
  await page.getByRole('option').first().getByRole('link').click();
  await page.waitForURL((url) => !url.pathname.includes('/reference/'));
});

test('a search without a result says so, and Escape closes it', async () => {
  const page = await open('/guide/', anyone);
  await page.getByRole('combobox').fill('xqzvwk');
  await poll(() => page.getByRole('option').textContent()).toBe('No page has these words.');
  await page.keyboard.press('Escape');
  await poll(() => page.getByRole('listbox').isVisible()).toBe(false);
});

test('a chosen language holds on other pages', async () => {
  const page = await open('/guide/reference/enhancements.html', anyone);
  const first = page.getByRole('tablist').first();
  await poll(() => first.getByRole('tab').allInnerTexts()).toEqual(['curl', 'TypeScript', 'GraphQL']);
  await first.getByRole('tab', { name: 'GraphQL' }).click();
  await poll(() => page.getByRole('tabpanel').first().innerText()).toContain('mutation');
  await page.goto(new URL('/guide/reference/batches.html', page.url()).href);
  await poll(() => page.getByRole('tab', { name: 'GraphQL' }).first().getAttribute('aria-selected')).toBe('true');
});

test('an operation in the API documentation leads to the guide, and back', async () => {
  const page = await open('/docs#/Credits/getCredits', anyone);
  const link = page.locator('#operations-Credits-getCredits').getByRole('link', { name: /guide/ });
  await link.waitFor();
  await poll(() => link.getAttribute('href')).toMatch(/\/guide\/reference\/credits\.html#getCredits$/);
  await page.goto((await link.getAttribute('href'))!);
  const back = page
    .locator('section', { has: page.locator('#getCredits') })
    .getByRole('link', { name: /API documentation/ });
  await back.click();
  await page.locator('#operations-Credits-getCredits').waitFor();
});

test('a phone opens the menu when its reader asks', async () => {
  const page = await open('/guide/batches.html', { ...anyone, width: WIDTHS.narrow });
  const credits = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Credits' });
  await poll(() => credits.isVisible()).toBe(false);
  await page.getByText('All pages').click();
  await credits.click();
  await page.waitForURL(/reference\/credits/);
});
