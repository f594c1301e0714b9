import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startChromium } from '../../support/chromium.ts';
import { testGateway } from '../support/gateway.ts';
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

async function open(): Promise<Watched> {
  const page = await browser.newPage();
  const [asked, complaints]: [string[], string[]] = [[], []];
  page.on('request', (request) => void asked.push(request.url()));
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('console', (message) => {
    // The schema is asked for before there is a key.
    if (message.type() === 'error' && !message.text().includes('401')) complaints.push(message.text());
  });
  await page.goto(`${gateway.url}/graphiql`);
  return { page, asked, complaints };
}

/** Puts the key between the quotes that the page offers for it. */
async function enterKey(page: Page, key: string): Promise<void> {
  await page.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden) .view-lines').click();
  for (const press of ['Control+End', 'ArrowUp', 'End', 'ArrowLeft']) await page.keyboard.press(press);
  await page.keyboard.insertText(key);
}

test('the GraphQL browser accepts the key, reads the schema and runs a query, without other origins', async () => {
  const { page, asked, complaints } = await open();
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

  expect(asked.filter((url) => !url.startsWith(gateway.url) && !url.startsWith('data:'))).toEqual([]);
  expect(complaints).toEqual([]);
  // The key is gone with the page.
  expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain(gateway.key);
});

test('the GraphQL browser may run only our scripts and cannot be framed', async () => {
  const { headers } = await fetch(`${gateway.url}/graphiql`);
  const policy = headers.get('content-security-policy')!;
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
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

test('assets of the GraphQL browser are compressed and have an ETag', async () => {
  const response = await fetch(`${gateway.url}/graphiql/graphiql.js`);
  expect(response.headers.get('content-encoding')).toBe('gzip');
  const [etag, text] = [response.headers.get('etag')!, await response.text()];
  expect(text.length).toBeGreaterThan(1_000_000);
  const headers = { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' };
  expect((await fetch(`${gateway.url}/graphiql/graphiql.js`, { headers })).status).toBe(304);
  const plain = await fetch(`${gateway.url}/graphiql/style.css`, { headers: { 'Accept-Encoding': 'identity' } });
  expect([plain.headers.get('content-encoding'), plain.headers.get('content-type')]).toEqual([
    null,
    'text/css; charset=utf-8',
  ]);
});
