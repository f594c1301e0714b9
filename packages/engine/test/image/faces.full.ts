import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { decodeFaces } from '../../src/image/faces/face-boxes.ts';
import { detectFaces } from '../../src/image/faces/face-detector.ts';
import { treatFaces, skinPart } from '../../src/image/faces/faces.ts';
import type { Picture } from '../../src/image/picture.ts';
import { asSharp, enhance, fileWriter, flat, pixel, scratchFolder } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';
import { copyOf, meanDifference, sameSamples } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';
import { expectNamed } from '../../../../test/support/expect-named.ts';

const file = fileWriter(await scratchFolder());
const portraitPath = fileURLToPath(new URL('../fixtures/portrait.jpg', import.meta.url));
const portrait = await readRgb(portraitPath);
/** Where the face of the portrait is, pixels, by eye. */
const FACE = { x: 64, y: 72, width: 122, height: 118, score: 1 };

/** As if the light came from behind. */
const shaded = (): Picture => ({
  ...portrait,
  data: portrait.data.map((v) => Math.round(255 * (v / 255) ** 1.6 * 0.6)),
});

describe('detectFaces', () => {
  test('locates the face of a portrait', async () => {
    const faces = await detectFaces(portrait);
    expect(faces).toHaveLength(1);
    const [{ x, y, width, height }] = faces as [(typeof faces)[0]];
    expect(Math.hypot(x + width / 2 - 125, y + height / 2 - 131)).toBeLessThan(16);
    expect([width, height].every((side) => side > 90 && side < 150)).toBe(true);
  });

  test('detects a face in grey, in 16 bits, small in a wide image, and twice if it occurs twice', async () => {
    const { data } = await asSharp(portrait).toColourspace('b-w').raw().toBuffer({ resolveWithObject: true });
    expect(await detectFaces({ ...portrait, data: Uint8Array.from(data), channels: 1, space: 'grey' })).toHaveLength(1);
    expect(await detectFaces({ ...portrait, data: Uint16Array.from(portrait.data, (v) => v * 257) })).toHaveLength(1);
    const small = await asSharp(portrait).resize(180).png().toBuffer();
    const twice = await sharp({ create: { width: 900, height: 300, channels: 3, background: '#708090' } })
      .composite([
        { input: small, left: 700, top: 110 },
        { input: small, left: 20, top: 10 },
      ])
      .png()
      .toBuffer();
    const centres = (await detectFaces(await readRgb(twice)))
      .map(({ x, width }) => x + width / 2)
      .sort((a, b) => a - b);
    expect(centres).toHaveLength(2);
    expect(Math.abs(centres[1]! - 788)).toBeLessThan(20);
  });

  // A face that fills the picture was not found, while the same picture with grey around it was.
  test.each([0, 30])('detects a face that fills the image except for %i pixels around it', async (around) => {
    const { x, y, width, height } = FACE;
    const area = { left: x - around, top: y - around, width: width + 2 * around, height: height + 2 * around };
    const close = await readRgb(await asSharp(portrait).extract(area).resize(700).png().toBuffer());
    const faces = await detectFaces(close);
    expect(faces).toHaveLength(1);
    const scale = 700 / area.width;
    expect(Math.abs(faces[0]!.x + faces[0]!.width / 2 - (around + width / 2) * scale)).toBeLessThan(60);
    expect(Math.abs(faces[0]!.y + faces[0]!.height / 2 - (around + height / 2) * scale)).toBeLessThan(80);
  });

  // Without the turned searches, the face was not found at -45 degrees.
  test.each([-45, 0, 45])('detects a face of 60 %% of the height, turned by %i degrees', async (degrees) => {
    const turned = await asSharp(portrait).rotate(degrees, { background: '#777' }).png().toBuffer();
    const { width } = await sharp(turned).metadata();
    const [x, y] = [FACE.x + FACE.width / 2 - 128, FACE.y + FACE.height / 2 - 128];
    const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    const side = Math.round(FACE.height / 0.6);
    const [left, top] = [x * cos - y * sin, x * sin + y * cos].map((own) => Math.round(width / 2 + own - side / 2));
    const close = await sharp(turned).extract({ left: left!, top: top!, width: side, height: side }).png().toBuffer();
    const faces = await detectFaces(await readRgb(close));
    expect(faces).toHaveLength(1);
    const [{ x: across, y: down, width: wide, height: high }] = faces as [(typeof faces)[0]];
    expect(Math.hypot(across + wide / 2 - side / 2, down + high / 2 - side / 2)).toBeLessThan(side / 6);
    expect(wide > 0.4 * side && wide < 0.9 * side).toBe(true);
  });

  test.each([
    ['a landscape', syntheticPhotograph(400, 300)],
    ['an even colour', flat(200, 150, [200, 160, 140])],
    ['one pixel', flat(1, 1, [1, 2, 3])],
    ['a strip', flat(4000, 3, [90, 90, 90])],
  ])('detects no face in %s', async (_, picture) => {
    expect(await detectFaces(picture)).toEqual([]);
  });
});

test('the most probable of overlapping boxes is kept, and an improbable box is no face', () => {
  const cells = 4;
  const output = new Float32Array(25 * cells * cells).fill(-9);
  const put = (anchor: number, cell: number, score: number): void =>
    [0, 0, 0, 0, score].forEach((value, index) => (output[(anchor * 5 + index) * cells * cells + cell] = value));
  put(2, 5, 3);
  put(3, 5, 1);
  put(0, 6, 2);
  put(0, 12, 0.2);
  const faces = decodeFaces(output, cells);
  expect(faces.map(({ score }) => Math.round(score * 100))).toEqual([95, 88]);
  expect(faces[0]!.x + faces[0]!.width / 2).toBeCloseTo(1.5 / 4);
});

describe('treatFaces', () => {
  test('brightens a face in the shade and leaves the rest bit for bit unchanged', () => {
    const before = shaded();
    const after = copyOf(before);
    expect(treatFaces(after, [FACE])).toBe(1);
    const cheek = (picture: Picture): number => pixel(picture, 150, 140)[1]!;
    expect(cheek(after)).toBeGreaterThan(cheek(before) * 1.1);
    expect(pixel(after, 4, 4)).toEqual(pixel(before, 4, 4));
    expect(pixel(after, 250, 250)).toEqual(pixel(before, 250, 250));
  });

  test('preserves the hue, fades out without an edge, and leaves a well-lit face unchanged', () => {
    const even = flat(256, 256, [90, 60, 45]);
    treatFaces(even, [FACE]);
    const [r, g, b] = pixel(even, 125, 131) as [number, number, number];
    expect(r / g).toBeCloseTo(90 / 60, 1);
    expect(g / b).toBeCloseTo(60 / 45, 1);
    const row = Array.from({ length: 256 }, (_, x) => pixel(even, x, 131)[0]!);
    expect(Math.max(...row.slice(1).map((value, x) => Math.abs(value - row[x]!)))).toBeLessThanOrEqual(3);
    const bright = flat(256, 256, [210, 170, 150]);
    treatFaces(bright, [FACE]);
    expect(sameSamples(bright, flat(256, 256, [210, 170, 150]))).toBe(true);
  });

  test('adds more definition to features than to skin, and never more than a few levels', () => {
    const pattern = (colour: number[]): Picture => {
      const picture = flat(256, 256, colour);
      for (let i = 0; i < 256 * 256; i += 1) {
        if (((i % 256) >> 2) % 2 === 0) continue;
        for (let c = 0; c < 3; c += 1) picture.data[i * 3 + c]! -= 24;
      }
      return picture;
    };
    const contrast = (picture: Picture): number => pixel(picture, 121, 131)[1]! - pixel(picture, 126, 131)[1]!;
    const gained = (colour: number[]): number => {
      const [before, after] = [pattern(colour), pattern(colour)];
      treatFaces(after, [FACE]);
      return Math.abs(contrast(after)) - Math.abs(contrast(before));
    };
    const [onSkin, onHair] = [gained([215, 165, 140]), gained([150, 150, 160])];
    expect(onHair).toBeGreaterThan(onSkin + 2);
    expect(onSkin).toBeGreaterThanOrEqual(0);
    expect(onHair).toBeLessThanOrEqual(16);
  });

  test('does not change a face of a few pixels', () => {
    const picture = shaded();
    expect(treatFaces(picture, [{ x: 40, y: 40, width: 12, height: 14, score: 1 }])).toBe(0);
    expect(sameSamples(picture, shaded())).toBe(true);
  });
});

test('skin of all tones is detected as skin; grass, sky and grey are not', () => {
  for (const skin of [
    [241, 200, 176],
    [198, 134, 66 + 30],
    [141, 85, 60],
    [92, 58, 40],
  ]) {
    expectNamed(skinPart(...(skin as [number, number, number])), skin.join()).toBeGreaterThan(0.6);
  }
  for (const other of [
    [80, 140, 50],
    [120, 170, 230],
    [128, 128, 128],
    [30, 40, 160],
  ]) {
    expectNamed(skinPart(...(other as [number, number, number])), other.join()).toBeLessThan(0.45);
  }
});

describe('enhanceFaceDetails', () => {
  test('treats the detected faces and reports their number; OFF skips them', async () => {
    const input = await file('shaded.png', asSharp(shaded()).png());
    const off = await enhance(input, { enhanceFaceDetails: 'OFF' });
    const on = await enhance(input, { enhanceFaceDetails: 'ENHANCE' });
    expect(off.steps).toEqual([]);
    expect(on.steps).toEqual(['faces']);
    expect(on.notes).toContainEqual({ code: 'FACES_TREATED', faces: 1 });
    const [a, b] = await Promise.all([off, on].map(({ path }) => readRgb(path)));
    expect(sameSamples(a!, shaded())).toBe(true);
    expect(meanDifference(a!, b!)).toBeGreaterThan(1);
  });

  test('brightens a mostly bright image whose face is dark', async () => {
    const wide: Picture = { ...flat(512, 256, [150, 160, 170]) };
    for (let y = 0; y < 256; y += 1) {
      for (let i = 0; i < 256 * 3; i += 1) wide.data[y * 512 * 3 + i] = portrait.data[y * 256 * 3 + i]! * 0.25;
      for (let i = 256 * 3; i < 512 * 3; i += 1) wide.data[y * 512 * 3 + i]! += ((i * 7 + y * 13) % 60) - 30;
    }
    const input = await file('wide.png', asSharp(wide).png());
    const cheek = async (faces: 'OFF' | 'ENHANCE'): Promise<number> =>
      pixel(await readRgb((await enhance(input, { mode: 'ENHANCE', enhanceFaceDetails: faces })).path), 150, 140)[0]!;
    expect(await cheek('ENHANCE')).toBeGreaterThan((await cheek('OFF')) * 1.25);
  });

  test('leaves an image without faces unchanged and reports that; CMYK is not searched', async () => {
    const landscape = await enhance(await file('hills.png', asSharp(syntheticPhotograph(200, 150)).png()), {
      enhanceFaceDetails: 'ENHANCE',
    });
    expect([landscape.steps, landscape.notes]).toEqual([[], [{ code: 'FACES_TREATED', faces: 0 }]]);
    const cmyk = await file('cmyk.tiff', asSharp(portrait).toColourspace('cmyk').tiff({ compression: 'lzw' }));
    const result = await enhance(cmyk, { enhanceFaceDetails: 'ENHANCE' });
    expect(result.steps).toEqual([]);
    expect(result.notes).toContainEqual({ code: 'FACES_NOT_DETECTED', because: 'inks' });
  });
});
