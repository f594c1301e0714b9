import { expect, test } from '@jest/globals';
import { photo } from '../../../test/e2e/files.ts';
import { expectAccessible, useDashboard } from './harness.ts';
import { poll } from '../../../test/support/poll.ts';

const tests = useDashboard({ creditsPerPeriod: 250 });

const statusWith = async (key: string): Promise<number> =>
  (await fetch(`${tests.instance.url}/v1/credits`, { headers: { 'x-api-key': key } })).status;

test('a person creates an API key with a name, sees it once, copies it, and deletes it after a confirmation', async () => {
  const page = await tests.open('/keys');
  await page.getByRole('button', { name: 'Create new key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Staging');
  // A program gets what it needs to enhance files, and no more unless somebody chooses it.
  const chosen = await dialog.getByRole('group', { name: 'Scopes' }).getByRole('checkbox', { checked: true }).all();
  expect(await Promise.all(chosen.map((box) => box.evaluate((input) => input.parentElement!.textContent)))).toEqual([
    expect.stringMatching(/read$/),
    expect.stringMatching(/uploads$/),
  ]);
  await expectAccessible(page);
  await page.setViewportSize({ width: 1280, height: 600 });
  const create = (await dialog.getByRole('button', { name: 'Create', exact: true }).boundingBox())!;
  expect(create.y + create.height).toBeLessThanOrEqual(600);
  await page.keyboard.press('Enter');

  await dialog.getByRole('heading', { name: 'Staging is ready' }).waitFor();
  const key = await dialog.getByRole('group', { name: 'API key' }).locator('code').innerText();
  expect(await statusWith(key)).toBe(200);
  await dialog.getByRole('button', { name: 'Copy' }).click();
  await dialog.getByText('Copied.').waitFor();
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(key);
  await expectAccessible(page);
  await page.keyboard.press('Escape');

  const row = page.getByRole('row', { name: 'Staging' });
  await row.getByText(key.slice(0, 8)).waitFor();
  expect(await page.content()).not.toContain(key);
  await expectAccessible(page);

  await row.getByRole('button', { name: 'Delete Staging' }).click();
  await dialog.getByText('Requests with this key are refused').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await statusWith(key)).toBe(200);
  await row.getByRole('button', { name: 'Delete Staging' }).click();
  await dialog.getByRole('button', { name: 'Delete key' }).click();
  await row.waitFor({ state: 'detached' });
  await poll(() => statusWith(key)).toBe(401);
});

test('a key whose answer was lost can be created under another name', async () => {
  const page = await tests.open('/keys', { expecting: [/ERR_FAILED/] });
  await page.getByRole('row', { name: 'First key' }).waitFor();
  await page.route(
    '**/v1/api-keys',
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await page.getByRole('button', { name: 'Create new key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Lost');
  await page.keyboard.press('Enter');
  await dialog.getByText('Burnish cannot be reached.').waitFor();
  await dialog.getByLabel('Name').fill('Found');
  await page.keyboard.press('Enter');
  await dialog.getByRole('heading', { name: 'Found is ready' }).waitFor();
});

test('a person creates a test key, which the list marks', async () => {
  const page = await tests.open('/keys');
  await page.getByRole('button', { name: 'Create new key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Continuous integration');
  await dialog.getByLabel('Test key').check();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await dialog.getByRole('heading', { name: 'Continuous integration is ready' }).waitFor();
  await dialog
    .getByRole('group', { name: 'API key' })
    .getByText(/^bk_test_/)
    .waitFor();
  await page.keyboard.press('Escape');
  const row = page.getByRole('row', { name: 'Continuous integration' });
  await row.getByText('Test', { exact: true }).waitFor();
  await expectAccessible(page);
});

test('deleting the key of the own session warns and signs out', async () => {
  const { body } = await tests.instance.api.call<{ key: string }>('POST', '/v1/api-keys', { body: { name: 'Mine' } });
  const page = await tests.open('/keys', { signedIn: false });
  await page.getByLabel('API key').fill(body.key);
  await page.keyboard.press('Enter');
  const row = page.getByRole('row', { name: 'Mine' });
  await row.getByText('You are signed in with it').waitFor();
  await row.getByRole('button', { name: 'Delete Mine' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('deleting it signs you out').waitFor();
  await dialog.getByRole('button', { name: 'Delete key' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('credits show the used and remaining amounts, and their ledger page by page', async () => {
  const { api } = tests.instance;
  const filename = 'harbour.jpg';
  const { body } = await api.upload(await photo(3), { enhancements: [{ mode: 'VIVID' }], filename });
  await api.settled(body.id);

  const page = await tests.open('/credits');
  await page.getByText('249').first().waitFor();
  await page.getByText('of 250 credits left').waitFor();
  const ledger = page.getByRole('table', { name: 'Lines of the ledger, newest first' });
  await poll(() => ledger.getByRole('row').count()).toBe(3);
  const text = await ledger.innerText();
  expect(text).toContain('Monthly credits');
  expect(text).toContain('+250');
  expect(text).toMatch(/harbour\.jpg, 1 credit charged[^+]*−1\s+249/);
  await ledger.getByText('harbour.jpg, 1 credit charged').click();
  await ledger.getByText(/1 credit reserved/).waitFor();
  await ledger
    .getByText(/1 credit charged$/)
    .last()
    .waitFor();
  await poll(() => page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
  await expectAccessible(page);
  await ledger.getByRole('link', { name: filename }).click();
  await page.getByRole('heading', { level: 1, name: filename }).waitFor();
}, 120_000);

test('settings store the days of retention and refuse values out of bounds', async () => {
  const page = await tests.open('/settings');
  const days = page.getByLabel('Days that new uploads are kept');
  await poll(() => days.inputValue()).toBe('30');
  await days.fill('400');
  await page.getByText('Enter a whole number from 1 to 365.').waitFor();
  await poll(() => page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await expectAccessible(page);
  await days.fill('14');
  await page.keyboard.press('Enter');
  await page.getByText('Saved.').waitFor();
  await page.reload();
  await poll(() => days.inputValue()).toBe('14');
  expect((await tests.instance.api.get('/v1/settings')).body).toEqual({ uploadRetentionDays: 14 });
  await page.getByText('Business').waitFor();
});
