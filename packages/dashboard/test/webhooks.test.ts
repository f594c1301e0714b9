import { expect, test } from '@jest/globals';
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
  await log.getByText('Delivered').waitFor();
  await log.getByText('webhook.test').click();
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
  await poll(() => log.getByText('webhook.test').count()).toBe(3);
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
