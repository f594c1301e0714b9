import { describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { pagesOfResult } from '@burnish/contract';
import { walkPages } from '@burnish/pdf';
import { buildPdf } from '../../packages/pdf/test/build-pdf.ts';
import { openBytes } from '../../packages/pdf/test/open-bytes.ts';
import { flateImage, scan } from '../../packages/engine/test/pdf/pictures.ts';
import { drawnSpread } from '../../packages/engine/test/support/drawn-spread.ts';
import { asSharp } from '../../packages/engine/test/support/files.ts';
import { useForFile } from '../support/use-for.ts';
import { type Answer, callRest, estimateOne, orderOne, startService } from './service.ts';

const service = useForFile(() => startService());
const [WIDTH, HEIGHT] = [620, 440];

const rest = (path: string, body?: object): Promise<Answer> => callRest(service, path, body);

/** A spread, an ordinary page, and another spread. */
async function book(): Promise<Buffer> {
  const drawn = await asSharp(await drawnSpread({ left: 1.2, right: -0.8 }))
    .resize(WIDTH, HEIGHT)
    .raw()
    .toBuffer();
  const spread = flateImage({ data: drawn, width: WIDTH, height: HEIGHT, channels: 3 });
  const page = (width: number, height: number, number: number): string =>
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Contents ${number} 0 R/Resources<</XObject<</Im ${number + 10} 0 R>>>>>>`;
  const draw = (width: number, height: number) => ({ dict: '', data: `q ${width} 0 0 ${height} 0 0 cm /Im Do Q` });
  const image = ({ dict, data }: { dict: string; data: Buffer }) => ({
    dict: `/Type/XObject/Subtype/Image ${dict}`,
    data,
  });
  return buildPdf({
    1: '<</Type/Catalog/Pages 2 0 R>>',
    2: '<</Type/Pages/Kids[3 0 R 4 0 R 5 0 R]/Count 3>>',
    3: page(WIDTH, HEIGHT, 6),
    4: page(350, 495, 7),
    5: page(WIDTH, HEIGHT, 8),
    6: draw(WIDTH, HEIGHT),
    7: draw(350, 495),
    8: draw(WIDTH, HEIGHT),
    16: image(spread),
    17: image(flateImage(scan(350, 495))),
    18: image(spread),
  });
}

describe('an order that splits spreads', () => {
  test('gives their pages in REST and in GraphQL, and pages keep their numbers', async () => {
    service.files.set('book.pdf', await book());
    const { id } = await rest('/v1/uploads', { source: { url: `${service.filesUrl}/book.pdf` } });
    await service.uploaded(id);
    const [whole, split] = [{ mode: 'DOCUMENT' }, { mode: 'DOCUMENT', pdf: { split: true } }];
    const price = async (order: object): Promise<number> => (await estimateOne(service, id, order)).credits;
    expect(await price(split)).toBe(await price(whole));

    const { id: first } = await orderOne(service, id, split);
    await service.enhanced(first);
    const record = await rest(`/v1/enhancements/${first}`);
    expect(record).toMatchObject({ status: 'FINISHED', parameters: split, engine: { splitPages: [1, 3] } });
    expect(record.engine.notes).toContainEqual(expect.stringContaining('2 pages of 3 are two pages each'));
    const bytes = Buffer.from(await (await fetch(record.fullUrl)).arrayBuffer());
    const pdf = openBytes(bytes);
    const widths = [...walkPages(pdf)].map(({ dict }) => {
      const [left, , right] = dict.get('MediaBox') as number[];
      return right! - left!;
    });
    expect(widths.map((width) => width < WIDTH / 1.5)).toEqual([true, true, true, true, true]);
    expect(widths[pagesOfResult({ split: record.engine.splitPages }, 2)[0]! - 1]).toBe(350);

    // Pages are compared by the number of the original, and a split page is shown whole.
    const { items } = await rest(`/v1/enhancements/${first}/pdf-pages`);
    expect(items.map(({ page }: Answer) => page)).toEqual([1, 2, 3]);
    for (const [page, width, height] of [
      [1, 320, 227],
      [2, 226, 320],
      [3, 320, 227],
    ] as const) {
      const address = `/v1/enhancements/${first}/pdf-pages/${page}/preview?width=320`;
      const response = await fetch(service.instance.url + address, {
        headers: { 'x-api-key': service.instance.apiKey },
      });
      const shown = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
      expect([page, shown.width, shown.height]).toEqual([page, width, height]);
    }

    // A second order that keeps a page has paid for the others.
    const mutation = `mutation ($id: ID!, $input: CreateEnhancedImageInput!) {
      createEnhancedImage(uploadId: $id, input: $input) { id }
    }`;
    const kept = { mode: 'DOCUMENT', pdf: { split: true, pages: { 1: 'ORIGINAL' } } };
    const { createEnhancedImage } = await service.send(mutation, { id, input: kept });
    await service.enhanced(createEnhancedImage.id);
    const query =
      'query ($id: ID!) { enhancedImage(id: $id) { chargedCredits engine { splitPages } parameters { pdf { split } } } }';
    expect(await service.send(query, { id: createEnhancedImage.id })).toEqual({
      enhancedImage: { chargedCredits: 0, engine: { splitPages: [3] }, parameters: { pdf: { split: true } } },
    });
  });
});
