import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { type Instance, type InstanceOptions, startInstance } from '../../../test/e2e/instance.ts';
import { type AccountOptions, sharedInstance, type SharedInstance } from '../../../test/e2e/shared-instance.ts';
import { startChromium } from '../../../test/support/chromium.ts';
import { poll } from '../../../test/support/poll.ts';

/** The widths that a page is looked at with, in pixels: a small phone, and a desk. */
export const WIDTHS = { narrow: 360, wide: 1280 } as const;
const HEIGHT = 900;
/** A page that has not got there by then, in milliseconds, will not. */
const PATIENCE_MS = 15_000;

export interface OpenOptions {
  /** Whether the browser is signed in with the first key. Default: yes */
  signedIn?: boolean;
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
  /** A device without a mouse */
  hasTouch?: boolean;
  /** Console errors and refused requests that the test is about, by a piece of their text */
  expecting?: readonly RegExp[];
}

/** What serves the pages: a running instance, or a gateway alone. */
export type Served = Pick<SharedInstance, 'url' | 'apiKey'> & AsyncDisposable;

export interface DashboardTests<T extends Served> {
  /** The instance behind the pages, once the tests run: `api`, `apiKey`, `url`, `dataDir` */
  readonly instance: T;
  readonly browser: Browser;
  /** A page in a browser of its own (cookies are its own), at an address such as `/keys`. */
  open(path: string, options?: OpenOptions): Promise<Page>;
}

/** The built dashboard of an account on the shared instance, and one browser, for a test file. */
export const useDashboard = (account: AccountOptions = {}): DashboardTests<SharedInstance> =>
  usePages(() => sharedInstance({ plan: 'BUSINESS', ...account }));

/** The same on an instance of the file's own, with its first account. */
export const useOwnDashboard = (options: InstanceOptions = {}): DashboardTests<Instance> =>
  usePages(() =>
    startInstance({
      ...options,
      env: { BURNISH_ALLOWED_PRIVATE_HOSTS: '127.0.0.1', BURNISH_PLAN: 'BUSINESS', ...options.env },
    }),
  );

/**
 * After each test its pages are closed, and the test fails when one of them said an error on its console, threw one, or broke
 * the content security policy.
 */
export function usePages<T extends Served>(start: () => Promise<T>): DashboardTests<T> {
  let instance: T;
  let browser: Browser;
  let cookies: Awaited<ReturnType<BrowserContext['cookies']>> = [];
  let contexts: BrowserContext[] = [];
  let troubles: string[] = [];

  beforeAll(async () => {
    instance = await start();
    browser = await startChromium();
    cookies = await signedInCookies();
  });

  afterEach(async () => {
    const said = troubles;
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
    troubles = [];
    expect(said).toEqual([]);
  });

  afterAll(async () => {
    await browser?.close();
    await instance?.[Symbol.asyncDispose]();
  });

  async function signedInCookies(): Promise<typeof cookies> {
    const context = await browser.newContext();
    const response = await context.request.post(`${instance.url}/session`, { data: { apiKey: instance.apiKey } });
    expect(response.status()).toBe(201);
    const made = await context.cookies();
    await context.close();
    return made;
  }

  return {
    get instance() {
      return instance;
    },
    get browser() {
      return browser;
    },
    async open(
      path,
      {
        signedIn = true,
        width = WIDTHS.wide,
        height = HEIGHT,
        colorScheme = 'light',
        hasTouch = false,
        expecting = [],
      } = {},
    ) {
      const context = await browser.newContext({
        baseURL: instance.url,
        viewport: { width, height },
        colorScheme,
        hasTouch,
        reducedMotion: 'reduce',
        locale: 'en-GB',
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      contexts.push(context);
      context.setDefaultTimeout(PATIENCE_MS);
      if (signedIn) await context.addCookies(cookies);
      const page = await context.newPage();
      const note = (text: string): void => {
        if (!expecting.some((pattern) => pattern.test(text))) troubles.push(text);
      };
      page.on('console', (message) => {
        // A broken policy is an error on the console too.
        if (message.type() === 'error') note(`${message.text()} (${message.location().url})`);
      });
      page.on('pageerror', (error) => note(`threw: ${error.message}`));
      page.on('request', (request) => {
        const { origin, protocol } = new URL(request.url());
        if (origin !== instance.url && !['blob:', 'data:'].includes(protocol))
          note(`asked elsewhere: ${request.url()}`);
      });
      await page.goto(path);
      return page;
    },
  };
}

/** Expects the focus on the page's heading, where who reads the page goes on. */
export async function expectFocusOnHeading(page: Page): Promise<void> {
  const heading = page.getByRole('heading', { level: 1 });
  await poll(() => heading.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
}

/** The looks that axe judges. Its rules cost most of a test, and each scheme and each width is in one of them. */
const LOOKS = [
  { colorScheme: 'light', name: 'wide' },
  { colorScheme: 'dark', name: 'narrow' },
] as const;

/** Expects that axe finds nothing serious, in a wide light page or a narrow dark one, and that nothing sticks out of the page. */
export async function expectAccessible(page: Page): Promise<void> {
  const { width, height } = page.viewportSize()!;
  await page.evaluate(axe.source);
  for (const { colorScheme, name } of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: WIDTHS[name], height });
    expect({ colorScheme, name, found: await findings(page) }).toEqual({ colorScheme, name, found: [] });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width, height });
}

/** What the browser has and Node.js does not. */
interface InPage {
  axe: Pick<typeof axe, 'run'>;
  document: {
    documentElement: { scrollWidth: number; clientWidth: number };
    getAnimations(): { finished: Promise<unknown> }[];
  };
  requestAnimationFrame(callback: () => void): void;
}

async function findings(page: Page): Promise<string[]> {
  return await page.evaluate(async () => {
    const { axe, document, requestAnimationFrame } = globalThis as unknown as InPage;
    // Another scheme is drawn first, and colours that glide have arrived.
    await new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
    const root = document.documentElement;
    const sticksOut = root.scrollWidth > root.clientWidth ? [`${root.scrollWidth} px wide in ${root.clientWidth}`] : [];
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)
      .concat(sticksOut);
  });
}
