import sharp, { type Sharp } from 'sharp';
import { enlargeBilevel } from '../../packages/engine/src/pdf/images/bilevel-smooth.ts';
import { letterHeight } from '../../packages/engine/src/pdf/images/bilevel-text.ts';
import { drawPage, FONTS, pageOrders, type Damage, type PageOrder } from './drawn-pages.ts';
import { readWords, wordErrors } from './judge-page.ts';

/** Resolution of the enlarged pages, pixels an inch */
const ENLARGED = 600;
/** Level of grey that a scanner of one bit divides at */
const THRESHOLD = 130;

export interface BilevelPage {
  name: string;
  words: number;
  /** Median height of its letters, pixels; absent where no lines are found */
  letters: number | undefined;
  /** Word errors of Tesseract, 0 to 1 or more */
  source: number;
  /** The source with each pixel repeated, which has as many pixels as the result of `bilevel: SMOOTH` */
  repeated: number;
  smooth: number;
  /** The page drawn at the resolution of the result */
  fine: number;
}

export interface BilevelOrders {
  dpi: number;
  /** Sizes of letters */
  points: readonly number[];
  /** Absent: pages without damage, and pages with their back showing through */
  damage?: Damage | undefined;
}

/**
 * Reads drawn pages of one bit as they are, with repeated pixels, enlarged by `bilevel: SMOOTH`, and drawn that fine.
 * @param only resolution of pages in each font; absent: 20 pages of 150 to 300 DPI
 */
export async function* measureBilevel(only?: BilevelOrders): AsyncGenerator<BilevelPage> {
  for (const order of only === undefined ? mixedOrders() : ordersAt(only)) {
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
      letters: letterHeight(source),
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

/** Pages of one resolution in all fonts. */
const ordersAt = ({ dpi, points, damage }: BilevelOrders): PageOrder[] =>
  (damage === undefined ? DAMAGES : [damage])
    .flatMap((each) => points.flatMap((size) => FONTS.map((font) => ({ damage: each, points: size, font, dpi }))))
    .map((order, k) => ({ ...order, seed: 2001 + k }));
