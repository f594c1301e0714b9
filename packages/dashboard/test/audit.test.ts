import { expect, test } from '@jest/globals';
import { expectAccessible, useDashboard } from './harness.ts';
import { poll } from '../../../test/support/poll.ts';

const tests = useDashboard();

test('a person creates a key with fewer scopes, and the list shows its scopes and expiry', async () => {
  const page = await tests.open('/keys');
  await page.getByRole('button', { name: 'Create new key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Reader');
  // A program that only reads gets less than the usual scopes.
  await dialog.locator('label', { has: page.locator('code:text-is("uploads")') }).click();
  await dialog.getByLabel('Expires').selectOption({ label: 'In 30 days' });
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByRole('heading', { name: 'Reader is ready' }).waitFor();
  const key = await dialog.getByRole('group', { name: 'API key' }).locator('code').innerText();
  await page.keyboard.press('Escape');
  const row = page.getByRole('row', { name: 'Reader' });
  await row.getByText('read', { exact: true }).waitFor();
  const ask = async (path: string): Promise<number> =>
    (await fetch(`${tests.instance.url}${path}`, { headers: { 'x-api-key': key } })).status;
  expect([await ask('/v1/credits'), await ask('/v1/api-keys')]).toEqual([200, 403]);
  const { body } = await tests.instance.api.get('/v1/api-keys');
  const made = (body as { items: { name: string; expiresAt: string }[] }).items.find(({ name }) => name === 'Reader')!;
  expect(Math.round((Date.parse(made.expiresAt) - Date.now()) / 86_400_000)).toBe(30);
  await page.reload();
  await page.getByRole('row', { name: 'Reader' }).getByText('127.0.0.1').waitFor();
});

test('the audit log shows actor, action and address in pages, and filters one action', async () => {
  const { api } = tests.instance;
  for (let days = 1; days <= 21; days += 1) {
    await api.call('PATCH', '/v1/settings', { body: { uploadRetentionDays: days } });
  }
  // An entry with the id of a webhook in its details
  const body = { url: 'http://127.0.0.1:9/' };
  const { body: webhook } = await api.call<{ id: string }>('POST', '/v1/webhooks', { body });
  await api.call('POST', `/v1/webhooks/${webhook.id}/test`);
  const page = await tests.open('/audit');
  const table = page.getByRole('table', { name: 'Entries of the audit log, newest first' });
  await table.getByRole('row', { name: 'Changed settings' }).first().waitFor();
  await table.getByText('127.0.0.1').first().waitFor();
  await table.getByText('with First key').first().waitFor();
  const rows = (): Promise<number> => table.getByRole('row').count();
  await poll(rows).toBe(1 + 20);
  await page.getByRole('button', { name: 'Show more' }).click();
  await poll(rows).toBeGreaterThan(1 + 20);
  await table.getByRole('row', { name: 'Created an API key' }).first().waitFor();
  await expectAccessible(page);
  // Each time is on one line, and the table ends within its card.
  await page.setViewportSize({ width: 1280, height: 900 });
  const heights = await table
    .locator('time')
    .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
  expect(heights.length).toBeGreaterThan(20);
  expect(Math.max(...heights)).toBeLessThan(30);
  const [card, list] = await Promise.all([
    page.getByRole('region', { name: 'Audit log' }).boundingBox(),
    table.boundingBox(),
  ]);
  expect(list!.x + list!.width).toBeLessThan(card!.x + card!.width);

  await page.getByLabel('Action').selectOption({ label: 'Changed settings' });
  await table.getByText('uploadRetentionDays: 21').waitFor();
  await poll(rows).toBe(1 + 20);
  await poll(() => table.innerText()).not.toContain('Created an API key');
  await page.getByLabel('Action').selectOption({ label: 'Added credits' });
  await page.getByText('No entry matches the filter. Choose another action.').waitFor();
});
