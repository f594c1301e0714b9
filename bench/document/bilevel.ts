import sharp, { type Sharp } from 'sharp';
import { enlargeBilevel } from '../../src/engine/pdf/images/bilevel-smooth.ts';
import { drawPage, FONTS, pageOrders, type PageOrder } from './drawn-pages.ts';
import { readWords, wordErrors } from './judge-page.ts';

/** Resolution of the enlarged pages, pixels an inch */
const ENLARGED = 600;
/** Level of grey that a scanner of one bit divides at */
const THRESHOLD = 130;

export interface BilevelPage {
  name: string;
  words: number;
  /** Word errors of Tesseract, 0 to 1 or more */
  source: number;
  /** The source with each pixel repeated, which has as many pixels as the result of `bilevel: SMOOTH` */
  repeated: number;
  smooth: number;
  /** The page drawn at the resolution of the result */
  fine: number;
}

/**
 * Reads drawn pages of one bit as they are, with repeated pixels, enlarged by `bilevel: SMOOTH`, and drawn that fine.
 * @param dpi resolution of pages in each font; absent: 20 pages of 150 to 300 DPI
 */
export async function* measureBilevel(dpi?: number): AsyncGenerator<BilevelPage> {
  for (const order of dpi === undefined ? mixedOrders() : ordersAt(dpi)) {
    const { file, name, words } = await drawPage(order);
    const grey = await toOneBit(file).raw().toBuffer({ resolveWithObject: true });
    const { width, height } = grey.info;
    const [across, down] = [width, height].map((side) => Math.round((side * ENLARGED) / order.dpi));
    const size = { width: across!, height: down! };
    const fine = await drawPage({ ...order, dpi: ENLARGED });
    const image = sharp(grey.data, { raw: { width, height, channels: 1 } });
    const source = {
      data: Uint8Array.from(grey.data),
      width,
      height,
      channels: 1,
      space: 'grey',
      hasAlpha: false,
    } as const;
    const smooth = Buffer.from(enlargeBilevel(source, size.width, size.height).data);
    const errors = async (page: Sharp, at: number): Promise<number> =>
      wordErrors(words, await readWords(await page.png({ compressionLevel: 1 }).toBuffer(), at));
    yield {
      name,
      words: words.length,
      source: await errors(image.clone(), order.dpi),
      repeated: await errors(image.clone().resize({ ...size, kernel: 'nearest', fit: 'fill' }), ENLARGED),
      smooth: await errors(sharp(smooth, { raw: { ...size, channels: 1 } }), ENLARGED),
      fine: await errors(toOneBit(fine.file), ENLARGED),
    };
  }
}

const toOneBit = (file: Buffer): Sharp => sharp(file).greyscale().threshold(THRESHOLD);

const DAMAGES = ['nothing', 'bleed-through'] as const;

const mixedOrders = (): PageOrder[] =>
  pageOrders().filter(
    ({ damage, dpi, points }) => DAMAGES.some((each) => each === damage) && dpi >= 150 && dpi * points <= 2400,
  );

/** Pages of one resolution in all fonts, of 6 to 10 points. */
const ordersAt = (dpi: number): PageOrder[] =>
  DAMAGES.flatMap((damage) => [6, 8, 10].flatMap((points) => FONTS.map((font) => ({ damage, points, font, dpi })))).map(
    (order, k) => ({ ...order, seed: 2001 + k }),
  );
