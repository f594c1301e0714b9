import type { Page } from 'playwright-core';
import { describe, test } from '@jest/globals';
import { buildPdf } from '../../pdf/test/build-pdf.ts';
import { scannedPage } from '../../../test/e2e/files.ts';
import { poll } from '../../../test/support/poll.ts';
import { cardOf, dropFiles, orderOf, WORK } from './drop-files.ts';
import { expectAccessible, useDashboard } from './harness.ts';

const tests = useDashboard();

const scanOf = (data: Buffer) => ({
  dict: '/Type/XObject/Subtype/Image/Width 700/Height 500/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode',
  data,
});

/** Pages 2 and 4 of four are blank. The others show a scan, or a line of text. */
async function withBlankPages(shown: 'scan' | 'text'): Promise<Buffer> {
  const sheet = (contents: number, image: number) =>
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 700 500]/Contents ${contents} 0 R/Resources<</XObject<</Im ${image} 0 R>>/Font<</F 9 0 R>>>>>>`;
  const scan = { dict: '', data: 'q 700 0 0 500 0 0 cm /Im Do Q' };
  const text = { dict: '', data: 'BT /F 20 Tf 60 400 Td (Minutes of the meeting) Tj ET' };
  return buildPdf({
    1: '<</Type/Catalog/Pages 2 0 R>>',
    2: '<</Type/Pages/Kids[3 0 R 4 0 R 5 0 R 6 0 R]/Count 4>>',
    3: sheet(7, 10),
    4: sheet(8, 10),
    5: sheet(7, 11),
    6: sheet(8, 11),
    7: shown === 'scan' ? scan : text,
    8: { dict: '', data: '' },
    9: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    10: scanOf(await scannedPage('#f2ead4')),
    11: scanOf(await scannedPage('#ece6da')),
  });
}

/** Sends a PDF, drops its blank pages and orders it. */
async function orderWithout(name: string, buffer: Buffer, pages: readonly number[]): Promise<Page> {
  const page = await tests.open('/');
  await dropFiles(page, [{ name, mimeType: 'application/pdf', buffer }]);
  const card = cardOf(page, name);
  await card.getByText('Blank pages', { exact: true }).click(WORK);
  for (const each of pages) await card.getByRole('checkbox', { name: `Drop page ${each}` }).check();
  await expectAccessible(page);
  await orderOf(page).getByRole('button', { name: 'Enhance 1 PDF' }).click(WORK);
  return page;
}

/** Opens the newest upload of an account. */
async function openNewest(): Promise<Page> {
  const { body } = await tests.instance.api.get<{ items: { id: string }[] }>('/v1/uploads');
  return await tests.open(`/uploads/${body.items[0]!.id}`);
}

describe('blank pages of a PDF', () => {
  test('are proposed with pictures, approved, and named by the result', async () => {
    await orderWithout('letters.pdf', await withBlankPages('scan'), [2, 4]);
    const page = await openNewest();
    const approve = page.getByRole('button', { name: /^Approve/ });
    await approve.waitFor(WORK);
    const list = page.getByRole('list', { name: 'Pages that the result leaves out' });
    await poll(() => list.getByRole('listitem').allInnerTexts()).toEqual(['Page 2', 'Page 4']);
    await expectAccessible(page);
    await approve.click();
    const headings = page.getByRole('list', { name: 'Enhanced pages and images' }).getByRole('heading');
    await poll(() => headings.allInnerTexts(), WORK).toEqual(['Page 1', 'Page 3, now 2']);
    await page.getByText('Changes', { exact: true }).click();
    await page.getByText('The result is without 2 pages of 4, as approved: 2, 4.').waitFor();
  });

  test('are left out of a PDF whose images do not change, and the result does not count as unchanged', async () => {
    await orderWithout('minutes.pdf', await withBlankPages('text'), [4]);
    const page = await openNewest();
    await page.getByRole('button', { name: /^Approve/ }).click(WORK);
    await page.getByText('No image of this PDF needed a change. See the other changes below.').waitFor(WORK);
  });
});
