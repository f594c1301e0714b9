import { expect, test } from '@jest/globals';
import { photo } from '../e2e/files.ts';
import { poll } from '../support/poll.ts';
import { useOwnDashboard } from './harness.ts';

const OPERATOR_KEY = 'the-operators-key-of-this-test';
const tests = useOwnDashboard({ env: { BURNISH_OPERATOR_KEY: OPERATOR_KEY } });
/** The Web UI loads megabytes of script on a busy machine, milliseconds. */
const LOADS = { timeout: 60_000 };

/** The text of the page that a link opens, in a browser that is signed in with a key. */
async function opened(href: string, apiKey: string, expected: string): Promise<void> {
  const context = await tests.browser.newContext();
  try {
    await context.request.post(`${tests.instance.url}/session`, { data: { apiKey } });
    const page = await context.newPage();
    await page.goto(href);
    await poll(() => page.locator('body').innerText(), LOADS).toContain(expected);
  } finally {
    await context.close();
  }
}

// One test, because the second account of its end changes what the first account may open.
test('links to workflows open them, and disappear for accounts once there are two', async () => {
  const { api, apiKey, url } = tests.instance;
  const { body } = await api.upload(await photo(71), { enhancements: [{}] });
  await api.settled(body.id);
  const upload = await tests.open(`/uploads/${body.id}`);
  const link = upload.getByRole('link', { name: /^Workflow/ });
  await opened((await link.getAttribute('href'))!, apiKey, `upload/${body.id}`);
  const settings = await tests.open('/settings');
  const list = settings.getByRole('link', { name: 'Workflows in the Temporal Web UI' });
  await opened((await list.getAttribute('href'))!, apiKey, `upload/${body.id}`);

  const made = await fetch(`${url}/v1/operator/accounts`, {
    method: 'POST',
    headers: { 'x-api-key': OPERATOR_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Second account', plan: 'BASIC' }),
  });
  expect(made.status).toBe(201);
  for (const page of [upload, settings]) await page.reload();
  await upload.getByRole('heading', { level: 1 }).waitFor();
  await settings.locator('#main').getByRole('link', { name: 'API documentation' }).waitFor();
  await poll(() => link.count()).toBe(0);
  await poll(() => list.count()).toBe(0);

  const operator = await tests.open('/queue', { signedIn: false });
  await operator.getByLabel('API key').fill(OPERATOR_KEY);
  await operator.getByRole('button', { name: 'Sign in' }).click();
  const all = operator.getByRole('link', { name: 'Workflows in the Temporal Web UI' });
  await opened((await all.getAttribute('href'))!, OPERATOR_KEY, `upload/${body.id}`);
}, 240_000);
