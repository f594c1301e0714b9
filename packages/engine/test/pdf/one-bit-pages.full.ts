import sharp from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { findComponents } from '../../src/image/document/marks.ts';
import { inTwoTones } from '../../src/image/document/two-tones.ts';
import type { Picture } from '../../src/image/picture.ts';
import { previewPdfImage } from '../../src/pdf/analyze/preview-image.ts';
import { drawnPage } from '../support/drawn-page.ts';
import { asSharp, scratchFolder } from '../support/files.ts';
import { buildPdf, onePage } from '../../../pdf/test/build-pdf.ts';
import { dictOf } from './doubled.ts';
import { imageByPoppler, qpdfComplaint } from './judges.ts';
import { enhanceBytes, parametersOf, samplesOf } from './support.ts';

const scratch = await scratchFolder();

/** A page without greys, as a scanner in black and white makes it. */
async function twoTonePage(more = ''): Promise<Picture> {
  const page = await drawnPage(more, '#000000');
  return { ...page, data: Uint8Array.from(page.data, (sample) => (sample < 128 ? 0 : 255)) };
}

/** The page on grey paper, stored without loss. */
async function scanOf(page: Picture, colours: 'Gray' | 'RGB'): Promise<Buffer> {
  const { width, height } = page;
  const grey = { ...page, data: page.data.map((sample) => (sample === 0 ? 40 : 228)) };
  const data = await asSharp(grey)
    .toColourspace(colours === 'Gray' ? 'b-w' : 'srgb')
    .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
    .toBuffer();
  const dict = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/Device${colours}/BitsPerComponent 8/Filter/DCTDecode`;
  return buildPdf(
    onePage('q 300 0 0 240 0 0 cm /Im0 Do Q', '', {
      3: '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 240]/Contents 4 0 R/Resources<</XObject<</Im0 10 0 R>>>>>>',
      10: { dict, data },
    }),
  );
}

/** Draws strokes like handwriting below the lines, each of another shape, and a full stop apart from them. */
const STROKES = `<g fill="none" stroke="#000" stroke-width="2">${Array.from({ length: 120 }, (_, k) => {
  const [x, y] = [70 + (k % 24) * 19, 340 + Math.floor(k / 24) * 24];
  const bend = (part: number): number => Math.round(9 * Math.sin(k * k * part));
  return `<path d="M${x} ${y}q${bend(0.37)} ${bend(0.73)} ${bend(1.19)} 9t${bend(2.3)} ${bend(3.1)}"/>`;
}).join('')}</g><circle cx="560" cy="400" r="1.5"/>`;

const marksOf = ({ data, width, height, channels }: Picture): number =>
  findComponents(width, height, (at) => data[at * channels]! < 128).count;

describe('A clean page of two tones', () => {
  test.each(['Gray', 'RGB'] as const)(
    'is stored in one bit a pixel, with each mark at its place: %s',
    async (colours) => {
      const page = await twoTonePage(STROKES);
      const result = await enhanceBytes(
        await scanOf(page, colours),
        scratch(colours),
        parametersOf({ mode: 'DOCUMENT' }),
      );
      expect(dictOf(result.outputPath)).toMatchObject({ filter: 'JBIG2Decode', bits: 1 });
      expect(qpdfComplaint(result.outputPath)).toBe('');
      const after = await samplesOf(result.outputPath);
      const black = after.data.filter((_, at) => at % after.channels === 0).map((sample) => (sample < 128 ? 1 : 0));
      expect(
        Buffer.from(black).equals(Buffer.from(page.data.filter((_, at) => at % 3 === 0).map((s) => (s === 0 ? 1 : 0)))),
      ).toBe(true);
      expect(marksOf(after)).toBe(marksOf(page));
      const preview = scratch(`${colours}.webp`);
      await previewPdfImage({ inputPath: result.outputPath, outputPath: preview, number: 10, side: null });
      const shown = await sharp(preview).toColourspace('b-w').raw().toBuffer();
      const wrong = shown.filter((level, at) => level < 128 !== (black[at] === 1)).length;
      expect(wrong).toBeLessThan(0.001 * shown.length);
      const drawn = imageByPoppler(result.outputPath);
      if (drawn === undefined) return;
      const levels = await sharp(drawn).toColourspace('b-w').raw().toBuffer();
      expect(levels.every((level, at) => level < 128 === (black[at] === 1))).toBe(true);
    },
  );

  test('keeps its greys where one mark is pale, or where letters have soft edges', async () => {
    const page = await twoTonePage();
    expect(inTwoTones(page)).toBeDefined();
    const pale = { ...page, data: Uint8Array.from(page.data) };
    for (const place of [5, 6, 605, 606]) pale.data.fill(187, 3 * place, 3 * place + 3);
    expect(inTwoTones(pale)).toBeUndefined();
    expect(inTwoTones(await drawnPage('', '#000000'))).toBeUndefined();
    const red = { ...page, data: Uint8Array.from(page.data) };
    red.data.set([200, 20, 20], 3 * 5000);
    expect(inTwoTones(red)).toBeUndefined();
  });
});
