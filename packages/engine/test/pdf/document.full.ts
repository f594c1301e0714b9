import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { PageImageReason, PdfNote, EnhancementParameters } from '@burnish/contract/engine';
import type { Picture } from '../../src/image/picture.ts';
import { makePlan } from '../../src/pdf/analyze/plan.ts';
import { countWork, listWork } from '../../src/pdf/analyze/work.ts';
import { isStream, openPdfDocument } from '@burnish/pdf';
import { expectSize } from '../../src/pdf/enhance/expected-size.ts';
import { drawnPage, lit, PAGE_HEIGHT, PAGE_WIDTH, whiteShare } from '../support/drawn-page.ts';
import { asSharp, pixel, scratchFolder } from '../support/files.ts';
import { withNoise } from '../support/measure.ts';
import { readRgb } from '../support/read-rgb.ts';
import { buildPdf, onePage, type BuiltObject, type Objects } from '../../../pdf/test/build-pdf.ts';
import { dictOf } from './doubled.ts';
import { qpdfComplaint } from './judges.ts';
import { flateImage, photograph } from './pictures.ts';
import { analyzeBytes, describeInWords, enhanceBytes, HEIGHT, parametersOf, samplesOf, WIDTH } from './support.ts';

const scratch = await scratchFolder();
const STAMP = '<circle cx="120" cy="390" r="40" fill="none" stroke="#c81e28" stroke-width="8"/>';
const NOTHING = { colorOnly: 0, resizeOnly: 0, both: 0 };
const CLEAN = parametersOf({ mode: 'DOCUMENT' });

const shaded = (page: Picture): Picture => lit(page, (u, v) => 0.95 - 0.3 * u - 0.15 * v);

async function jpeg(picture: Picture, quality = 85, more = ''): Promise<BuiltObject> {
  const { width, height, channels } = picture;
  const [space, colours] = channels === 1 ? ['b-w', 'Gray'] : ['srgb', 'RGB'];
  const dict = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/Device${colours}/BitsPerComponent 8/Filter/DCTDecode${more}`;
  return { dict, data: await asSharp(picture).toColourspace(space).jpeg({ quality }).toBuffer() };
}

const flate = (picture: Picture, more = ''): BuiltObject => {
  const { dict, data } = flateImage({ ...picture, data: Buffer.from(picture.data) }, more);
  return { dict: `/Type/XObject/Subtype/Image ${dict}`, data };
};

/** The page with a photograph in its lower part. */
async function withPhotograph(page: Picture): Promise<Picture> {
  const { data, width, height } = photograph(180, 100);
  const input = await sharp(data, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
  return readRgb(
    await asSharp(page)
      .composite([{ input, left: 210, top: 340 }])
      .png()
      .toBuffer(),
  );
}

const TEXT = 'BT /F1 12 Tf 3 Tr 36 200 Td (Words that a reader finds) Tj ET';

/** A scan that fills a page of 300 × 240 points at 144 DPI, with a text layer, a link, and a photograph of 72 DPI on the next page. */
function scannedPdf(scan: BuiltObject, more: Objects = {}): Buffer {
  const photo = flateImage(photograph(WIDTH, HEIGHT));
  return buildPdf({
    1: '<</Type/Catalog/Pages 2 0 R>>',
    2: '<</Type/Pages/Kids[3 0 R 6 0 R]/Count 2>>',
    3: '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 240]/Contents 4 0 R/Annots[5 0 R]/Resources<</XObject<</Im0 10 0 R>>/Font<</F1 8 0 R>>>>>>',
    4: { dict: '', data: `q 300 0 0 240 0 0 cm /Im0 Do Q ${TEXT}` },
    5: '<</Type/Annot/Subtype/Link/Rect[36 195 120 210]/Border[0 0 0]/A<</S/URI/URI(https://example.org/)>>>>',
    6: '<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 400]/Contents 7 0 R/Resources<</XObject<</Im1 11 0 R>>>>>>',
    7: { dict: '', data: `q ${WIDTH} 0 0 ${HEIGHT} 20 20 cm /Im1 Do Q` },
    8: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    10: scan,
    11: { dict: `/Type/XObject/Subtype/Image ${photo.dict}`, data: photo.data },
    ...more,
  });
}

/** The note on pages whose images stay as they are. */
function keptPages(because: PageImageReason, first: number[], count = first.length): PdfNote {
  return { code: 'PAGES_NOT_CLEANED', pages: { first, count }, enlarged: false, because };
}

/** The note on the small picture of `scannedPdf`. */
const SMALL = keptPages('PHOTOGRAPH', [2]);

const clean = (name: string, bytes: Buffer, given: EnhancementParameters = {}) =>
  enhanceBytes(bytes, scratch(name), parametersOf({ mode: 'DOCUMENT', ...given }));

/** Dictionary and data of an object of a file, as text. */
function objectOf(path: string, number: number): string {
  const pdf = openPdfDocument(path);
  try {
    const object = pdf.get(number);
    // A new file has its strings in another notation.
    if (!isStream(object))
      return JSON.stringify(object, (key, value) =>
        key === 'hex' ? undefined : value instanceof Map ? [...(value as Map<unknown, unknown>)] : (value as unknown),
      );
    return `${[...object.dict.keys()].join(' ')} ${pdf.rawData(object).toString('latin1')}`;
  } finally {
    pdf.close();
  }
}

/** A shaded page in colour, and its cleaned file. */
let shadedPdf: Buffer;
let cleaned: Awaited<ReturnType<typeof clean>>;
beforeAll(async () => {
  shadedPdf = scannedPdf(await jpeg(shaded(await drawnPage('', '#000000'))));
  cleaned = await clean('page', shadedPdf);
});

describe('mode DOCUMENT of a PDF', () => {
  test('makes a scan white and even, keeps its stamp, and changes nothing else', async () => {
    const drawing = await drawnPage(STAMP, '#000000');
    const result = await clean('scan', scannedPdf(await jpeg(shaded(drawing))));
    expect(result).toMatchObject({ enhanced: 1, work: { colorOnly: 1, resizeOnly: 0, both: 0 }, notes: [SMALL] });
    const [before, after] = [await samplesOf(result.inputPath), await samplesOf(result.outputPath)];
    expect([after.width, after.height]).toEqual([PAGE_WIDTH, PAGE_HEIGHT]);
    expect(whiteShare(drawing, before)).toBe(0);
    expect(whiteShare(drawing, after)).toBeGreaterThan(0.99);
    for (const [c, level] of [200, 30, 40].entries())
      expect(Math.abs(pixel(after, 80, 390)[c]! - level)).toBeLessThan(20);
    for (const number of [3, 4, 5, 6, 7, 8, 11])
      expect(objectOf(result.outputPath, number)).toBe(objectOf(result.inputPath, number));
    expect(readFileSync(result.outputPath).length).toBeLessThan(readFileSync(result.inputPath).length);
    expect(qpdfComplaint(result.outputPath)).toBe('');
  });

  test('keeps the colour of thin strokes, which a JPEG with half of its chroma would mix with the paper', async () => {
    const rows = [360, 370, 380, 390];
    const thin = `<path d="${rows.map((y) => `M90 ${y} h60`).join(' ')}" stroke="#c81e28" stroke-width="3"/>`;
    const result = await clean('thin', scannedPdf(await jpeg(shaded(await drawnPage(thin, '#000000')))));
    const after = await samplesOf(result.outputPath);
    const reds = rows.flatMap((y) => Array.from({ length: 50 }, (_, k) => pixel(after, 95 + k, y)));
    const [red, green] = [0, 1].map((c) => reds.reduce((sum, samples) => sum + samples[c]!, 0) / reds.length);
    expect(red! - green!).toBeGreaterThan(115);
  });

  test.each<[string, 1 | 3]>([
    ['in grey', 1],
    ['in colour', 3],
  ])('codes a page %s in 16 greys, for fewer bytes', async (name, channels) => {
    const { data, ...colour } = shaded(await drawnPage('', '#000000'));
    const grey: Picture = { ...colour, data: data.filter((_, at) => at % 3 === 1), channels: 1, space: 'grey' };
    const result = channels === 3 ? cleaned : await clean(name, scannedPdf(await jpeg(grey)));
    const { family, filter, bits } = dictOf(result.outputPath);
    expect({ family, filter, bits }).toEqual({ family: 'indexed', filter: 'FlateDecode', bits: 4 });
    const after = await samplesOf(result.outputPath);
    expect(after.channels).toBe(channels);
    expect(after.data.every((value) => value % 17 === 0)).toBe(true);
    expect(readFileSync(result.outputPath).length).toBeLessThan(0.6 * readFileSync(result.inputPath).length);
    expect(qpdfComplaint(result.outputPath)).toBe('');
  });

  test.each<[string, 1 | 3, string]>([
    ['in grey', 1, '/Decode[1 0]'],
    ['in colour', 3, '/Decode[1 0 1 0 1 0]'],
  ])('cleans a scan %s whose samples are inverted as one that is not', async (name, channels, decode) => {
    const drawing = await drawnPage('', '#000000');
    const page = shaded(drawing);
    const data = (channels === 1 ? page.data.filter((_, at) => at % 3 === 1) : page.data).map((value) => 255 - value);
    const bytes = scannedPdf(await jpeg({ ...page, data, channels, space: 'grey' }, 85, decode));
    const { facts } = await analyzeBytes(bytes, scratch(`inverted facts ${name}`));
    expect(facts.eligible[0]).toMatchObject({ number: 10, shows: { kind: 'SCAN' } });
    const result = await clean(`inverted ${name}`, bytes);
    const { family, bits } = dictOf(result.outputPath);
    expect({ family, bits }).toEqual({ family: 'indexed', bits: 4 });
    const shown = await samplesOf(result.outputPath);
    expect(whiteShare(drawing, await readRgb(await asSharp(shown).png().toBuffer()))).toBeGreaterThan(0.99);
    expect(qpdfComplaint(result.outputPath)).toBe('');
  });

  test('codes a page with a photograph as JPEG, with all its tones', async () => {
    const result = await clean('photo', scannedPdf(await jpeg(await withPhotograph(await drawnPage('', '#000000')))));
    expect(dictOf(result.outputPath).filter).toBe('DCTDecode');
    const after = await samplesOf(result.outputPath);
    const levels = new Set(Array.from({ length: 160 }, (_, k) => pixel(after, 220 + k, 380)[1]));
    expect(levels.size).toBeGreaterThan(40);
  });

  test('keeps a file within its size by a lower JPEG quality', async () => {
    const dense = lit(await withPhotograph(await drawnPage('', '#000000')), (u) => 0.98 - 0.06 * u, [1, 1, 1]);
    const soft = await readRgb(await asSharp(dense).blur(1.2).png().toBuffer());
    const result = await clean('dense', scannedPdf(await jpeg(soft, 64)));
    expect(result).toMatchObject({ enhanced: 1, work: { colorOnly: 1 } });
    const images = { first: [10], count: 1 };
    const mostBytes = expect.any(Number);
    expect(result.notes).toEqual([{ code: 'QUALITY_REDUCED', images, mostBytes, quality: 80 }, SMALL]);
    expect(readFileSync(result.outputPath).length).toBeLessThanOrEqual(readFileSync(result.inputPath).length);
  });

  test('leaves a clean page as it is, byte for byte, at no charge', async () => {
    const result = await clean('clean', scannedPdf(flate(await drawnPage('', '#000000'))));
    expect(result).toMatchObject({ enhanced: 0, work: { colorOnly: 0, resizeOnly: 0, both: 0 } });
    expect(result.notes).toEqual([keptPages('clean', [1]), SMALL]);
    expect(readFileSync(result.outputPath).equals(readFileSync(result.inputPath))).toBe(true);
  });

  test('leaves a photograph that fills a page as it is', async () => {
    const sky = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="480" viewBox="0 0 1000 800"><rect width="1000" height="800" fill="#d4dff0"/><path d="M0 800 L300 560 L700 700 L1000 480 L1000 800 Z" fill="#1c281c"/><circle cx="240" cy="180" r="60" fill="#303848"/></svg>',
    );
    const picture = await readRgb(await sharp(sky).removeAlpha().blur(2).png().toBuffer());
    const result = await clean('sky', scannedPdf(await jpeg(picture)));
    expect(result).toMatchObject({ enhanced: 0, work: { colorOnly: 0 } });
    expect(result.notes).toEqual([keptPages('no-page', [1]), SMALL]);
  });

  test('names the pages of each image that it leaves, by reason, and at most ten of them', async () => {
    const photo = flateImage(photograph(200, 150));
    const inks = {
      ...photo,
      dict: '/Width 200/Height 112/ColorSpace/DeviceCMYK/BitsPerComponent 8/Filter/FlateDecode',
    };
    const bits = {
      dict: '/Width 64/Height 64/ColorSpace/DeviceGray/BitsPerComponent 1',
      data: Buffer.alloc(512, 0xa5),
    };
    const object = ({ dict, data }: { dict: string; data: Buffer }) => ({
      dict: `/Type/XObject/Subtype/Image ${dict}`,
      data,
    });
    const pages = Array.from({ length: 12 }, (_, i) => i + 20);
    const sheet = `<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 400]/Contents 4 0 R/Resources<</XObject<</A 10 0 R>>>>>>`;
    const last = sheet.replace('4 0 R', '5 0 R').replace('/A 10 0 R', '/B 11 0 R/C 12 0 R');
    const bytes = buildPdf({
      1: '<</Type/Catalog/Pages 2 0 R>>',
      2: `<</Type/Pages/Kids[${pages.map((page) => `${page} 0 R`).join(' ')} 3 0 R]/Count 13>>`,
      3: last,
      4: { dict: '', data: 'q 200 0 0 150 20 20 cm /A Do Q' },
      5: { dict: '', data: 'q 200 0 0 150 20 20 cm /B Do Q q 64 0 0 64 300 20 cm /C Do Q' },
      ...Object.fromEntries(pages.map((page) => [page, sheet])),
      10: object(photo),
      11: object(inks),
      12: object(bits),
    });
    const { notes, enhanced } = await clean('left', bytes);
    expect(enhanced).toBe(0);
    expect(notes).toEqual([
      keptPages('PHOTOGRAPH', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 12),
      keptPages('fixed-colors', [13]),
      keptPages('one-bit', [13]),
    ]);
  });

  test('says that a PDF has no image to clean', async () => {
    const { notes } = await clean('empty', buildPdf(onePage('', '', {})));
    expect(notes).toEqual([{ code: 'NO_IMAGE_CHANGED', because: 'no-page' }]);
  });

  test('is off or on for an image, and enlarges on request', async () => {
    const { facts } = await analyzeBytes(shadedPdf, scratch('facts'));
    expect(facts.eligible).toMatchObject([{ number: 10, page: true }, { number: 11 }]);
    const work = (given: EnhancementParameters) =>
      countWork(listWork(facts, parametersOf({ mode: 'DOCUMENT', ...given })));
    expect(work({ images: { 10: { color: false } } })).toMatchObject({ colorOnly: 0, resizeOnly: 0, both: 0 });
    const large = { targetResolution: 200, images: { 11: { color: false } } };
    expect(work(large)).toMatchObject({ both: 1, resizeOnly: 1 });
    expect(work({ images: { 11: { color: true } } })).toMatchObject({ colorOnly: 2 });
  });

  test('cleans a page before it enlarges it', async () => {
    const drawing = await drawnPage('', '#000000');
    const given = { targetResolution: 216, images: { 11: { color: false } } };
    const result = await clean('large', scannedPdf(await jpeg(shaded(drawing))), given);
    const large = await samplesOf(result.outputPath);
    expect([large.width, large.height]).toEqual([900, 720]);
    const small = await readRgb(await asSharp(large).resize(PAGE_WIDTH, PAGE_HEIGHT).png().toBuffer());
    expect(whiteShare(drawing, small)).toBeGreaterThan(0.99);
  });

  test('says that a clean page was enlarged without being cleaned', async () => {
    const given = { targetResolution: 216, images: { 11: { color: false } } };
    const result = await clean('refused', scannedPdf(flate(await drawnPage('', '#000000'))), given);
    expect(result.notes).toEqual([{ ...keptPages('clean', [1]), enlarged: true }]);
    const parameters = parametersOf({ mode: 'DOCUMENT', ...given });
    const { images } = await describeInWords({
      inputPath: result.inputPath,
      parameters,
      resultPath: result.outputPath,
    });
    expect(images[0]!.outcome).toBe('Enlarged, and cleaned unless the notes say that it was not.');
  });

  test('is expected to make a scan smaller, as far as it is not enlarged', async () => {
    const { facts } = await analyzeBytes(shadedPdf, scratch('expected'));
    const expected = expectSize(makePlan(facts, CLEAN)).bytes;
    expect(expected / readFileSync(cleaned.outputPath).length).toBeGreaterThan(0.8);
    expect(expected).toBeLessThan(0.95 * shadedPdf.length);
  });

  test('expects no bytes for the noise of a scan', async () => {
    const noisy = withNoise(shaded(await drawnPage('', '#000000')), 12);
    const bytes = scannedPdf(await jpeg(noisy, 92));
    const { facts } = await analyzeBytes(bytes, scratch('noisy'));
    const { outputPath } = await clean('noisy', bytes);
    const made = readFileSync(outputPath).length;
    expect(made).toBeLessThan(0.4 * bytes.length);
    expect(expectSize(makePlan(facts, CLEAN)).bytes).toBeLessThan(1.6 * made);
  });

  test('leaves the layers of a page that a mask hides in part', async () => {
    const half = { data: Buffer.alloc(100 * 80), width: 100, height: 80, channels: 1 };
    half.data.fill(255, 0, 4000);
    const scan = await jpeg(shaded(await drawnPage()));
    const masked = { ...(scan as { dict: string; data: Buffer }) };
    masked.dict += '/SMask 12 0 R';
    const mask = flateImage(half);
    const bytes = scannedPdf(masked, { 12: { dict: `/Type/XObject/Subtype/Image ${mask.dict}`, data: mask.data } });
    const result = await clean('layer', bytes);
    expect(result).toMatchObject({ enhanced: 0, work: { colorOnly: 0 } });
    const { images } = await describeInWords({ inputPath: result.inputPath, parameters: CLEAN });
    expect(images[0]!.outcome).toBe(
      'Unchanged: the order asks for no enlargement, and it is not cleaned: its mask hides a part of it.',
    );
  });

  test('says what it does to each image, before and after', async () => {
    const paths = { inputPath: cleaned.inputPath, parameters: CLEAN };
    const [planned, done] = [
      await describeInWords(paths),
      await describeInWords({ ...paths, resultPath: cleaned.outputPath }),
    ];
    expect(planned.images.map(({ outcome, work }) => [outcome, work])).toEqual([
      ['Planned: cleaned.', { ...NOTHING, colorOnly: 1 }],
      [
        'Unchanged: the order asks for no enlargement, and it is not cleaned: it counts as a photograph because it has soft textures in many colours, and fills no page.',
        NOTHING,
      ],
    ]);
    expect(done.images.map(({ outcome, work }) => [outcome, work])).toEqual([
      ['Cleaned.', { ...NOTHING, colorOnly: 1 }],
      [planned.images[1]!.outcome, NOTHING],
    ]);
  });
});
