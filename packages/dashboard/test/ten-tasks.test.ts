import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Burnish, type Batch, type UsageDay } from '@burnish/client';
import { pdfWithPhoto, photo, picture } from '../../../test/e2e/files.ts';
import { webhookReceiver } from '../../../test/e2e/webhook-receiver.ts';
import { poll } from '../../../test/support/poll.ts';
import { unzip } from '../../../test/support/unzip.ts';
import { until } from '../../../test/support/until.ts';
import { useForFile } from '../../../test/support/use-for.ts';
import { cardOf, orderOf, WORK, type DroppedFile } from './drop-files.ts';
import { expectAccessible, useDashboard } from './harness.ts';
import { BY_KEYS, BY_MOUSE, BY_TOUCH, type Way } from './ways-to-act.ts';

const tests = useDashboard();
const receiver = useForFile(() => webhookReceiver());
let files: DroppedFile[];

/** Numbers of the files that a person sends, by kind. */
const COUNTS = { jpeg: 31, png: 3, webp: 2, pdf: 3, damaged: 1 } as const;
const SENT = Object.values(COUNTS).reduce((sum, count) => sum + count, 0);
const IMAGES = COUNTS.jpeg + COUNTS.png + COUNTS.webp;

beforeAll(async () => {
  const numbered = (count: number, each: (number: number) => Promise<DroppedFile>): Promise<DroppedFile[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => each(index + 1)));
  const whole = await photo(99);
  files = [
    ...(await numbered(COUNTS.jpeg, async (n) => ({
      name: `photo-${n}.jpg`,
      mimeType: 'image/jpeg',
      buffer: await photo(n),
    }))),
    ...(await numbered(COUNTS.png, async (n) => ({
      name: `drawing-${n}.png`,
      mimeType: 'image/png',
      buffer: await picture(200, 150, { seed: 200 + n })
        .png()
        .toBuffer(),
    }))),
    ...(await numbered(COUNTS.webp, async (n) => ({
      name: `shop-${n}.webp`,
      mimeType: 'image/webp',
      buffer: await picture(400, 300, { seed: 300 + n })
        .webp({ quality: 95 })
        .toBuffer(),
    }))),
    ...(await numbered(COUNTS.pdf, async (n) => ({
      name: `page-${n}.pdf`,
      mimeType: 'application/pdf',
      buffer: await pdfWithPhoto(480, 360, n),
    }))),
    { name: 'damaged.jpg', mimeType: 'image/jpeg', buffer: whole.subarray(0, whole.length * 0.6) },
  ];
  expect(files).toHaveLength(SENT);
});

interface Device {
  name: string;
  way: Way;
  width: number;
  height: number;
  hasTouch: boolean;
}

const DEVICES: Device[] = [
  { name: 'a mouse', way: BY_MOUSE, width: 1280, height: 800, hasTouch: false },
  { name: 'keys alone', way: BY_KEYS, width: 1280, height: 800, hasTouch: false },
  { name: 'a finger on a phone', way: BY_TOUCH, width: 390, height: 844, hasTouch: true },
];

describe.each(DEVICES)('with $name, a person', ({ way, ...device }) => {
  const { name: _name, ...options } = device;
  const client = (): Burnish => new Burnish({ baseUrl: tests.instance.url, apiKey: tests.instance.apiKey });
  const noOverflow = async (page: Page): Promise<void> =>
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(device.width);

  test('sends forty mixed files, tries, chooses, orders once, mends the failed one, compares, and downloads a ZIP', async () => {
    const page = await tests.open('/', options);
    await way.chooseFiles(page, files);
    await cardOf(page, 'photo-1.jpg').getByText('Ready to enhance').waitFor({ timeout: 240_000 });
    // All PDFs have their price, and all images are there.
    await orderOf(page)
      .getByRole('button', { name: `Enhance ${IMAGES + COUNTS.pdf} files` })
      .waitFor({ timeout: 120_000 });

    // The trial: a better picture is chosen, and the order has its settings.
    await way.press(page.getByRole('button', { name: 'Try settings on photo-1.jpg' }));
    const trial = page.getByRole('dialog', { name: 'Try photo-1.jpg' });
    const better = trial.getByRole('group', { name: 'The better picture' }).getByRole('radio', { name: 'Vivid' });
    await better.waitFor(WORK);
    await way.choose(better);
    await way.press(trial.getByRole('button', { name: 'Use the chosen settings' }));
    const settings = page.getByRole('form', { name: 'Settings for images' });
    await poll(() => settings.getByRole('radio', { name: 'Vivid' }).isChecked()).toBe(true);
    await way.choose(settings.getByRole('radio', { name: '2×' }));

    // One order.
    const createdAfter = new Date().toISOString();
    await way.press(orderOf(page).getByRole('button', { name: `Enhance ${IMAGES + COUNTS.pdf} files` }));
    await orderOf(page).waitFor({ state: 'detached', timeout: 120_000 });
    await noOverflow(page);

    // The failed one is named above the others. It goes, and the same picture, saved again, takes its place.
    const trouble = page.getByRole('status').filter({ hasText: '1 file needs you' });
    await way.press(trouble.getByRole('link', { name: 'damaged.jpg' }));
    const failed = cardOf(page, 'damaged.jpg');
    await failed.getByText('Open the file in another program, save it again, and send the new file.').waitFor();
    // Cards above grow while their results come.
    await poll(async () => {
      const { top, bottom } = await failed.evaluate((card) => (card as unknown as Boxed).getBoundingClientRect());
      return top < device.height && bottom > 0 ? 'in view' : `${top} to ${bottom}`;
    }).toBe('in view');
    await way.press(failed.getByRole('button', { name: 'Remove damaged.jpg from this page' }));
    await trouble.waitFor({ state: 'detached' });
    await way.chooseFiles(page, [{ name: 'mended.jpg', mimeType: 'image/jpeg', buffer: await photo(99) }]);
    await cardOf(page, 'mended.jpg').getByText('Ready to enhance').waitFor(WORK);
    // Forty results lie between the first keys and the order.
    if (way === BY_KEYS) await way.press(page.getByRole('link', { name: 'Skip to the order' }));
    await way.press(orderOf(page).getByRole('button', { name: 'Enhance 1 image' }));
    await cardOf(page, 'mended.jpg').getByText('Finished', { exact: true }).waitFor({ timeout: 240_000 });
    await until(
      async () => (await client().credits()).reservedCreditsThisPeriod,
      (reserved) => reserved === 0,
      { withinMs: 240_000 },
    );
    const finished: string[] = [];
    for await (const { status, id } of client().enhancements.list({ createdAfter }))
      if (status === 'FINISHED') finished.push(id);
    expect(finished).toHaveLength(IMAGES + COUNTS.pdf + 1);

    // Before and after at 100 %.
    await way.press(cardOf(page, 'mended.jpg').getByRole('link', { name: 'mended.jpg' }));
    await page.getByRole('heading', { level: 1, name: 'mended.jpg' }).waitFor();
    await way.press(page.getByRole('button', { name: '100 %' }));
    await poll(() => page.getByRole('img', { name: 'mended.jpg, after' }).evaluate(shownWidth), WORK).toBe(800);

    // The newest results as one ZIP.
    await way.press(page.getByRole('link', { name: 'All uploads' }));
    await page.getByRole('heading', { level: 1, name: 'Uploads' }).waitFor();
    await page.getByRole('checkbox', { name: 'Select mended.jpg' }).first().waitFor();
    const tiles = await page.locator('.tile-name').evaluateAll((all) => all.map((each) => each.getAttribute('title')!));
    const chosen = tiles.filter((name) => name !== 'damaged.jpg').slice(0, 2);
    expect(chosen[0]).toBe('mended.jpg');
    await select(page, way, chosen);
    const bar = page.getByRole('region', { name: 'Selection' });
    await bar.getByText('2 selected').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      way.press(bar.getByRole('link', { name: 'Download' })),
    ]);
    const zip = unzip(await readFile(await download.path()));
    expect(Object.keys(zip).toSorted()).toEqual(chosen.toSorted());
    await noOverflow(page);
  }, 900_000);

  test('approves a batch after a look at its samples', async () => {
    const { batches, uploads } = client();
    const reference = `autumn, ${device.name}`;
    const { id } = await batches.create({ enhancements: [{ mode: 'VIVID' }], samples: 1, reference });
    const seeds = [401, 402, 403];
    for (const seed of seeds) {
      const { id: uploadId } = await uploads.create(await photo(seed), { filename: `${seed}.jpg` });
      await batches.add(id, [{ uploadId, key: `${seed}.jpg` }]);
    }
    await batches.close(id);
    const reaches = (status: Batch['status']): Promise<Batch> =>
      until(
        () => batches.get(id),
        (batch) => batch.status === status,
        { pauseMs: 500, withinMs: 120_000 },
      );
    await reaches('APPROVAL_NEEDED');

    const page = await tests.open('/', options);
    await goTo(page, way, 'Batches');
    await way.press(page.getByRole('link', { name: reference }));
    const samples = page.getByRole('region', { name: 'Samples' });
    await way.press(samples.getByRole('button', { name: /^Compare .* before and after$/ }));
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('slider').waitFor(WORK);
    await way.press(dialog.getByRole('button', { name: 'Close' }));
    await way.press(page.getByRole('button', { name: /^Approve 2 files for/ }));
    await page.locator('.page-header .badge').getByText('Finished').waitFor({ timeout: 120_000 });
    expect((await reaches('FINISHED')).counts).toMatchObject({ finished: 3, failed: 0 });
    await noOverflow(page);
  }, 300_000);

  test('reads the use of a month by day and by key', async () => {
    const page = await tests.open('/', options);
    await goTo(page, way, 'Credits');
    const usage = page.getByRole('region', { name: 'Last 31 days' });
    const { body } = await tests.instance.api.get<{ items: UsageDay[] }>('/v1/usage');
    const total = (figure: 'finished' | 'credits'): string =>
      body.items.reduce((sum, day) => sum + day[figure], 0).toLocaleString('en-US');
    await usage.getByText(`${total('finished')} in all`).waitFor();
    await way.choose(usage.getByRole('radio', { name: 'Credits' }));
    await usage.getByText(`${total('credits')} in all`).waitFor();
    const keys = usage.getByRole('table', { name: /^Usage by API key/ });
    await keys.getByRole('row', { name: /^First key/ }).waitFor();
    await way.press(usage.getByText('Figures of each day'));
    await poll(() =>
      usage
        .getByRole('table', { name: /^Usage by day/ })
        .getByRole('row')
        .count(),
    ).toBe(body.items.length + 1);
    await expectAccessible(page);
  }, 120_000);

  test('replays a webhook', async () => {
    const { api } = tests.instance;
    const { body: webhook } = await api.call<{ id: string }>('POST', '/v1/webhooks', { body: { url: receiver.url } });
    const before = receiver.deliveries.length;
    await api.call('POST', `/v1/webhooks/${webhook.id}/test`);
    await poll(() => receiver.deliveries.length, { timeout: 30_000 }).toBe(before + 1);
    const page = await tests.open('/', options);
    await goTo(page, way, 'Webhooks');
    const log = page.getByRole('region', { name: 'Delivery log' });
    const row = log.getByRole('listitem').filter({ hasText: 'webhook.test' }).first();
    await row.getByText('Delivered').waitFor(WORK);
    await way.press(row.locator('summary'));
    await way.press(row.getByRole('button', { name: 'Send again' }));
    await poll(() => receiver.deliveries.length, { timeout: 30_000 }).toBe(before + 2);
    expect(receiver.deliveries.at(-1)!.event.id).toBe(receiver.deliveries.at(-2)!.event.id);
    await noOverflow(page);
    await client().webhooks.delete(webhook.id);
  }, 120_000);
});

/** Opens a page from the menu, which a phone hides. */
async function goTo(page: Page, way: Way, name: string): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  if (await menu.isVisible()) await way.press(menu);
  await way.press(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }));
}

interface Boxed {
  getBoundingClientRect(): { top: number; bottom: number; width: number };
}

/** The width at which a picture is drawn, CSS pixels. */
const shownWidth = (image: unknown): number => Math.round((image as Boxed).getBoundingClientRect().width);

/** Selects uploads in the gallery. Keys move from tile to tile by arrows, since the Tab key reaches one tile alone. */
async function select(page: Page, way: Way, names: readonly string[]): Promise<void> {
  if (way !== BY_KEYS) {
    for (const name of names) await way.choose(page.getByRole('checkbox', { name: `Select ${name}` }).first());
    return;
  }
  await page.keyboard.press('Tab');
  const active = (): Promise<string | null> =>
    page.evaluate<string | null>(
      'document.activeElement.closest("[data-id] ")?.querySelector(".tile-name").title ?? null',
    );
  for (let keys = 0; (await active()) === null && keys < 40; keys += 1) await page.keyboard.press('Tab');
  for (const name of names) {
    for (let keys = 0; (await active()) !== name && keys < 60; keys += 1) await page.keyboard.press('ArrowRight');
    expect(await active()).toBe(name);
    await page.keyboard.press('Space');
  }
}
