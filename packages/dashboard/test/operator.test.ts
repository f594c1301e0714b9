import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { Fleet } from '@burnish/contract';
import { photo } from '../../../test/e2e/files.ts';
import { OPERATOR_KEY } from '../../../test/e2e/shared-instance.ts';
import { expectAccessible, useDashboard } from './harness.ts';
import { poll } from '../../../test/support/poll.ts';

const { version: VERSION } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const tests = useDashboard();

const signedIn = async (path: string) => {
  const page = await tests.open(path, { signedIn: false });
  await page.getByLabel('API key').fill(OPERATOR_KEY);
  await page.getByRole('button', { name: 'Sign in' }).click();
  return page;
};

test('the operator creates an account, changes its plan, suspends it and deletes it', async () => {
  const page = await signedIn('/');
  await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create account' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Print shop');
  await dialog.getByLabel('Plan').selectOption({ label: 'Basic' });
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByRole('heading', { name: 'Print shop is ready' }).waitFor();
  const key = await dialog.getByRole('group', { name: 'First API key' }).locator('code').innerText();
  await page.keyboard.press('Escape');

  const row = page.getByRole('row', { name: 'Print shop' });
  await row.getByText('Active').waitFor();
  await row.getByRole('link', { name: 'Print shop' }).click();
  await page.getByRole('heading', { name: 'Print shop', level: 1 }).waitFor();
  const plan = page.getByRole('region', { name: 'Plan' });
  await plan.getByText('600 DPI').waitFor();
  await plan.getByLabel('Plan of the account').selectOption({ label: 'Business' });
  await dialog.getByText('100,000 credits each month, up to 1,200 DPI').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await plan.getByText('600 DPI').waitFor();
  await poll(() => plan.getByLabel('Plan of the account').inputValue()).toBe('BASIC');
  await plan.getByLabel('Plan of the account').selectOption({ label: 'Business' });
  await dialog.getByRole('button', { name: 'Change plan' }).click();
  await plan.getByText('1,200 DPI').waitFor();
  await page.getByRole('button', { name: 'Add credits' }).click();
  await dialog.getByLabel('Credits').fill('25');
  await dialog.getByLabel('Reference').fill('invoice-1');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('region', { name: 'Credits' }).getByText('100,025').waitFor();
  await page.getByText('No enhancement has ended in these days.').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Accounts' }).click();
  await row.getByText('100,025').waitFor();
  const status = async (): Promise<number> =>
    (await fetch(`${tests.instance.url}/v1/credits`, { headers: { 'x-api-key': key } })).status;
  expect(await status()).toBe(200);
  await row.getByRole('button', { name: 'Suspend Print shop' }).click();
  await row.getByText('Suspended').waitFor();
  expect(await status()).toBe(403);
  await row.getByRole('button', { name: 'Delete Print shop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click();
  await row.getByText('Deleted').waitFor();
  await expectAccessible(page);
});

test('the operator sees usage and queue by account, and no pages of an account', async () => {
  const { body } = await tests.instance.api.upload(await photo(3), { enhancements: [{}] });
  await poll(
    async () => ((await tests.instance.api.get(`/v1/uploads/${body.id}`)).body as { status: string }).status,
  ).toBe('UPLOAD_FINISHED');
  const page = await signedIn('/usage');
  await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Queue' }).click();
  await page.getByRole('heading', { name: 'Queue', level: 1 }).waitFor();
  await page.getByText('Running').first().waitFor();
  await page
    .getByRole('row', { name: /burnish-engine / })
    .getByText(VERSION)
    .waitFor();
  await page.getByText(/^Open uploads that ran on 1\./).waitFor();
  await poll(() => page.getByText('Other version').count()).toBe(0);
  await expectAccessible(page);
  await page.route('**/v1/operator/queue', async (route) => {
    const response = await route.fetch();
    const queue = (await response.json()) as Fleet;
    const older = { taskQueue: 'burnish', version: '0.9.0+abc' };
    const stopped = new Date(Date.now() - 120_000).toISOString();
    queue.processes.push({ ...older, process: '7@far', polledAt: new Date().toISOString() });
    queue.processes.push({ ...older, process: '8@far', polledAt: stopped });
    await route.fulfill({ response, json: { ...queue, uploadsOfEarlierVersions: 3 } });
  });
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByRole('row', { name: '7@far' }).getByText('Other version').waitFor();
  await page.getByRole('row', { name: '8@far' }).getByText('Stopped').waitFor();
  await page.getByText('Open uploads of earlier versions').waitFor();
  await expectAccessible(page);
  await page.unroute('**/v1/operator/queue');
  await page.route('**/v1/operator/queue', async (route) => {
    const response = await route.fetch();
    const queue = (await response.json()) as Fleet;
    queue.deployment = {
      name: 'photos',
      builds: [
        { version: '1.2.0+bbb', state: 'RAMPING', share: 10, open: 14 },
        { version: VERSION, state: 'CURRENT', share: 90, open: 1_200 },
      ],
    };
    queue.processes.push({
      taskQueue: 'burnish',
      version: '1.2.0+bbb',
      process: '9@far',
      polledAt: new Date().toISOString(),
    });
    await route.fulfill({ response, json: queue });
  });
  await page.getByRole('button', { name: 'Refresh' }).click();
  const builds = page.getByRole('table', { name: 'Builds of the deployment photos' });
  await builds.getByRole('row', { name: /1\.2\.0\+bbb Ramping 10 % 14/ }).waitFor();
  await builds.getByRole('row', { name: /Current 90 % 1,200/ }).waitFor();
  await page.getByRole('row', { name: '9@far' }).waitFor();
  await poll(() => page.getByText('Other version').count()).toBe(0);
  await expectAccessible(page);
  await page.unroute('**/v1/operator/queue');
  await poll(() => page.getByRole('link', { name: 'Uploads', exact: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});
