import sharp, { type Sharp } from 'sharp';
import { enlargeBilevel } from '../../src/engine/pdf/images/bilevel-smooth.ts';
import { drawPage, pageOrders } from './drawn-pages.ts';
import { readWords, wordErrors } from './judge-page.ts';

/** Resolution of the enlarged pages, pixels an inch */
const ENLARGED = 600;
/** Level of grey that a scanner of one bit divides at */
const THRESHOLD = 130;

export interface BilevelPage {
  name: string;
  /** Word errors of Tesseract, 0 to 1 or more */
  source: number;
  /** The source with each pixel repeated, which has as many pixels as the result of `bilevel: SMOOTH` */
  repeated: number;
  smooth: number;
}

/** Reads drawn pages of one bit as they are, with repeated pixels, and enlarged by `bilevel: SMOOTH`. */
export async function* measureBilevel(): AsyncGenerator<BilevelPage> {
  for (const order of pageOrders()) {
    const { damage, dpi, points } = order;
    if (!['nothing', 'bleed-through'].includes(damage) || dpi < 150 || dpi * points > 2400) continue;
    const { file, name, words } = await drawPage(order);
    const grey = await sharp(file).greyscale().threshold(THRESHOLD).raw().toBuffer({ resolveWithObject: true });
    const { width, height } = grey.info;
    const size = { width: Math.round((width * ENLARGED) / dpi), height: Math.round((height * ENLARGED) / dpi) };
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
      source: await errors(image.clone(), dpi),
      repeated: await errors(image.clone().resize({ ...size, kernel: 'nearest', fit: 'fill' }), ENLARGED),
      smooth: await errors(sharp(smooth, { raw: { ...size, channels: 1 } }), ENLARGED),
    };
  }
}
