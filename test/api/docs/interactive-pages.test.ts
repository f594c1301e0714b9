import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startChromium } from '../../support/chromium.ts';
import { poll } from '../../support/poll.ts';
import { testGateway, type TestGateway } from '../support/gateway.ts';
import { storedUpload } from '../support/records.ts';

let gateway: TestGateway;
let browser: Browser;
beforeAll(async () => {
  [gateway, browser] = await Promise.all([testGateway(), startChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

/** What the page asked for, and what it or the browser complained about. */
interface Watched {
  page: Page;
  asked: string[];
  complaints: string[];
}

interface View {
  width?: number;
  colorScheme?: 'light' | 'dark';
}

async function open(path: string, { width = 1280, colorScheme = 'light' }: View = {}): Promise<Watched> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const [asked, complaints]: [string[], string[]] = [[], []];
  page.on('request', (request) => void asked.push(request.url()));
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('console', (message) => {
    // GraphiQL asks for the schema before there is a key.
    if (message.type() === 'error' && !message.text().includes('401')) complaints.push(message.text());
  });
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => console.error('CSP', event.violatedDirective))`,
  );
  await page.goto(`${gateway.url}${path}`);
  return { page, asked, complaints };
}

async function openReference(view?: View): Promise<Watched> {
  const watched = await open('/docs', view);
  await watched.page.locator('#operations-Credits-getCredits').waitFor();
  return watched;
}

/** Nothing came from elsewhere, and the key is gone with the page. */
async function expectSelfContained({ page, asked }: Watched): Promise<void> {
  expect(asked.filter((url) => !url.startsWith(gateway.url) && !url.startsWith('data:'))).toEqual([]);
  expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain(gateway.key);
}

/** Enters a key as the first way of authorisation, which is the header `x-api-key`. */
async function authorise({ page }: Watched, key: string): Promise<void> {
  await page.locator('.auth-wrapper .authorize').first().click();
  const dialog = page.locator('.dialog-ux');
  await dialog.locator('input').first().fill(key);
  await dialog.getByRole('button', { name: 'Apply credentials' }).first().click();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
}

describe('with a key, the API reference', () => {
  let watched: Watched;
  beforeAll(async () => {
    watched = await openReference();
    await authorise(watched, gateway.key);
  });

  /** Opens an operation of the page. */
  async function unfold(operation: string): Promise<Locator> {
    const block = watched.page.locator(`#operations-${operation}`);
    await block.locator('.opblock-summary-control').click();
    return block;
  }

  test('sends a request and shows its answer', async () => {
    const operation = await unfold('Credits-getCredits');
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answer = operation.locator('.live-responses-table');
    await answer.getByText('remainingCreditsThisPeriod').first().waitFor();
    await answer.locator('.response-col_status').getByText('200', { exact: true }).first().waitFor();
  });

  test('sends a list without the examples of filters', async () => {
    const { id } = await storedUpload(gateway);
    const operation = await unfold('Uploads-listUploads');
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.locator('.live-responses-table').getByText(id).first().waitFor();
    await poll(() => operation.locator('.request-url').innerText()).toMatch(/\/v1\/uploads\?limit=20$/);
    // The id of a path is needed, and its example shows the form.
    const read = await unfold('Uploads-getUpload');
    await poll(() => read.locator('input').first().inputValue()).toMatch(/^upl_/);
  });

  test('sends a body and shows a refusal with its code', async () => {
    const operation = await unfold('Account-createApiKey');
    const body = operation.locator('textarea.body-param__text');
    await body.fill('{"name":"from the reference"}');
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.locator('.live-responses-table').getByText('from the reference').first().waitFor();
    await body.fill('{"name":""}');
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.locator('.live-responses-table').getByText('BAD_USER_INPUT').first().waitFor();
  });

  test('uses no other origin, reports no error but the refusal, and stores no key', async () => {
    await expectSelfContained(watched);
    expect(watched.complaints.filter((text) => !text.includes('400'))).toEqual([]);
  });
});

test('the API reference follows the theme of the browser, and an open operation fits a phone', async () => {
  const { page } = await openReference({ width: 360, colorScheme: 'dark' });
  const operation = page.locator('#operations-Uploads-createUpload');
  await operation.locator('.opblock-summary-control').click();
  const name = operation.locator('.headers .header-col').first();
  await name.waitFor();
  const colours = (): Promise<string[]> =>
    page.evaluate(
      `[getComputedStyle(document.documentElement).backgroundColor, getComputedStyle(document.querySelector('.headers .header-col')).color]`,
    );
  await poll(colours).toEqual(['rgb(28, 32, 34)', 'rgb(228, 230, 230)']);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  await page.emulateMedia({ colorScheme: 'light' });
  await poll(async () => (await colours())[0]).toBe('rgba(0, 0, 0, 0)');
});

test.each([
  ['the API reference', '/docs'],
  ['the GraphQL browser', '/graphiql'],
])('%s may run only our scripts and cannot be framed', async (_, path) => {
  const { headers } = await fetch(`${gateway.url}${path}`);
  const policy = headers.get('content-security-policy')!;
  for (const part of ["default-src 'none'", "script-src 'self';", "frame-ancestors 'none'"])
    expect(policy).toContain(part);
  if (path === '/docs') expect(policy).toContain("style-src 'self';");
  const { page, complaints } = await open(path);
  const ran = await page.evaluate(`(() => {
    const script = document.createElement('script');
    script.textContent = 'window.injected = true';
    document.body.append(script);
    return 'injected' in window;
  })()`);
  expect([ran, complaints.join()]).toEqual([false, expect.stringContaining('Content Security Policy')]);
});

test.each([
  ['the API reference', '/docs/swagger-ui-bundle.js'],
  ['the GraphQL browser', '/graphiql/graphiql.js'],
])('the script of %s is compressed and has an ETag', async (_, path) => {
  const response = await fetch(`${gateway.url}${path}`);
  expect(response.headers.get('content-encoding')).toBe('gzip');
  const [etag, text] = [response.headers.get('etag')!, await response.text()];
  expect(text.length).toBeGreaterThan(1_000_000);
  const headers = { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' };
  expect((await fetch(`${gateway.url}${path}`, { headers })).status).toBe(304);
});

test('the script of the API reference includes its licences', async () => {
  const read = async (name: string): Promise<string> => (await fetch(`${gateway.url}/docs/${name}`)).text();
  expect(await read('swagger-ui-bundle.js')).toContain('swagger-ui-bundle.js.LICENSE.txt');
  expect(await read('swagger-ui-bundle.js.LICENSE.txt')).toContain('MIT');
});

/** Puts the key between the quotes that the page offers for it. */
async function enterKey(page: Page, key: string): Promise<void> {
  await page.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden) .view-lines').click();
  for (const press of ['Control+End', 'ArrowUp', 'End', 'ArrowLeft']) await page.keyboard.press(press);
  await page.keyboard.insertText(key);
}

test('the GraphQL browser accepts the key, reads the schema and runs a query, without other origins', async () => {
  const watched = await open('/graphiql');
  const { page, complaints } = watched;
  await page.getByText('UNAUTHENTICATED').first().waitFor();
  await enterKey(page, gateway.key);
  // Only answers of the API are read: the editor's workers load files too, and the body of one that has ended is gone.
  const [read] = await Promise.all([
    page.waitForResponse((response) => new URL(response.url()).pathname === '/graphql' && response.ok()),
    page.getByLabel('Re-fetch GraphQL schema').click(),
  ]);
  expect(await read.text()).toContain('"__schema":');

  await page.getByLabel('Execute query').click();
  await page.locator('.result-window').getByText('remainingCreditsThisPeriod').waitFor();
  await page.locator('.result-window').getByText('100').waitFor();

  await page.getByLabel('Show Documentation Explorer').click();
  await page.locator('.graphiql-doc-explorer').getByText('Mutation', { exact: true }).click();
  await page.locator('.graphiql-doc-explorer').getByText('CreateEnhancedImageInput').click();
  await page.locator('.graphiql-doc-explorer').getByText('EnhancedImageEnhancementMode').click();
  await page.locator('.graphiql-doc-explorer').getByText('VIVID').waitFor();

  await expectSelfContained(watched);
  expect(complaints).toEqual([]);
});

test('the GraphQL browser serves a style without compression on request', async () => {
  const plain = await fetch(`${gateway.url}/graphiql/style.css`, { headers: { 'Accept-Encoding': 'identity' } });
  expect([plain.headers.get('content-encoding'), plain.headers.get('content-type')]).toEqual([
    null,
    'text/css; charset=utf-8',
  ]);
});
