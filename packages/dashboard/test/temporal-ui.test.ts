import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, describe, expect, test } from '@jest/globals';
import { photo } from '../../../test/e2e/files.ts';
import type { UploadRecord } from '../../../test/e2e/api.ts';
import { listenHttp } from '../../../test/support/local-server.ts';
import { useOwnDashboard } from './harness.ts';
import { poll } from '../../../test/support/poll.ts';

const OPERATOR_KEY = 'the-operators-key-of-this-test';
const tests = useOwnDashboard({ env: { BURNISH_OPERATOR_KEY: OPERATOR_KEY } });
/** The Web UI loads megabytes of script on a busy machine, milliseconds. */
const LOADS = { timeout: 60_000 };

const contexts: BrowserContext[] = [];
afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
});

/** A page in a browser of its own: the Web UI's errors on its console are its own, so nothing watches them. */
async function openPage(): Promise<Page> {
  const context = await tests.browser.newContext({ viewport: { width: 1400, height: 2000 } });
  contexts.push(context);
  return await context.newPage();
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('API key').fill(tests.instance.apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

let photographs = 0;
/** Sends another photograph each time, since the result of an equal one is copied. */
async function sentUpload(filename: string): Promise<string> {
  const { api } = tests.instance;
  const { body } = await api.upload(await photo((photographs += 1)), { enhancements: [{ mode: 'ENHANCE' }], filename });
  await api.settled(body.id);
  return body.id;
}

/** The JSON of the server with its bytes read as text. */
const inBytes = (events: string): string =>
  events.replace(/"[\w+/=]{8,}"/g, (text) => Buffer.from(text, 'base64').toString('latin1'));

/** The histories that a page gets from the server. They are read at once: a navigation discards the bodies of earlier responses. */
function keepHistories(page: Page): () => string {
  const histories: string[] = [];
  page.on('response', (response) => {
    if (!/\/api\/v1\/.*\/history\b/.test(response.url())) return;
    void response.text().then(
      (text) => histories.push(text),
      () => undefined,
    );
  });
  return () => histories.join('\n');
}

const textOf = (page: Page): Promise<string> => page.locator('body').innerText();

describe('the Temporal Web UI with default settings', () => {
  test('shows decoded inputs, summaries and results to an operator after the sign-in', async () => {
    const { ports, url } = tests.instance;
    const id = await sentUpload('readable name.jpg');
    const page = await openPage();
    await page.goto(`http://127.0.0.1:${ports.temporalUi}/namespaces/default/workflows/upload%2F${id}`);
    expect(new URL(page.url()).origin).toBe(url);
    await signIn(page);
    await poll(() => textOf(page), LOADS).toContain('"mimetype": "image/jpeg"');
    expect(new URL(page.url()).port).toBe(String(ports.temporalUi));
    await poll(() => textOf(page), LOADS).toContain('inspectAndEnhance • readable name.jpg');
    const histories = keepHistories(page);
    await page.goto(page.url().replace(/\/timeline$/, '/history'));
    await poll(() => textOf(page), LOADS).toContain('{"inspection":{"width":');
    await poll(() => textOf(page), LOADS).toContain('readable name.jpg · image/jpeg');

    // The server itself has none of it.
    await poll(histories, LOADS).toContain(Buffer.from('binary/encrypted').toString('base64'));
    const events = histories();
    expect(inBytes(events)).not.toMatch(/readable name|mimetype|objectKey/);
  }, 180_000);

  test('shows the sentence of a failure, which the server stores only encrypted', async () => {
    const { api, ports } = tests.instance;
    await using source = await listenHttp((_, res) => void res.writeHead(404).end());
    const { body } = await api.call<UploadRecord>('POST', '/v1/uploads', {
      body: { source: { url: `${source.url}/gone.jpg` } },
    });
    const { errorDetail } = await api.settled(body.id);
    expect(errorDetail).toContain('404');
    const page = await openPage();
    await page.goto(`http://127.0.0.1:${ports.temporalUi}/namespaces/default/workflows/upload%2F${body.id}`);
    await signIn(page);
    await poll(() => page.url(), LOADS).toMatch(/\/timeline$/);
    const histories = keepHistories(page);
    await page.goto(page.url().replace(/\/timeline$/, '/history'));
    // The row says no more than `Encoded failure`; the opened event has the sentence.
    await page.getByText('Activity Task Failed').first().click(LOADS);
    await poll(() => textOf(page), LOADS).toContain(errorDetail!);
    await poll(histories, LOADS).toContain('URL_FETCH_FAILED');
    const events = histories();
    expect(inBytes(events)).not.toContain(errorDetail);
    expect(events).not.toContain(errorDetail);
  }, 180_000);

  test('lists the status of each upload beside the state of its workflow, until a person chooses other columns', async () => {
    const { ports } = tests.instance;
    await sentUpload('listed.jpg');
    const page = await openPage();
    await page.goto(`http://127.0.0.1:${ports.temporalUi}/namespaces/default/workflows`);
    await signIn(page);
    await poll(() => textOf(page), LOADS).toContain('UPLOAD_FINISHED');
    expect(await textOf(page)).toContain('BurnishStatus');
    expect(new URL(page.url()).search).not.toContain('pass=');

    const columns = 'namespace-workflow-table-columns';
    await page.evaluate(`localStorage.setItem('${columns}', '{"default":[{"label":"Type","pinned":false}]}')`);
    await page.context().clearCookies({ name: 'burnish_temporal_ui' });
    await page.reload();
    await poll(() => textOf(page), LOADS).toContain('Type');
    expect(await page.evaluate(`localStorage.getItem('${columns}')`)).toBe(
      '{"default":[{"label":"Type","pinned":false}]}',
    );
  });

  test('has a saved view of failed uploads, with their codes and without the others', async () => {
    const { api, ports } = tests.instance;
    const good = await sentUpload('good.jpg');
    await using source = await listenHttp((_, res) => void res.writeHead(404).end());
    const { body } = await api.call<UploadRecord>('POST', '/v1/uploads', {
      body: { source: { url: `${source.url}/away.jpg` } },
    });
    await api.settled(body.id);
    const page = await openPage();
    await page.goto(`http://127.0.0.1:${ports.temporalUi}/namespaces/default/workflows`);
    await signIn(page);
    await poll(() => textOf(page), LOADS).toContain(good);
    await page.getByRole('button', { name: /^Saved Views/ }).click(LOADS);
    await page.getByText('Failed uploads').first().click(LOADS);
    await poll(() => textOf(page), LOADS).not.toContain(good);
    expect(await textOf(page)).toMatch(new RegExp(`UPLOAD_FAILED[^]*URL_FETCH_FAILED[^]*upload/${body.id}`));
  }, 180_000);

  test('opens a link to a view over the sign-in', async () => {
    const { ports } = tests.instance;
    const page = await openPage();
    const query = encodeURIComponent('BurnishStatus = "UPLOAD_DELETED"');
    await page.goto(`http://127.0.0.1:${ports.temporalUi}/namespaces/default/workflows?query=${query}`);
    await signIn(page);
    await poll(() => page.url(), LOADS).toContain('/workflows?query=');
    expect(new URL(page.url()).searchParams.get('query')).toBe('BurnishStatus = "UPLOAD_DELETED"');
  }, 120_000);

  test('shows no payloads to a program that asks the server directly', async () => {
    const { ports } = tests.instance;
    const response = await fetch(`http://127.0.0.1:${ports.temporalUi}/api/v1/namespaces/default/workflows`);
    expect(response.status).toBe(401);
  });
});

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

// Last, because the second account of its end changes what the first account may open.
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
  const links = operator.getByRole('navigation', { name: 'Workflows in the Temporal Web UI' });
  const all = links.getByRole('link', { name: 'Uploads and batches' });
  await opened((await all.getAttribute('href'))!, OPERATOR_KEY, `upload/${body.id}`);
}, 240_000);
