import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startChromium } from '../../support/chromium.ts';
import { poll } from '../../support/poll.ts';
import { testGateway } from '../support/gateway.ts';
import { storedUpload } from '../support/records.ts';
import type { TestGateway } from '../support/gateway.ts';

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

async function open(width = 1280, colorScheme: 'light' | 'dark' = 'light'): Promise<Watched> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const [asked, complaints]: [string[], string[]] = [[], []];
  page.on('request', (request) => void asked.push(request.url()));
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => console.error('CSP', event.violatedDirective))`,
  );
  await page.goto(`${gateway.url}/docs`);
  await page.locator('#operations-Credits-getCredits').waitFor();
  return { page, asked, complaints };
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
    watched = await open();
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
    const { page, asked, complaints } = watched;
    expect(asked.filter((url) => !url.startsWith(gateway.url) && !url.startsWith('data:'))).toEqual([]);
    expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain(gateway.key);
  });
});

test('the API reference follows the theme of the browser, and an open operation fits a phone', async () => {
  const { page } = await open(360, 'dark');
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

test('the API reference may run only our scripts and cannot be framed', async () => {
  const { headers } = await fetch(`${gateway.url}/docs`);
  const policy = headers.get('content-security-policy')!;
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("style-src 'self';");
  expect(policy).toContain("frame-ancestors 'none'");
  const { page, complaints } = await open();
  const ran = await page.evaluate(`(() => {
    const script = document.createElement('script');
    script.textContent = 'window.injected = true';
    document.body.append(script);
    return 'injected' in window;
  })()`);
  expect([ran, complaints.join()]).toEqual([false, expect.stringContaining('Content Security Policy')]);
});

test('the script of the API reference is compressed, has an ETag and includes its licences', async () => {
  const response = await fetch(`${gateway.url}/docs/swagger-ui-bundle.js`);
  expect(response.headers.get('content-encoding')).toBe('gzip');
  const [etag, text] = [response.headers.get('etag')!, await response.text()];
  expect(text).toContain('swagger-ui-bundle.js.LICENSE.txt');
  const headers = { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' };
  expect((await fetch(`${gateway.url}/docs/swagger-ui-bundle.js`, { headers })).status).toBe(304);
  expect(await (await fetch(`${gateway.url}/docs/swagger-ui-bundle.js.LICENSE.txt`)).text()).toContain('MIT');
});
