import sharp from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { findComponents } from '../../src/image/document/marks.ts';
import type { CleanSurface } from '../../src/image/document/few-colours.ts';
import { paintTwoTones } from '../../src/image/document/two-tones.ts';
import type { Picture } from '../../src/image/picture.ts';
import { previewPdfImage } from '../../src/pdf/analyze/preview-image.ts';
import { drawnPage, PAGE_HEIGHT, PAGE_WIDTH } from '../support/drawn-page.ts';
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

  test.each([
    ['one mark is pale', async () => withPatch(await twoTonePage(), [187, 187, 187]), 300],
    ['one mark is red', async () => withPatch(await twoTonePage(), [200, 20, 20]), 300],
    ['a stroke is of pencil', () => drawnPage(PENCIL, '#000000'), 300],
    ['a ground is grey', () => drawnPage('<rect x="70" y="340" width="200" height="90" fill="#aaa"/>', '#000000'), 300],
    ['edges are soft at a low resolution', () => drawnPage('', '#000000'), 150],
  ] as const)('keeps its greys where %s', async (_, draw, dpi) => {
    const page = await draw();
    const before = page.data.slice();
    expect([paintTwoTones(page, dpi, NO_CONTENT), page.data]).toEqual([false, before]);
  });

  test('has no greys of soft edges at 200 DPI, and keeps each mark', async () => {
    const page = await drawnPage(STROKES, '#000000');
    const toned = inTwoTones(page, 200);
    expect(new Set(toned.data)).toEqual(new Set([expect.any(Number), 255]));
    const marks = findComponents(page.width, page.height, (at) => page.data[3 * at]! < 200);
    const kept = new Set(
      [...marks.rows.keys()].flatMap((run) => {
        const row = marks.rows[run]! * page.width;
        const isKept = toned.data
          .subarray(3 * (row + marks.starts[run]!), 3 * (row + marks.ends[run]!))
          .some((s) => s < 255);
        return isKept ? [marks.component[run]!] : [];
      }),
    );
    expect(kept.size).toBe(marks.count);
  });

  test('takes no longer at a resolution that a file claims', async () => {
    const page = await drawnPage(STROKES, '#000000');
    expect(inTwoTones(page, 1e9)).toEqual(inTwoTones(page, 600));
  });

  test('keeps the greys of a picture', async () => {
    const page = await drawnPage(STROKES, '#000000');
    const pictures = Uint8Array.from({ length: PAGE_WIDTH * PAGE_HEIGHT }, (_, at) => (at > 150_000 ? 1 : 0));
    expect(paintTwoTones(page, 300, { ...NO_CONTENT, content: { ...NO_CONTENT.content, pictures } })).toBe(false);
  });
});

/** A copy of a page, painted. */
function inTwoTones(page: Picture, dpi: number): Picture {
  const copy = { ...page, data: page.data.slice() };
  expect(paintTwoTones(copy, dpi, NO_CONTENT)).toBe(true);
  return copy;
}

const PENCIL = '<g fill="none" stroke="#777" stroke-width="4"><path d="M80 350q40 60 90 0t90 20t90 -10"/></g>';

/** The surface of a page without pictures and tints, in blocks of a pixel. */
const NO_CONTENT: CleanSurface = {
  width: PAGE_WIDTH,
  height: PAGE_HEIGHT,
  content: {
    block: 1,
    across: PAGE_WIDTH,
    pictures: new Uint8Array(PAGE_WIDTH * PAGE_HEIGHT),
    tinted: new Uint8Array(PAGE_WIDTH * PAGE_HEIGHT),
    share: 0,
  },
};

function withPatch(page: Picture, colour: readonly number[]): Picture {
  const data = Uint8Array.from(page.data);
  for (let y = 5; y < 25; y += 1) for (let x = 5; x < 25; x += 1) data.set(colour, 3 * (y * page.width + x));
  return { ...page, data };
}
