import { describe, expect, test } from '@jest/globals';
import { cleanPage } from '../../src/image/document/clean-page.ts';
import { lumaAt } from '../../src/image/luma.ts';
import type { Picture } from '../../src/image/picture.ts';
import { drawnPage, lit, whiteShare } from '../support/drawn-page.ts';
import { asSharp, pixel } from '../support/files.ts';
import { withNoise } from '../support/measure.ts';
import { readRgb } from '../support/read-rgb.ts';

/** A page as a scanner stores it: even light, noise and a JPEG that has colours at half the size. */
async function scanned(page: Picture, tint: readonly [number, number, number] = [1, 1, 1]): Promise<Picture> {
  const noisy = withNoise(
    lit(page, () => 0.97, [...tint]),
    1.5,
  );
  return await readRgb(await asSharp(noisy).jpeg({ quality: 80 }).toBuffer());
}

/** Mean colour of the pixels of a box that are drawn in a clean page: darker than 200 in a channel. */
function meanOfStrokes(clean: Picture, result: Picture, box: readonly [number, number, number, number]): number[] {
  const sums = [0, 0, 0, 0];
  for (let y = box[1]; y < box[3]; y += 1) {
    for (let x = box[0]; x < box[2]; x += 1) {
      if (Math.min(...pixel(clean, x, y)) > 200) continue;
      pixel(result, x, y).forEach((level, c) => (sums[c]! += level));
      sums[3]! += 1;
    }
  }
  return sums.slice(0, 3).map((sum) => sum / sums[3]!);
}

/** Lines of a pen below the print of the page: loops with stems. */
const penned = (colour: string, width: number): string =>
  Array.from({ length: 4 }, (_, line) => {
    const loops = Array.from({ length: 19 }, (__, k) => `q 6 ${k % 4 === 0 ? -24 : -16} 12 0 t 12 0`).join(' ');
    const start = `M72 ${345 + 30 * line}`;
    return `<path d="${start} ${loops}" fill="none" stroke="${colour}" stroke-width="${width}"/>`;
  }).join('');
const PRINT = [70, 40, 530, 300] as const;
const PENNED = [70, 330, 530, 445] as const;
const BROWN = [0.82, 0.75, 0.6] as const;
const YELLOWED = [0.9, 0.88, 0.8] as const;

describe('coloured strokes', () => {
  test('of a pale blue pen on brown paper become as dark as grey ones, and stay blue', async () => {
    const inkOf = async (pen: string): Promise<number[]> => {
      const page = await drawnPage(penned(pen, 1.6), '#a8a8a8');
      const { picture } = cleanPage(await scanned(page, BROWN));
      return meanOfStrokes(page, picture, PENNED);
    };
    const [blue, grey] = await Promise.all([inkOf('#8fb4e4'), inkOf('#b2b2b2')]);
    expect(Math.abs(lumaAt(blue, 0, 3) - lumaAt(grey, 0, 3))).toBeLessThan(12);
    expect(blue[2]! - blue[0]!).toBeGreaterThan(25);
  });

  test.each<[string, string, (red: number, green: number, blue: number) => number]>([
    ['a red stamp', '#c98a8c', (red, green, blue) => red - Math.max(green, blue)],
    ['violet lines', '#6f6488', (red, green, blue) => blue - Math.max(red, green)],
    ['dark green rules', '#4f7a62', (red, green, blue) => green - Math.max(red, blue)],
  ])('of %s keep their hue beside brown ink', async (_, colour, hue) => {
    const page = await drawnPage(penned(colour, 2.6), '#4a3c30');
    const { picture } = cleanPage(await scanned(page, YELLOWED));
    const [red, green, blue] = meanOfStrokes(page, picture, PENNED) as [number, number, number];
    expect(hue(red, green, blue)).toBeGreaterThan(13);
    const print = meanOfStrokes(page, picture, PRINT);
    expect(Math.max(...print) - Math.min(...print)).toBeLessThan(2);
    expect(whiteShare(page, picture)).toBeGreaterThan(0.995);
  });

  test('of pale brown ink become darker, and stay brown', async () => {
    const page = await drawnPage('', '#a88862', '#f4f0e6');
    const { picture } = cleanPage(await scanned(page));
    const [red, , blue] = meanOfStrokes(page, picture, PRINT);
    expect(red).toBeLessThan(135);
    expect(red! - blue!).toBeGreaterThan(30);
  });

  test('of dark red keep their saturation where the black of the page is grey', async () => {
    const page = await drawnPage(penned('#b03038', 4), '#303030');
    const { picture } = cleanPage(await scanned(page));
    const [red, green] = meanOfStrokes(page, picture, PENNED);
    const [redBefore, greenBefore] = meanOfStrokes(page, page, PENNED);
    expect(Math.abs(green! / red! - greenBefore! / redBefore!)).toBeLessThan(0.05);
  });
});
