import { expect, test } from '@jest/globals';
import { cleanEnvironment, runCommand } from '../../../test/e2e/instance.ts';
import { dropFiles } from './drop-files.ts';
import { expectAccessible, expectFocusOnHeading, useDashboard, WIDTHS } from './harness.ts';
import { poll } from '../../../test/support/poll.ts';

/** What a page may weigh as it comes over the wire, in bytes: script, style and page, compressed. */
const MAX_PAGE_BYTES = 100_000;

const tests = useDashboard();

test('a sign-in link redirects a signed-in person, and its token disappears from the address', async () => {
  const page = await tests.open('/sign-in#token=of-another-link');
  await page.getByRole('heading', { name: 'Enhance', level: 1 }).waitFor();
  await poll(() => page.url()).toBe(`${tests.instance.url}/`);
  await poll(() => page.title()).toBe('Enhance · Burnish');
});

test('a sign-in link to a page of the dashboard opens it, with a session and without one', async () => {
  const command = runCommand(['dashboard'], await cleanEnvironment({ BURNISH_DATA_DIR: tests.instance.dataDir }));
  expect(await command.ended).toBe(0);
  const { hash } = new URL(command.stdout().trim());
  for (const options of [{ signedIn: false }, {}]) {
    const page = await tests.open(`/credits${hash}`, options);
    await page.getByRole('heading', { name: 'Credits', level: 1 }).waitFor();
    await poll(() => page.url()).toBe(`${tests.instance.url}/credits`);
  }
}, 120_000);

test('the operator requests another sign-in link at the terminal', async () => {
  const command = runCommand(['dashboard'], await cleanEnvironment({ BURNISH_DATA_DIR: tests.instance.dataDir }));
  expect(await command.ended).toBe(0);
  const { pathname, hash } = new URL(command.stdout().trim());
  const page = await tests.open(pathname + hash, { signedIn: false });
  await page.getByRole('heading', { name: 'Enhance', level: 1 }).waitFor();
  expect(tests.instance.output()).not.toContain(hash);
}, 120_000);

test('a person signs in with an API key, by keyboard only, and returns to the requested page', async () => {
  const page = await tests.open('/credits', { signedIn: false });
  await page.getByLabel('API key').waitFor();
  await expectAccessible(page);
  await page.getByLabel('API key').fill(tests.instance.apiKey);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Credits', level: 1 }).waitFor();
  await poll(() => page.title()).toBe('Credits · Burnish');
  await page.reload();
  await page.getByRole('heading', { name: 'Credits', level: 1 }).waitFor();
});

test('a malformed key is refused at its field', async () => {
  const page = await tests.open('/sign-in', { signedIn: false, expecting: [/401/] });
  await page.getByLabel('API key').fill('bk_wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page
    .getByRole('alert')
    .getByText('This is not a valid API key of this instance. Check it, or open a sign-in link.')
    .waitFor();
  await expectAccessible(page);
});

test('the menu leads to every page, names it, and focuses its heading', async () => {
  const page = await tests.open('/');
  const menu = page.getByRole('navigation', { name: 'Main' });
  for (const name of ['Uploads', 'API keys', 'Webhooks', 'Credits', 'Settings', 'Enhance']) {
    await menu.getByRole('link', { name }).click();
    const heading = page.getByRole('heading', { name, level: 1 });
    await heading.waitFor();
    await poll(() => page.title()).toBe(`${name} · Burnish`);
    await expectFocusOnHeading(page);
    await poll(() => menu.getByRole('link', { name }).getAttribute('aria-current')).toBe('page');
  }
});

// Name and focus followed a moment after the heading, and a key pressed at the sight of a new page went to the old one's link.
test('a page appears together with its title and its focus', async () => {
  const page = await tests.open('/');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.evaluate(`
    globalThis.shown = [];
    new MutationObserver(() => {
      const heading = document.querySelector('main h1');
      if (heading) shown.push([heading.textContent, document.title, document.activeElement === heading].join(', '));
    }).observe(document.querySelector('main'), { subtree: true, childList: true, characterData: true });
  `);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
  expect(new Set(await page.evaluate<string[]>('shown'))).toEqual(new Set(['Webhooks, Webhooks · Burnish, true']));
});

test('a narrow page has its menu behind a button, and a link to skip it', async () => {
  const page = await tests.open('/settings', { width: WIDTHS.narrow });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await poll(() => page.locator('main').evaluate((element) => element === element.ownerDocument.activeElement)).toBe(
    true,
  );

  const button = page.getByRole('button', { name: 'Menu' });
  await button.click();
  await poll(() => button.getAttribute('aria-expanded')).toBe('true');
  await expectAccessible(page);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Credits' }).click();
  await page.getByRole('heading', { name: 'Credits' }).waitFor();
  await poll(() => button.getAttribute('aria-expanded')).toBe('false');
});

test('signing out ends the session at the gateway too', async () => {
  const page = await tests.open('/', { signedIn: false });
  await page.getByLabel('API key').fill(tests.instance.apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const signOut = page.getByRole('button', { name: 'Sign out' });
  await signOut.waitFor();
  const [cookie] = await page.context().cookies();
  await signOut.click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const headers = { cookie: `${cookie!.name}=${cookie!.value}` };
  await poll(async () => (await fetch(`${tests.instance.url}/v1/credits`, { headers })).status).toBe(401);
});

test('signing out removes added content from the page, and reports a failure', async () => {
  const page = await tests.open('/', { signedIn: false, expecting: [/ERR_FAILED/] });
  const signIn = async (): Promise<void> => {
    await page.getByLabel('API key').fill(tests.instance.apiKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  await signIn();
  await dropFiles(page, [{ name: 'mine.txt', mimeType: 'text/plain', buffer: Buffer.alloc(40_000, 'words ') }]);
  const card = page.getByRole('listitem', { name: 'mine.txt' });
  await card.waitFor();
  await page.route('**/session', (route) => route.abort(), { times: 1 });
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('alert').getByText('Burnish cannot be reached.').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await poll(() => page.getByText('Your session has ended.').count()).toBe(0);
  await signIn();
  await page.getByText('Drop images and PDFs here').waitFor();
  await poll(() => card.count()).toBe(0);
});

test('a session that ended elsewhere shows the sign-in page with the reason', async () => {
  const page = await tests.open('/credits', { expecting: [/401/] });
  await page.getByRole('heading', { name: 'Credits', level: 1 }).waitFor();
  await page.context().clearCookies();
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'API keys' });
  const ended = page.getByText('Your session has ended.');
  // A request of the page itself may show the reason before the click.
  await link.or(ended).first().click();
  await ended.waitFor();
});

test('an unknown address shows that, and links back', async () => {
  const page = await tests.open('/nothing/here', { expecting: [/404/] });
  await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor();
  await expectAccessible(page);
  await page.getByRole('main').getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Enhance', level: 1 }).waitFor();
});

test('a page weighs less than 100 kB', async () => {
  const page = await tests.open('/');
  await page.getByRole('heading', { level: 1 }).waitFor();
  const bytes = await page.evaluate<number>(
    `performance.getEntries()
      .filter((entry) => ['navigation', 'resource'].includes(entry.entryType) && !new URL(entry.name).pathname.startsWith('/v1/'))
      .reduce((sum, entry) => sum + entry.transferSize, 0)`,
  );
  expect(bytes).toBeGreaterThan(5000);
  expect(bytes).toBeLessThan(MAX_PAGE_BYTES);
});
