import { beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { writeFileSync } from 'node:fs';
import type { EnhancementParameters } from '@burnish/contract/engine';
import { isDict, openPdfDocument } from '@burnish/pdf';
import type { Picture } from '../../src/image/picture.ts';
import { quarterTurned, type QuarterTurns } from '../../src/image/quarter-turn.ts';
import type { ReadWords } from '../../src/pdf/text/page-words.ts';
import { buildPdf } from '../../../pdf/test/build-pdf.ts';
import { scratchFolder } from '../support/files.ts';
import { boxedWords, qpdfComplaint, rendered } from './judges.ts';
import { flateImage } from './pictures.ts';
import { enhancePdf, parametersOf } from './support.ts';

const scratch = await scratchFolder();
/** Pixels of the upright page; a point has two. */
const [WIDTH, HEIGHT] = [800, 600];
const LINES = [
  'Seven gardeners watered the roses behind the station',
  'every morning, although the summer had been rainy.',
  'Their wages, paid on Fridays, were kept in a tin box',
  'that stood between old maps and a broken telephone.',
  'When the key was lost, nobody asked for a new lock;',
  'they simply turned the cupboard round, and waited.',
  'The inspector found the letter, read it twice, and left.',
];
/** A bar in the upper right corner, and the same places in the other corners; points of the upright page. */
const BAR = [370, 13] as const;
const CORNERS: readonly (readonly [number, number])[] = [
  [30, 13],
  [30, 287],
  [370, 287],
];
/** The ink of one word, `Seven`, pixels of the upright page. */
const SEVEN = { left: 60, top: 62, width: 72, height: 22 };

let page: Picture;
let sparse: Picture;
beforeAll(async () => {
  page = await drawn(LINES);
  sparse = await drawn(['Seven gardens']);
});

async function drawn(lines: readonly string[]): Promise<Picture> {
  const text = lines.map((line, row) => `<text x="60" y="${84 + 64 * row}">${line}</text>`).join('');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><rect width="100%" height="100%" fill="#f1ede2"/><g font-size="25" font-family="DejaVu Serif, DejaVu Sans, Noto Sans, serif" fill="#2a2a2a">${text}<rect x="720" y="16" width="40" height="20"/></g></svg>`;
  const data = await sharp(Buffer.from(svg)).removeAlpha().raw().toBuffer();
  return { data: new Uint8Array(data), width: WIDTH, height: HEIGHT, channels: 3, space: 'rgb', hasAlpha: false };
}

interface Given {
  of?: Picture;
  /** By which the scan lies on the page */
  lies?: QuarterTurns;
  rotate?: number;
  mirrored?: boolean;
}

/** A page with a scan, a link and invisible text over its first line. */
function lying({ of = page, lies = 0, rotate = 0, mirrored = false }: Given): Buffer {
  const picture = quarterTurned(of, lies);
  const stored = mirrored ? flopped(picture) : picture;
  const { dict, data } = flateImage({ ...stored, data: Buffer.from(stored.data) });
  const [across, down] = [picture.width / 2, picture.height / 2];
  const matrix = mirrored ? `-${across} 0 0 ${down} ${across} 0` : `${across} 0 0 ${down} 0 0`;
  return buildPdf({
    1: '<</Type/Catalog/Pages 2 0 R>>',
    2: `<</Type/Pages/Kids[3 0 R]/Count 1${rotate === 0 ? '' : `/Rotate ${rotate}`}>>`,
    3: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${across} ${down}]/Contents 4 0 R/Annots[6 0 R]/Resources<</XObject<</Im0 10 0 R>>>>>>`,
    4: { dict: '', data: `q ${matrix} cm /Im0 Do Q` },
    6: '<</Type/Annot/Subtype/Link/Rect[30 31 66 42]/Border[0 0 0]/A<</S/URI/URI(https://example.com)>>>>',
    10: { dict: `/Type/XObject/Subtype/Image ${dict}`, data },
  });
}

function flopped(picture: Picture): Picture {
  const data = picture.data.map((_, at) => {
    const [pixel, c] = [Math.floor(at / 3), at % 3];
    const x = pixel % picture.width;
    return picture.data[(pixel - x + picture.width - 1 - x) * 3 + c]!;
  });
  return { ...picture, data };
}

function pageOf(path: string): { rotate: unknown; rect: unknown } {
  const pdf = openPdfDocument(path);
  try {
    const [found, link] = [pdf.get(3), pdf.get(6)];
    return { rotate: isDict(found) && found.get('Rotate'), rect: isDict(link) && link.get('Rect') };
  } finally {
    pdf.close();
  }
}

const TURNED = { code: 'PAGES_TURNED', pages: { first: [1], count: 1 } };

/** A reader that finds how a page lies, and one word on its upright drawing. */
const readerOf =
  (direction: QuarterTurns): ReadWords =>
  async ({ upright }) =>
    upright || direction === 0 ? [{ text: 'Seven', ...SEVEN }] : { direction };

const TEXT = { targetResolution: 72, customColorConfig: { auto: false }, text: true };

async function enhanced(name: string, bytes: Buffer, order: EnhancementParameters, readWords?: ReadWords) {
  const [inputPath, outputPath] = [scratch(`${name}.pdf`), scratch(`${name}.out.pdf`)];
  writeFileSync(inputPath, bytes);
  const parameters = parametersOf(order);
  const made = await enhancePdf({ inputPath, outputPath, parameters, ...(readWords && { readWords }) });
  return { ...made, outputPath };
}

function expectOnInk(path: string): void {
  const [word] = boxedWords(path) ?? [];
  const wanted = [SEVEN.left, SEVEN.top, SEVEN.left + SEVEN.width, SEVEN.top + SEVEN.height].map((side) => side / 2);
  word?.box.forEach((side, k) => expect(Math.abs(side - wanted[k]!)).toBeLessThan(4));
}

describe('a page on its head or its side', () => {
  test.each([
    { lies: 2, rotate: 0, becomes: 180 },
    { lies: 1, rotate: 0, becomes: 270 },
    { lies: 3, rotate: 0, becomes: 90 },
    { lies: 0, rotate: 180, becomes: 0 },
    { lies: 3, rotate: 270, becomes: 90 },
    { lies: 2, rotate: 0, mirrored: true, becomes: 180 },
  ] as const)('turns upright with all that lies on it: %o', async ({ becomes, ...given }) => {
    const name = JSON.stringify(given).replace(/\W/gu, '');
    const order = { mode: 'DOCUMENT', text: true } as const;
    const direction = (((becomes - given.rotate) / 90 + 4) % 4) as QuarterTurns;
    const made = await enhanced(name, lying(given), order, readerOf(direction));
    expect(made.notes).toEqual([TURNED, { code: 'TEXT_ADDED', pages: 1, of: 1 }]);
    expect([made.turnedPages, made.uncertain, made.enhanced]).toEqual([1, [1], 1]);
    expect(pageOf(made.outputPath)).toEqual({ rotate: becomes, rect: [30, 31, 66, 42] });
    expect(qpdfComplaint(made.outputPath)).toBe('');
    expectOnInk(made.outputPath);
    const shown = rendered(made.outputPath, 144);
    if (shown === undefined) return;
    expect(shown.at(...BAR)[0]).toBeLessThan(80);
    for (const corner of CORNERS) expect(shown.at(...corner)[0]).toBeGreaterThan(240);
  });

  test('stays as it is by order', async () => {
    const order = { mode: 'DOCUMENT', text: true, pages: { 1: 'ORIGINAL' } } as const;
    const made = await enhanced('kept', lying({ lies: 2 }), order, readerOf(2));
    expect([made.turnedPages, made.enhanced, made.textPages]).toEqual([0, 0, 0]);
  });

  test('turns at no charge where its image does not change', async () => {
    const made = await enhanced('free', lying({ lies: 1 }), TEXT, readerOf(3));
    expect(made.notes).toEqual([TURNED, { code: 'TEXT_ADDED', pages: 1, of: 1 }]);
    expect([made.enhanced, made.work]).toEqual([0, { colorOnly: 0, resizeOnly: 0, both: 0 }]);
    expectOnInk(made.outputPath);
  });
});

test('a page whose direction nothing shows keeps it, gets no text, and says so', async () => {
  const made = await enhanced('unknown', lying({ of: sparse, lies: 2 }), TEXT, async () => ({ direction: 'unknown' }));
  const pages = { first: [1], count: 1 };
  expect(made.notes).toEqual([
    { code: 'TEXT_ADDED', pages: 0, of: 1 },
    { code: 'TEXT_NOT_ADDED', pages, because: 'direction' },
    { code: 'NO_IMAGE_CHANGED', because: 'needless' },
  ]);
  expect([made.turnedPages, pageOf(made.outputPath).rotate]).toEqual([0, undefined]);
});

test.each([1, 2, 3] as const)(
  'a page that lies by %d quarter turns turns by its letters alone, without text',
  async (lies) => {
    const made = await enhanced(`letters-${lies}`, lying({ lies }), { mode: 'DOCUMENT' });
    expect(made.notes).toEqual([TURNED]);
    expect([made.turnedPages, pageOf(made.outputPath).rotate]).toEqual([1, 360 - 90 * lies]);
  },
);
