import sharp from 'sharp';
import { expect, test } from '@jest/globals';
import { cleanPage } from '../../src/image/document/clean-page.ts';
import type { Picture } from '../../src/image/picture.ts';
import { lit, PAGE_HEIGHT, PAGE_WIDTH } from '../support/drawn-page.ts';
import { copyOf } from '../support/measure.ts';
import { readRgb } from '../support/read-rgb.ts';

/** Pixels from a line of print to the next. */
const LINE = 24;

/** Lines of dense print: bars like letters, which leave little paper between them. */
async function densePrint(ink: string): Promise<Picture> {
  const letters = Array.from({ length: 14 * 36 }, (_, k) => {
    const [line, column] = [Math.floor(k / 36), k % 36];
    if ((column * 7 + line * 3) % 9 === 0) return '';
    const tall = (column * 5 + line) % 4 === 0 ? 4 : 0;
    return `<rect x="${84 + column * 12}" y="${60 + line * LINE - tall}" width="7" height="${13 + tall}"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${PAGE_WIDTH}" height="${PAGE_HEIGHT}"><rect width="100%" height="100%" fill="#ffffff"/><g fill="${ink}">${letters.join('')}</g></svg>`;
  return readRgb(await sharp(Buffer.from(svg)).removeAlpha().blur(0.8).png().toBuffer());
}

/** A page as its back shows it: mirrored, blurred by the paper, and between the lines of the front. */
async function shownBack({ data }: Picture): Promise<Picture> {
  const raw = { raw: { width: PAGE_WIDTH, height: PAGE_HEIGHT, channels: 3 } } as const;
  const mirrored = await sharp(data, raw).flop().png().toBuffer();
  const shifted = await sharp(mirrored)
    .extract({ left: 0, top: 0, width: PAGE_WIDTH, height: PAGE_HEIGHT - LINE / 2 })
    .extend({ top: LINE / 2, background: '#ffffff' })
    .png()
    .toBuffer();
  return readRgb(await sharp(shifted).blur(2).png().toBuffer());
}

/** Share of the darkest pixels of the front that are black in a result. */
function blackShare(front: Picture, { data }: Picture): number {
  let [ink, black] = [0, 0];
  for (let at = 0; at < front.data.length; at += 3) {
    if (front.data[at]! > 70) continue;
    ink += 1;
    if (Math.max(data[at]!, data[at + 1]!, data[at + 2]!) <= 40) black += 1;
  }
  return black / ink;
}

test('dense print on yellowed paper is as black where its back shows through as elsewhere', async () => {
  const front = await densePrint('#383838');
  const back = await shownBack(front);
  const both = copyOf(front);
  for (let at = 0; at < both.data.length; at += 1)
    both.data[at] = both.data[at]! * (1 - 0.5 * (1 - back.data[at]! / 255));
  const yellowed = lit(both, () => 0.97, [1, 0.93, 0.77]);
  const { picture } = cleanPage(yellowed);
  expect(blackShare(front, picture)).toBeGreaterThan(0.97);
});
