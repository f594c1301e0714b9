import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from '@jest/globals';
import type { PageNote, UncleanedReason } from '@burnish/contract/engine';
import { cleanPage } from '../../src/image/document/clean-page.ts';
import type { Picture } from '../../src/image/picture.ts';
import { asSharp, enhance, fileWriter, flat, lossless, pixel, scratchFolder } from '../support/files.ts';
import {
  drawnPage as page,
  lit,
  PAGE_HEIGHT as HEIGHT,
  PAGE_WIDTH as WIDTH,
  whiteShare,
} from '../support/drawn-page.ts';
import { copyOf, sameSamples, withNoise } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';
import { readRgb as read } from '../support/read-rgb.ts';

const scratch = await scratchFolder();
const file = fileWriter(scratch);
const CLEANED: PageNote = { code: 'PAGE_CLEANED' };

/** The lightest of the centres of letters and of the rule. */
function lightestInk(clean: Picture, result: Picture): number {
  let lightest = 0;
  for (let at = 0; at < clean.data.length; at += 3) {
    if (clean.data[at + 1]! <= 30) lightest = Math.max(lightest, result.data[at + 1]!);
  }
  return lightest;
}

/** Rows of bars like letters of a height. */
const rows = (count: number, height: number): string =>
  Array.from({ length: count }, (_, row) => {
    const step = height * 0.8;
    return Array.from({ length: Math.floor(440 / step) }, (_, k) =>
      (k * 7 + row * 3) % 6 === 0
        ? ''
        : `<rect x="${80 + k * step}" y="${70 + (row * 340) / count}" width="${step / 2}" height="${height}"/>`,
    ).join('');
  }).join('');

const readRgb = async (from: string | Buffer): Promise<Picture> =>
  await read(await sharp(from).removeAlpha().png().toBuffer());

describe('a page', () => {
  test.each<[string, (u: number, v: number) => number]>([
    ['light that falls off to a third', (u, v) => 0.95 - 0.62 * ((u + v) / 2)],
    ['the soft shadow of a hand', (u, v) => 0.9 - 0.45 / (1 + Math.exp((u - 0.45 + 0.1 * Math.sin(5 * v)) / 0.033))],
  ])('under %s gets white paper and dark ink everywhere', async (_, light) => {
    const clean = await page();
    const given = lit(clean, light);
    expect(whiteShare(clean, given)).toBe(0);
    const { picture, changed, notes } = cleanPage(copyOf(given));
    expect([changed, notes]).toEqual([true, [CLEANED]]);
    expect(whiteShare(clean, picture)).toBeGreaterThan(0.999);
    expect(lightestInk(clean, picture)).toBeLessThan(40);
  });

  test.each<[string, (u: number) => number]>([
    ['left', (u) => u],
    ['right', (u) => 1 - u],
  ])('of a book loses the shadow of the spine at its %s edge', async (_, fromSpine) => {
    const clean = await page();
    const given = withNoise(
      lit(clean, (u, v) => (0.95 - 0.1 * v) * (1 - 0.65 * Math.exp(-fromSpine(u) / 0.028))),
      3,
    );
    const { picture } = cleanPage(given);
    expect(whiteShare(clean, picture)).toBeGreaterThan(0.998);
    expect(lightestInk(clean, picture)).toBeLessThan(60);
  });

  test.each<[string, string]>([
    ['a bar that ends at once', '<rect width="40" height="480" fill="#305070"/>'],
    [
      'pictures that darken',
      Array.from({ length: 4 }, (_, k) => `<rect y="${120 * k}" width="60" height="86" fill="url(#dark)"/>`).join(''),
    ],
  ])('keeps %s at its edge', async (_, shapes) => {
    const dark =
      '<linearGradient id="dark"><stop stop-color="#305070"/><stop offset="1" stop-color="#ffffff"/></linearGradient>';
    const { picture } = cleanPage(lit(await page(dark + shapes, '#303030'), (u) => 0.9 - 0.1 * u));
    expect(Math.max(...pixel(picture, 4, 45))).toBeLessThan(170);
  });

  test.each<[string, string, number, number]>([
    ['a black surround', '<path d="M0 0H600V480H0ZM38 34V446H562V34Z" fill="#0c0c0c" fill-rule="evenodd"/>', 471, 255],
    ['a black bar', '<rect x="70" y="350" width="460" height="90" fill="#0c0c0c"/>', 395, 0],
  ])('with %s gets dark letters where they were grey', async (_, shape, row, level) => {
    const given = await page(shape, '#6e6e6e', '#e8e6e0');
    const { picture } = cleanPage(given);
    expect(Math.max(...pixel(picture, 300, 319))).toBeLessThan(40);
    expect(lightestInk(await page(), picture)).toBeLessThan(90);
    for (const sample of pixel(picture, 300, row)) expect(Math.abs(sample - level)).toBeLessThan(10);
  });

  test('with strong noise gets white paper, and keeps its letters and its small full stops', async () => {
    const columns = Array.from({ length: 18 }, (_, k) => 80 + 25 * k);
    const stops = columns.map((x) => `<rect x="${x}" y="370" width="1.4" height="1.4" fill="#303030"/>`).join('');
    const { picture } = cleanPage(withNoise(await page(stops, '#303030', '#e0e0e0'), 14));
    const clean = await page(stops);
    expect(whiteShare(clean, picture)).toBeGreaterThan(0.995);
    expect(lightestInk(await page(), picture)).toBeLessThan(150);
    const kept = columns.filter((x) =>
      [0, 1].some((dy) => [0, 1].some((dx) => pixel(picture, x + dx, 370 + dy)[1]! < 225)),
    );
    expect(kept.length).toBeGreaterThanOrEqual(17);
  });

  test.each([-4.6, 0.8, 8, -13])('that is skewed by %f degrees is turned back', async (degrees) => {
    const turned = await asSharp(await page('', '#303030', '#f0ead8'))
      .rotate(degrees, { background: '#f0ead8' })
      .resize(WIDTH, HEIGHT, { fit: 'cover' })
      .png()
      .toBuffer();
    const { picture, notes } = cleanPage(await readRgb(turned));
    expect(notes[0]).toEqual({ code: 'PAGE_TURNED', degrees: Math.abs(degrees) });
    expect(Math.abs(rowOfRule(picture, 150) - rowOfRule(picture, 450))).toBeLessThanOrEqual(1);
    for (const [x, y] of [
      [2, 2],
      [WIDTH - 3, 2],
      [2, HEIGHT - 3],
      [WIDTH - 3, HEIGHT - 3],
    ] as const)
      expect(Math.min(...pixel(picture, x, y))).toBe(255);
  });

  test.each<[string, string, string, boolean]>([
    ['a few words on a poster', rows(4, 60), '', true],
    [
      'a column of words inside of a frame',
      rows(12, 14),
      '<path d="M12 12H588V468H12Z" fill="none" stroke="#202020" stroke-width="6"/>',
      false,
    ],
    [
      'hatching',
      Array.from({ length: 18 }, (_, k) => `<rect x="80" y="${70 + 18 * k}" width="440" height="5"/>`).join(''),
      '',
      true,
    ],
  ])('keeps lines that are slanted by design: %s', async (_, slanted, straight, noted) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><rect width="100%" height="100%" fill="#f0ead8"/>
      <g fill="#202020" transform="rotate(9 300 240)">${slanted}</g>${straight}</svg>`;
    const { turn, skewed, notes } = cleanPage(await readRgb(Buffer.from(svg)));
    expect({ turn, skewed }).toEqual({ turn: undefined, skewed: noted ? 'slanted' : undefined });
    expect(notes.filter(({ code }) => code === 'PAGE_SKEWED')).toEqual(
      noted ? [{ code: 'PAGE_SKEWED', degrees: 9, because: 'slanted' }] : [],
    );
  });

  test('is not turned if that would cut off ink', async () => {
    const turned = await asSharp(await page('', '#303030', '#f0ead8'))
      .extract({ left: 68, top: 42, width: 464, height: 280 })
      .rotate(3, { background: '#f0ead8' })
      .extract({ left: 12, top: 12, width: 464, height: 280 })
      .png()
      .toBuffer();
    expect(cleanPage(await readRgb(turned)).notes).toContainEqual({
      code: 'PAGE_SKEWED',
      degrees: 3,
      because: 'cut',
    });
  });

  test('loses what shows through from its back, and keeps faint sharp lines', async () => {
    const behind = await asSharp(await page('', '#000000'))
      .flop()
      .blur(4)
      .png()
      .toBuffer();
    const back = await readRgb(behind);
    const given = await page('<rect x="90" y="350" width="300" height="3" fill="#a8a8a8"/>', '#303030', '#f4f0e4');
    for (let at = 0; at < given.data.length; at += 1)
      given.data[at] = given.data[at]! * (0.78 + (0.22 * back.data[at]!) / 255);
    const { picture } = cleanPage(given);
    expect(whiteShare(await page('<rect x="90" y="350" width="300" height="3"/>'), picture)).toBeGreaterThan(0.985);
    expect(pixel(picture, 240, 351)[1]).toBeLessThan(225);
  });

  test('darkens faint writing that is as sharp as its letters, and nothing that is blurred', async () => {
    const writing = (x: number, more = ''): string =>
      `<path d="M ${x} 410 c 20 -60 30 -60 20 0 s 30 -50 40 0 s 30 -70 50 0 s 30 -40 40 -10" fill="none" stroke="#b8b8b8" stroke-width="4" ${more}/>`;
    const blur = '<filter id="blur"><feGaussianBlur stdDeviation="2"/></filter>';
    const shapes = blur + writing(120) + writing(360, 'filter="url(#blur)"');
    const { picture } = cleanPage(lit(await page(shapes, '#202020'), (u) => 0.95 - 0.2 * u));
    const darkest = (from: number): number => {
      const samples = Array.from(
        { length: 200 * 80 },
        (_, k) => pixel(picture, from + (k % 200), 340 + (k - (k % 200)) / 200)[1]!,
      );
      return Math.min(...samples);
    };
    expect(darkest(110)).toBeLessThan(130);
    expect(darkest(350)).toBeGreaterThan(190);
  });

  test('keeps pale thin rules whole, and drops paler ones whole', async () => {
    const rules = [
      '<rect x="60" y="350" width="480" height="1" fill="#b4b4b4"/><rect x="40" y="40" width="1" height="410" fill="#b4b4b4"/>',
      '<rect x="60" y="390" width="480" height="1" fill="#ececec"/>',
    ].join('');
    const { picture } = cleanPage(
      withNoise(
        lit(await page(rules, '#303030'), (u) => 0.95 - 0.2 * u),
        4,
      ),
    );
    const alongRow = (y: number): number[] => Array.from({ length: 460 }, (_, k) => pixel(picture, 70 + k, y)[1]!);
    const down = Array.from({ length: 390 }, (_, k) => pixel(picture, 40, 50 + k)[1]!);
    for (const levels of [alongRow(350), down]) {
      expect(Math.max(...levels)).toBeLessThan(245);
      expect(Math.max(...levels) - Math.min(...levels)).toBeLessThan(40);
    }
    expect(Math.min(...alongRow(390))).toBe(255);
  });

  test('keeps dotted lines in a row and in a column, as forms have', async () => {
    const given = await page('', '#303030', '#f0f0f0');
    const dots = Array.from({ length: 20 }, (_, k) => [
      [40, 60 + 12 * k],
      [120 + 12 * k, 410],
    ]).flat() as [number, number][];
    for (const [x, y] of dots) given.data.fill(40, (y * WIDTH + x) * 3, (y * WIDTH + x + 1) * 3);
    const { picture } = cleanPage(given);
    expect(dots.filter(([x, y]) => pixel(picture, x, y)[1]! < 128)).toHaveLength(40);
  });

  test('loses specks, and keeps full stops and screens of dots', async () => {
    const given = await page('', '#303030', '#f0f0f0');
    const dot = (left: number, top: number, side: number): void => {
      for (let y = top; y < top + side; y += 1)
        given.data.fill(40, (y * WIDTH + left) * 3, (y * WIDTH + left + side) * 3);
    };
    for (const x of [70, 180, 300, 420, 520]) dot(x, 20, 1);
    for (const x of [100, 210, 330]) dot(x, 20, 3);
    for (let k = 0; k < 400; k += 1) dot(120 + (k % 20) * 3, 350 + Math.floor(k / 20) * 3, 1);
    const { picture, notes } = cleanPage(given);
    expect(notes).toContainEqual({ code: 'SPECKS_REMOVED' });
    for (const x of [70, 180, 300, 420, 520]) expect(pixel(picture, x, 20)).toEqual([255, 255, 255]);
    for (const x of [101, 211, 331]) expect(pixel(picture, x, 21)[1]).toBeLessThan(100);
    const screen = Array.from(
      { length: 40 * 40 },
      (_, k) => pixel(picture, 125 + (k % 40), 355 + Math.floor(k / 40))[1]!,
    );
    expect(Math.min(...screen)).toBeLessThan(240);
  });

  test('keeps the colours of a stamp, a signature and a highlighter, under shading', async () => {
    const marks = `<circle cx="120" cy="390" r="40" fill="none" stroke="#c81e28" stroke-width="8"/>
      <path d="M230 400 c40 -80 60 60 90 -10 s40 50 80 -20" fill="none" stroke="#1e3caa" stroke-width="5"/>
      <rect x="420" y="370" width="120" height="40" fill="#ffff66"/><rect x="450" y="380" width="6" height="20" fill="#1c1c1c"/>`;
    const { picture } = cleanPage(lit(await page(marks, '#000000'), (u) => 0.9 - 0.4 * u));
    expect(distance(pixel(picture, 80, 390), [200, 30, 40])).toBeLessThan(14);
    expect(distance(pixel(picture, 500, 390), [255, 255, 102])).toBeLessThan(14);
    expect(Math.max(...pixel(picture, 453, 390))).toBeLessThan(60);
    const blue = Array.from({ length: 170 * 80 }, (_, k) => pixel(picture, 230 + (k % 170), 340 + Math.floor(k / 170)));
    expect(blue.filter((each) => distance(each, [30, 60, 170]) < 25).length).toBeGreaterThan(300);
  });

  test('restores the colour of a thin stroke that a JPEG has spread over the paper', async () => {
    const stroke = '<path d="M90 345 H510" stroke="#1e3caa" stroke-width="3" shape-rendering="crispEdges"/>';
    const clean = await page(stroke, '#000000');
    const given = asSharp(lit(clean, (u) => 0.9 - 0.2 * u));
    const coded = await readRgb(await given.jpeg({ quality: 85, chromaSubsampling: '4:2:0' }).toBuffer());
    const { picture } = cleanPage(coded);
    for (const x of [120, 210, 300, 390, 480]) {
      for (const y of [344, 346]) expect(distance(pixel(picture, x, y), pixel(clean, x, y))).toBeLessThan(14);
      const [red, , blue] = pixel(picture, x, 347);
      expect(Math.abs(blue! - red!)).toBeLessThan(9);
    }
  });

  test('keeps the colour of a highlighter around the letters on it', async () => {
    const letters = Array.from({ length: 36 }, (_, k) => `<rect x="${100 + 10 * k}" y="354" width="4" height="14"/>`);
    const marks = `<rect x="90" y="348" width="380" height="28" fill="#fff15a"/><g fill="#1c1c1c">${letters.join('')}</g>`;
    const given = asSharp(lit(await page(marks, '#303030'), (u) => 0.9 - 0.2 * u));
    const coded = await readRgb(await given.jpeg({ quality: 75, chromaSubsampling: '4:2:0' }).toBuffer());
    const { picture } = cleanPage(coded);
    const area = Array.from({ length: 360 * 20 }, (_, k) => pixel(picture, 100 + (k % 360), 352 + Math.floor(k / 360)));
    expect(area.filter((each) => each[2]! > 225)).toHaveLength(0);
    expect(distance(pixel(picture, 462, 362), [255, 241, 90])).toBeLessThan(24);
  });

  test('keeps the colours of two strokes that touch', async () => {
    const strokes = [
      '<path d="M90 370 H510" stroke="#c81e28" stroke-width="4" shape-rendering="crispEdges"/>',
      '<path d="M90 374 H510" stroke="#1e3caa" stroke-width="4" shape-rendering="crispEdges"/>',
    ].join('');
    const { picture } = cleanPage(lit(await page(strokes, '#000000'), (u) => 0.9 - 0.2 * u));
    expect(distance(pixel(picture, 300, 370), [200, 30, 40])).toBeLessThan(40);
    expect(distance(pixel(picture, 300, 374), [30, 60, 170])).toBeLessThan(40);
  });

  test('keeps the tones of a photograph on it', async () => {
    const photograph = syntheticPhotograph(180, 144, 3);
    const clean = await readRgb(
      await asSharp(await page('', '#000000'))
        .composite([{ input: await asSharp(photograph).png().toBuffer(), left: 336, top: 120 }])
        .png()
        .toBuffer(),
    );
    const { picture } = cleanPage(lit(clean, (u) => 0.95 - 0.25 * u));
    let sum = 0;
    for (let y = 132; y < 252; y += 1)
      for (let x = 348; x < 504; x += 1) sum += distance(pixel(picture, x, y), pixel(clean, x, y));
    expect(sum / (120 * 156)).toBeLessThan(12);
  });
});

describe('nothing changes', () => {
  test.each<[string, () => Picture | Promise<Picture>, UncleanedReason]>([
    ['a clean page', () => page('', '#000000'), 'clean'],
    ['a photograph', () => syntheticPhotograph(400, 300), 'no-paper'],
    ['a blank page', () => flat(400, 300, [230, 226, 210]), 'no-ink'],
    [
      'a clean page with a dense pattern of dots, which measures as noise',
      async () => {
        const given = await readRgb(
          await asSharp(await page('', '#000000'))
            .threshold(128)
            .toColourspace('srgb')
            .png()
            .toBuffer(),
        );
        for (let y = 4; y < HEIGHT; y += 8)
          for (let x = 4; x < WIDTH; x += 8) given.data.fill(0, (y * WIDTH + x) * 3, (y * WIDTH + x) * 3 + 3);
        return given;
      },
      'clean',
    ],
    ['CMYK', () => ({ ...flat(40, 40, [0, 0, 0, 0], 'cmyk') }), 'inks'],
  ])('in %s', async (_, draw, because) => {
    const given = await draw();
    const { picture, changed, notes } = cleanPage(copyOf(given));
    expect([changed, notes]).toEqual([false, [{ code: 'PAGE_NOT_CLEANED', because }]]);
    expect(sameSamples(picture, given)).toBe(true);
  });

  test('in the direction of a page that has to stay', async () => {
    const turned = await asSharp(await page('', '#303030', '#f0ead8'))
      .rotate(2, { background: '#f0ead8' })
      .resize(WIDTH, HEIGHT, { fit: 'cover' })
      .png()
      .toBuffer();
    const given = await readRgb(turned);
    const { picture, notes } = cleanPage(copyOf(given), { turning: 'keep' });
    expect(notes).toEqual([{ code: 'PAGE_SKEWED', degrees: 2, because: 'content' }, CLEANED]);
    for (const x of [150, 450]) expect(Math.abs(rowOfRule(picture, x) - rowOfRule(given, x))).toBeLessThanOrEqual(1);
    expect(Math.abs(rowOfRule(picture, 150) - rowOfRule(picture, 450))).toBeGreaterThan(6);
  });

  test('in a file of two levels', async () => {
    const input = await file(
      'fax.png',
      asSharp(await page())
        .threshold(128)
        .png({ palette: true, colours: 2 }),
    );
    const { steps, notes } = await enhance(input, { mode: 'DOCUMENT' });
    expect(steps).toEqual([]);
    expect(notes).toContainEqual({ code: 'PAGE_NOT_CLEANED', because: 'one-bit' });
  });
});

describe('a file', () => {
  test.each<[string, (image: Sharp) => Sharp, object]>([
    ['grey', (image) => image.removeAlpha().toColourspace('b-w'), { channels: 1, depth: 'uchar' }],
    ['16 bits', (image) => image.toColourspace('rgb16'), { channels: 3, depth: 'ushort' }],
    ['alpha', (image) => image.ensureAlpha(), { channels: 4, hasAlpha: true }],
  ])('with %s keeps its samples and is cleaned', async (name, convert, facts) => {
    const given = lit(await page(), (u) => 0.9 - 0.4 * u, [1, 1, 1]);
    const input = await file(`${name}.png`, lossless(convert(asSharp(given)), 'png'));
    const { steps, path } = await enhance(input, { mode: 'DOCUMENT' });
    expect(steps).toEqual(['document']);
    expect(await sharp(path).metadata()).toMatchObject(facts);
    expect(whiteShare(await page(), await readRgb(path))).toBeGreaterThan(0.999);
  });

  test('is cleaned before it is enlarged', async () => {
    const input = await file('small.jpg', asSharp(lit(await page(), (u) => 0.9 - 0.4 * u)).jpeg({ quality: 90 }));
    const { steps, width } = await enhance(input, { mode: 'DOCUMENT', upscalingFactor: 'X2', engineTier: 'PLAIN' });
    expect([steps, width]).toEqual([['document', 'upscale'], 2 * WIDTH]);
  });
});

const distance = (a: number[], b: number[]): number => Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!, a[2]! - b[2]!);

/** Row of the rule's middle in a column: the lowest dark run that is long. */
function rowOfRule(picture: Picture, x: number): number {
  for (let y = HEIGHT - 5; y > HEIGHT / 2; y -= 1) if (pixel(picture, x, y)[1]! < 128) return y;
  return -1;
}
