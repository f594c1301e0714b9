import sharp from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { isDrawing } from '../../src/image/steps/drawing.ts';
import type { Picture } from '../../src/image/picture.ts';
import { resample } from '../../src/image/filters/resample.ts';
import { asSharp, flat } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';
import { withNoise } from '../support/measure.ts';
import { randomNumbers, syntheticPhotograph } from '../support/photograph.ts';

/** A page with lines of strokes as thick and as dense as letters, which no font is needed for. */
async function page(width: number, height: number, ink: string, paper: string): Promise<Picture> {
  const random = randomNumbers(4);
  const strokes: string[] = [];
  for (let y = 20; y < height - 20; y += 16) {
    for (let x = 20; x < width - 20; x += 6 + random() * 4) {
      const [toX, toY] = [x + (random() - 0.5) * 8, y + (random() < 0.7 ? 9 : 2)];
      strokes.push(`<path d="M${x} ${y}L${toX} ${toY}" stroke="${ink}" stroke-width="1.6"/>`);
    }
  }
  const size = `width="${width}" height="${height}"`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${size}><rect ${size} fill="${paper}"/>${strokes.join('')}</svg>`;
  return readRgb(await sharp(Buffer.from(svg)).removeAlpha().toColourspace('srgb').png().toBuffer());
}

describe('the detection of drawings', () => {
  test('accepts a page of text of any colours, size, grain and compression', async () => {
    const paper = await page(480, 360, '#111', '#fff');
    const pages = [
      paper,
      resample(paper, 240, 180),
      resample(paper, 960, 720),
      await page(480, 360, '#eee', '#223'),
      withNoise(await page(480, 360, '#222', '#e8e4d8'), 3),
      await readRgb(await asSharp(paper).jpeg({ quality: 75 }).toBuffer()),
    ];
    expect(pages.map(isDrawing)).toEqual(pages.map(() => true));
  });

  test('rejects a photograph, however clean or small, and any image without edges', async () => {
    const photograph = syntheticPhotograph(480, 360);
    const pictures = [
      photograph,
      resample(photograph, 240, 180),
      withNoise(photograph, 8),
      await readRgb(await asSharp(photograph).jpeg({ quality: 40 }).toBuffer()),
      flat(100, 100, [250, 250, 250]),
      flat(1, 1, [0, 0, 0]),
    ];
    expect(pictures.map(isDrawing)).toEqual(pictures.map(() => false));
  });
});
