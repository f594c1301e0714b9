import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from '@jest/globals';
import { buildPdf, onePage } from '../../pdf/test/build-pdf.ts';
import { flateImage, jpegImage, logo, photograph } from '../../engine/test/pdf/pictures.ts';
import type { Api } from '../../../test/e2e/api.ts';
import { pdfWithPhoto, scannedPage } from '../../../test/e2e/files.ts';
import { drawnPage } from '../../engine/test/support/drawn-page.ts';
import { drawnSpread } from '../../engine/test/support/drawn-spread.ts';
import { asSharp } from '../../engine/test/support/files.ts';
import { cardOf, dividerOf, dropFiles, orderOf, WORK } from './drop-files.ts';
import { expectAccessible, useDashboard, WIDTHS } from './harness.ts';
import { poll } from '../../../test/support/poll.ts';

const tests = useDashboard();
const pdfFile = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/pdf', buffer });

/** One page with two photographs at 72 pixels an inch. */
async function twoImages(): Promise<Buffer> {
  const image = ({ dict, data }: { dict: string; data: Buffer }) => ({
    dict: `/Type/XObject/Subtype/Image ${dict}`,
    data,
  });
  const draws = 'q 160 0 0 120 50 50 cm /A Do Q q 160 0 0 120 50 250 cm /B Do Q';
  return buildPdf(
    onePage(draws, '/XObject<</A 10 0 R/B 11 0 R>>', {
      10: image(await jpegImage(photograph(160, 120, 3, 4))),
      11: image(flateImage(photograph(160, 120, 3, 9))),
    }),
  );
}

/** One page with a dull photograph and a logo, both at 300 pixels an inch. */
async function photographAndLogo(): Promise<Buffer> {
  const size = '115.2 0 0 86.4';
  const xObject = ({ dict, data }: { dict: string; data: Buffer }) => ({
    dict: `/Type/XObject/Subtype/Image ${dict}`,
    data,
  });
  return buildPdf(
    onePage(`q ${size} 50 50 cm /A Do Q q ${size} 50 250 cm /B Do Q`, '/XObject<</A 10 0 R/B 11 0 R>>', {
      10: xObject(await jpegImage(photograph(480, 360, 3, 4))),
      11: xObject(flateImage(logo(480, 360))),
    }),
  );
}

const scanOf = (data: Buffer, width: number, height: number) => ({
  dict: `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode`,
  data,
});

/** A skewed page of 464 × 364 pixels whose letters reach its edges, so that a turn would cut them off. */
async function cutPage(): Promise<Buffer> {
  return await asSharp(await drawnPage('', '#303030', '#f0ead8'))
    .extract({ left: 68, top: 42, width: 464, height: 364 })
    .rotate(3, { background: '#f0ead8' })
    .extract({ left: 13, top: 12, width: 464, height: 364 })
    .jpeg({ quality: 92 })
    .toBuffer();
}

/** @returns the id of the newest upload of this name */
async function newestUpload({ get }: Api, name: string): Promise<string> {
  const { body } = await get<{ items: { id: string; originalFilename: string }[] }>('/v1/uploads');
  return body.items.find(({ originalFilename }) => originalFilename === name)!.id;
}

/** Another program orders an enhancement of the newest upload of this name, with a review of its price. @returns its upload's id */
async function orderForApproval(api: Api, name: string): Promise<string> {
  const id = await newestUpload(api, name);
  const answer = await api.call('POST', `/v1/uploads/${id}/enhancements`, {
    body: { enhancements: [{ maxCredits: 0 }] },
  });
  expect(answer).toMatchObject({ status: 202 });
  return id;
}

/** Orders the only PDF of the page once its price is this one. */
async function orderPdf(page: Page, price: string): Promise<void> {
  await orderOf(page).getByText(price, { exact: true }).waitFor(WORK);
  await orderOf(page).getByRole('button', { name: 'Enhance 1 PDF' }).click();
}

describe('a PDF in the dashboard', () => {
  test('lists its images, shows its price before the order, and shows each page and image before and after', async () => {
    const page = await tests.open('/');
    await dropFiles(page, [pdfFile('brochure.pdf', await twoImages())]);
    const card = cardOf(page, 'brochure.pdf');
    await card.getByText('The PDF has 1 page with 2 images.').waitFor(WORK);
    await poll(() => card.getByRole('definition').allInnerTexts()).toEqual(['1', '2', '2', '2']);
    await poll(() => card.innerText()).toContain('With the usual settings this costs 8 credits.');
    await expectAccessible(page);

    await card.getByRole('slider', { name: 'Target resolution' }).fill('144');
    const { used } = await tests.instance.api.credits();
    await orderOf(page).getByText('8 credits', { exact: true }).waitFor(WORK);
    expect((await tests.instance.api.credits()).used).toBe(used);
    await orderPdf(page, '8 credits');
    await dividerOf(card).waitFor(WORK);
    expect((await tests.instance.api.credits()).used).toBe(used + 8);
    // The whole page comes first, with an outline around each enhanced image.
    const widthOf = (name: string) => () =>
      card
        .getByRole('img', { name })
        .evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)
        .catch(() => 0);
    for (const name of ['Page 1, before', 'Page 1, after']) await poll(widthOf(name), WORK).toBeGreaterThan(1000);
    await poll(() => card.locator('.compare-area').count()).toBe(2);
    const choices = card.getByRole('list', { name: 'Enhanced pages and images' }).getByRole('button');
    await poll(() => choices.count()).toBe(3);
    await poll(() => choices.first().getAttribute('aria-pressed')).toBe('true');
    await expectAccessible(page);
    await poll(() => choices.nth(1).innerText()).toContain('160 × 120 → 320 × 240');
    await choices.last().click();
    await poll(() => choices.last().getAttribute('aria-pressed')).toBe('true');
    await poll(widthOf('Image on page 1, after'), WORK).toBe(320);
    await choices.first().click();
    await poll(widthOf('Page 1, after'), WORK).toBeGreaterThan(1000);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      card.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect((await readFile(await download.path())).subarray(0, 5).toString()).toBe('%PDF-');
  });

  test('shows another price at once after a change of settings', async () => {
    const page = await tests.open('/');
    await dropFiles(page, [pdfFile('flyer.pdf', await pdfWithPhoto(480, 360, 5))]);
    const card = cardOf(page, 'flyer.pdf');
    await orderOf(page).getByText('4 credits', { exact: true }).waitFor(WORK);
    await card.getByRole('slider', { name: 'Target resolution' }).fill('72');
    await orderOf(page).getByText('At most 1 credit', { exact: true }).waitFor(WORK);
  });

  test('shows the kind of each image with its reason, and lets a person choose the colours of each', async () => {
    const page = await tests.open('/', { width: WIDTHS.narrow });
    await dropFiles(page, [pdfFile('kinds.pdf', await photographAndLogo())]);
    const card = cardOf(page, 'kinds.pdf');
    await orderOf(page).getByText('At most 1 credit', { exact: true }).waitFor(WORK);
    await card.getByText('Colours of single images').click();
    const photo = card.getByRole('checkbox', {
      name: /^Balance image 10 on page 1.*it counts as a photograph because /,
    });
    const chart = card.getByRole('checkbox', {
      name: /^Balance image 11 on page 1.*it counts as a chart because /,
    });
    await photo.waitFor(WORK);
    await poll(() => photo.isChecked()).toBe(true);
    await poll(() => chart.isChecked()).toBe(false);
    await expectAccessible(page);

    await photo.uncheck();
    await orderOf(page).getByText('0 credits', { exact: true }).waitFor(WORK);
    await chart.check();
    await orderPdf(page, 'At most 1 credit');
    await card.getByRole('link', { name: 'Download' }).waitFor(WORK);
    const { enhancements } = await tests.instance.api.settled(await newestUpload(tests.instance.api, 'kinds.pdf'));
    expect(enhancements.map(({ parameters }) => parameters)).toEqual([
      expect.objectContaining({ pdf: { images: { 10: { color: false }, 11: { color: true } } } }),
    ]);
  });

  test('of scanned pages is cleaned by itself, which words say, and a page can stay as it is', async () => {
    const sheet = (contents: number, image: number) =>
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 400]/Contents ${contents} 0 R/Resources<</XObject<</Im ${image} 0 R>>>>>>`;
    const content = { dict: '', data: 'q 600 0 0 400 0 0 cm /Im Do Q' };
    const file = buildPdf({
      1: '<</Type/Catalog/Pages 2 0 R>>',
      2: '<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>',
      3: sheet(5, 10),
      4: sheet(6, 11),
      5: content,
      6: content,
      10: scanOf(await scannedPage('#f2ead4'), 700, 500),
      11: scanOf(await scannedPage('#ece6da'), 700, 500),
    });
    const { api } = tests.instance;
    const start = await tests.open('/', { width: WIDTHS.narrow });
    await dropFiles(start, [pdfFile('letters.pdf', file)]);
    await orderPdf(start, 'At most 2 credits');
    await cardOf(start, 'letters.pdf').getByRole('link', { name: 'Download' }).waitFor(WORK);
    const id = await newestUpload(api, 'letters.pdf');
    const [first] = (await api.settled(id)).enhancements;
    expect(first).toMatchObject({ chargedCredits: 2, basedOn: null });
    const { used } = await api.credits();

    const page = await tests.open(`/uploads/${id}`);
    await page.getByText('Keep original pages').click(WORK);
    const button = page.getByRole('button', { name: /^New version/ });
    await poll(() => button.isDisabled()).toBe(true);
    await page.getByRole('checkbox', { name: 'Keep the original page 2' }).check();
    await page.getByRole('button', { name: 'New version for 0 credits', exact: true }).waitFor(WORK);
    await expectAccessible(page);
    await button.click();
    await page.getByText('paid before, no charge').waitFor(WORK);
    await page.getByRole('heading', { name: /1 original page kept/ }).waitFor();
    const [, second] = (await api.settled(id)).enhancements;
    expect(second).toMatchObject({
      parameters: { pdf: { pages: { 2: 'ORIGINAL' } } },
      chargedCredits: 0,
      basedOn: first!.id,
    });
    expect((await api.credits()).used).toBe(used);
    await page.goto(new URL('/credits', page.url()).href);
    await page.getByText(`letters.pdf, 0 credits charged: pages of ${first!.id} are paid`).waitFor(WORK);
  });

  test('splits the scan of an open book, compares it whole, and names its new pages', async () => {
    const drawn = asSharp(await drawnSpread({ left: 1.2, right: -0.8 })).resize(620, 440);
    const data = await drawn.jpeg({ quality: 92 }).toBuffer();
    const sheet = (contents: number, image: number, width: number, height: number) =>
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Contents ${contents} 0 R/Resources<</XObject<</Im ${image} 0 R>>>>>>`;
    const content = (width: number, height: number) => ({ dict: '', data: `q ${width} 0 0 ${height} 0 0 cm /Im Do Q` });
    const file = buildPdf({
      1: '<</Type/Catalog/Pages 2 0 R>>',
      2: '<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>',
      3: sheet(5, 10, 620, 440),
      4: sheet(6, 11, 600, 428),
      5: content(620, 440),
      6: content(600, 428),
      10: scanOf(data, 620, 440),
      11: scanOf(await scannedPage(), 700, 500),
    });
    const { api } = tests.instance;
    const start = await tests.open('/');
    await dropFiles(start, [pdfFile('book.pdf', file)]);
    const card = cardOf(start, 'book.pdf');
    await card.getByRole('checkbox', { name: /^Split double pages/ }).check(WORK);
    await orderPdf(start, 'At most 2 credits');
    await card.getByRole('link', { name: 'Download' }).waitFor(WORK);
    const id = await newestUpload(api, 'book.pdf');
    expect((await api.settled(id)).enhancements).toMatchObject([
      { parameters: { mode: 'DOCUMENT', pdf: { split: true } }, engine: { splitPages: [1] } },
    ]);
    const page = await tests.open(`/uploads/${id}`);
    const headings = page.getByRole('list', { name: 'Enhanced pages and images' }).getByRole('heading');
    await poll(() => headings.allInnerTexts(), WORK).toEqual(['Page 1, now 1 and 2', 'Page 2, now 3']);
    await page.getByRole('img', { name: 'Page 1, after' }).waitFor(WORK);
    await expectAccessible(page);
  });

  test('lists the pages first that deserve a look', async () => {
    const sheet = (contents: number, image: number, height: number) =>
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 ${height}]/Contents ${contents} 0 R/Resources<</XObject<</Im ${image} 0 R>>>>>>`;
    const content = (height: number) => ({ dict: '', data: `q 600 0 0 ${height} 0 0 cm /Im Do Q` });
    const file = buildPdf({
      1: '<</Type/Catalog/Pages 2 0 R>>',
      2: '<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>',
      3: sheet(5, 10, 428),
      4: sheet(6, 11, 471),
      5: content(428),
      6: content(471),
      10: scanOf(await scannedPage(), 700, 500),
      11: scanOf(await cutPage(), 464, 364),
    });
    const { api } = tests.instance;
    const start = await tests.open('/');
    await dropFiles(start, [pdfFile('skewed.pdf', file)]);
    await orderPdf(start, 'At most 2 credits');
    await cardOf(start, 'skewed.pdf').getByRole('link', { name: 'Download' }).waitFor(WORK);
    const id = await newestUpload(api, 'skewed.pdf');
    expect((await api.settled(id)).enhancements[0]!.engine!.uncertainPages).toEqual([2]);

    const page = await tests.open(`/uploads/${id}`);
    const headings = page.getByRole('list', { name: 'Enhanced pages and images' }).getByRole('heading');
    await poll(() => headings.allInnerTexts(), WORK).toEqual(['Page 1', 'Page 2, uncertain']);
    const sort = page.getByRole('checkbox', { name: 'Uncertain pages first' });
    await sort.focus();
    await page.keyboard.press('Space');
    await poll(() => headings.allInnerTexts()).toEqual(['Page 2, uncertain', 'Page 1']);
    await page.getByRole('img', { name: 'Page 2, before' }).waitFor(WORK);
    await expectAccessible(page);
    await sort.uncheck();
    await poll(() => headings.allInnerTexts()).toEqual(['Page 1', 'Page 2, uncertain']);
  });

  test('with a rejected price costs nothing, and can be enhanced again with other settings', async () => {
    const start = await tests.open('/', { width: WIDTHS.narrow });
    await dropFiles(start, [pdfFile('report.pdf', await pdfWithPhoto(480, 360, 4))]);
    await orderOf(start).getByText('4 credits', { exact: true }).waitFor(WORK);
    const id = await orderForApproval(tests.instance.api, 'report.pdf');
    const page = await tests.open(`/uploads/${id}`, { width: WIDTHS.narrow });
    await page.getByRole('button', { name: 'Reject' }).click(WORK);
    await page.getByText('The enhancement was rejected, so nothing was charged.', { exact: true }).waitFor(WORK);
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Enhance again' }).click();
    await page.getByRole('checkbox', { name: /Balance light and colour/ }).uncheck();
    await page.getByText('Fine adjustments').click();
    await page.getByRole('slider', { name: 'Warmth' }).fill('0.2');
    await page.getByRole('button', { name: /^Enhance for/ }).click(WORK);
    await page.getByText('Finished', { exact: true }).waitFor(WORK);
  });

  test('that is damaged shows the remedy', async () => {
    const page = await tests.open('/');
    await dropFiles(page, [
      pdfFile('damaged.pdf', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(30_000, 'x')])),
    ]);
    const said = cardOf(page, 'damaged.pdf').getByRole('alert');
    await said.waitFor(WORK);
    await poll(() => said.innerText()).toContain('Save the file as a PDF again.');
    await expectAccessible(page);
  });
});
