import { expect, test } from '@jest/globals';
import { photo } from '../../../test/e2e/files.ts';
import { isSignedBy, webhookReceiver } from '../../../test/e2e/webhook-receiver.ts';
import { expectAccessible, useDashboard } from './harness.ts';
import { poll } from '../../../test/support/poll.ts';
import { useForFile } from '../../../test/support/use-for.ts';

const tests = useDashboard();
const receiver = useForFile(() => webhookReceiver());

test('a person adds, tests and removes an endpoint, renews its secret, and sends a logged event again', async () => {
  const page = await tests.open('/webhooks');
  await page.getByText('No endpoints yet').waitFor();
  await expectAccessible(page);

  // It is added, with one kind of event.
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').fill(receiver.url);
  for (const box of await dialog.getByRole('checkbox').all()) await box.uncheck();
  await dialog.getByRole('checkbox', { name: /An enhancement/ }).check();
  await dialog.getByLabel('Format').selectOption('Public service');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Add endpoint' }).click();
  const secretOf = async (): Promise<string> => {
    const group = dialog.getByRole('group', { name: 'Signing secret' });
    return await group.locator('code').innerText();
  };
  const secret = await secretOf();
  expect(secret).toMatch(/^whsec_/);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByText('enhanced_image.status_update · format of the public service · since').waitFor();

  // It is tested, whichever events it wants.
  await page.getByRole('button', { name: 'Send test event' }).click();
  const first = await receiver.received(({ event }) => event === 'webhook.test');
  expect(isSignedBy(secret, first)).toBe(true);
  const log = page.getByRole('region', { name: 'Delivery log' });
  await log.locator('.badge').getByText('Delivered').waitFor();
  await log.locator('summary').getByText('webhook.test').click();
  await log.getByText('Attempt 1 · 204').waitFor();
  await expectAccessible(page);

  // It gets a new secret, and the old one signs too for a day.
  await page.getByRole('button', { name: 'New secret' }).click();
  await dialog.getByRole('button', { name: 'Replace secret' }).click();
  const rotated = await secretOf();
  expect(rotated).not.toBe(secret);
  await dialog.getByRole('button', { name: 'Done' }).click();

  // What was sent is sent again.
  await log.getByRole('button', { name: 'Send again' }).click();
  await log.getByText(/, sent again/).waitFor();
  await poll(() => receiver.deliveries.length).toBe(2);
  const second = receiver.deliveries[1]!;
  expect(second.event.id).toBe(first.event.id);
  expect([isSignedBy(secret, second), isSignedBy(rotated, second)]).toEqual([true, true]);

  // A receiver that is away leaves what it said in the log.
  receiver.answerWith(500);
  await page.getByRole('button', { name: 'Send test event' }).click();
  await log.getByText(/500 ·/).first().waitFor();
  await expectAccessible(page);

  // It is removed, and its log stays.
  await page.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByRole('button', { name: 'Remove endpoint' }).click();
  await page.getByText('No endpoints yet').waitFor();
  await poll(() => log.locator('summary').getByText('webhook.test').count()).toBe(3);
}, 180_000);

test('a forbidden address is refused at its field', async () => {
  const page = await tests.open('/webhooks', { expecting: [/422/] });
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').fill('https://10.0.0.1/hook');
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').waitFor();
  await poll(() => dialog.getByLabel('Address').getAttribute('aria-invalid')).toBe('true');
  await expectAccessible(page);
});

test('a person finds failed deliveries, reads body and answer, and sends them again together, by keys on a phone', async () => {
  const { api } = tests.instance;
  receiver.answerWith(500);
  const { body: webhook } = await api.call<{ id: string }>('POST', '/v1/webhooks', { body: { url: receiver.url } });
  const { body: upload } = await api.upload(await photo(91), { filename: 'harbour.jpg' });
  await api.settled(upload.id);
  interface Logged {
    items: { status: string; attempts: unknown[] }[];
  }
  const logged = async () => (await api.get<Logged>(`/v1/webhook-deliveries?uploadId=${upload.id}`)).body.items;
  await poll(async () => (await logged()).filter(({ attempts }) => attempts.length > 0).length).toBeGreaterThan(0);
  // A disabled endpoint ends its deliveries.
  const path = `/v1/webhooks/${webhook.id}`;
  await api.call('PATCH', path, { body: { enabled: false } });
  await api.call('PATCH', path, { body: { enabled: true } });
  await poll(async () => (await logged()).every(({ status }) => status === 'FAILED')).toBe(true);
  receiver.answerWith(204);
  const received = receiver.deliveries.length;

  const page = await tests.open('/webhooks', { width: 390, height: 844 });
  const log = page.getByRole('region', { name: 'Delivery log' });
  const rows = log.getByRole('listitem').filter({ has: page.getByRole('checkbox') });
  await log.getByRole('radio', { name: 'Delivered' }).press('Space');
  await log.getByLabel('Upload', { exact: true }).fill(upload.id);
  await log.getByText('No delivery has these properties. Change the filter.').waitFor();
  await log.getByRole('radio', { name: 'Failed' }).press('Space');
  const count = (await logged()).length;
  await poll(() => rows.count()).toBe(count);
  const answered = rows.filter({ hasText: '500 ·' }).first();
  await answered.locator('summary').press('Enter');
  await answered.getByRole('link', { name: 'harbour.jpg' }).waitFor();
  await poll(() => answered.getByLabel('Body of the event').innerText()).toContain(upload.id);
  await answered.getByText(/Attempt 1 · 500/).waitFor();
  await expectAccessible(page);

  for (const row of await rows.all()) await row.getByRole('checkbox').press('Space');
  const bar = page.getByRole('region', { name: 'Selection' });
  await bar.getByText(`${count} selected`).waitFor();
  await expectAccessible(page);
  await bar.getByRole('button', { name: 'Send again' }).press('Enter');
  await log.getByText(/^\d+ events? sent again\.$/).waitFor();
  await poll(() => receiver.deliveries.length).toBeGreaterThanOrEqual(received + count);
  await bar.waitFor({ state: 'detached' });
  await log.getByRole('radio', { name: 'Delivered' }).press('Space');
  await poll(() => rows.filter({ hasText: 'sent again' }).count()).toBe(count);
}, 120_000);
