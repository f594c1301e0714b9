import { describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { colourError, labOf, type Rgb } from '../../../../bench/quality/metrics.ts';
import { linearLight } from '../../src/image/steps/curves.ts';
import { enhance, fileWriter, scratchFolder } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';

/*
 * Bright pictures that are exposed correctly: their white, pastel and saturated areas look like clipped light, and nothing may darken them.
 */
const file = fileWriter(await scratchFolder());
const [WIDTH, HEIGHT] = [400, 300];
const RADIUS = 122;

type Colour = [red: number, green: number, blue: number];
type Inside = (x: number, y: number) => boolean;

const insideBall =
  (radius: number): Inside =>
  (x, y) =>
    Math.hypot(x + 0.5 - WIDTH / 2, y + 0.5 - HEIGHT / 2) < radius;
const stop = (offset: number, colour: Colour): string => `<stop offset="${offset}" stop-color="rgb(${colour})"/>`;
const drawing = (content: string): Promise<Buffer> =>
  sharp(Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">${content}</svg>`))
    .flatten({ background: '#ffffff' })
    .png()
    .toBuffer();

/** Soft stripes of more or less light: without texture, an area of one colour counts as a drawing. */
const STRIPES = `<linearGradient id="stripes" x2="0.11" y2="0.04" spreadMethod="reflect"><stop stop-opacity="0.18"/><stop offset="1" stop-color="white" stop-opacity="0.12"/></linearGradient>`;

/** A striped ball with soft shading before white. */
const ball = ([light, middle, shade]: readonly [Colour, Colour, Colour]): Promise<Buffer> => {
  const shading = `<radialGradient id="shading" cx="0.4" cy="0.35" r="0.75">${stop(0, light)}${stop(0.45, middle)}${stop(1, shade)}</radialGradient>`;
  const circle = (fill: string): string =>
    `<circle cx="${WIDTH / 2}" cy="${HEIGHT / 2}" r="${RADIUS}" fill="url(#${fill})"/>`;
  return drawing(`${shading}${STRIPES}${circle('shading')}${circle('stripes')}`);
};

const HORIZON = 225;
const SKY = `<linearGradient id="sky" x2="0" y2="1">${stop(0, [0, 62, 190])}${stop(0.45, [30, 122, 236])}${stop(0.62, [62, 150, 255])}${stop(1, [124, 196, 255])}</linearGradient>`;
const FIELD = `<linearGradient id="field" x2="1" y2="1">${stop(0, [104, 112, 58])}${stop(0.5, [70, 82, 46])}${stop(1, [96, 80, 60])}</linearGradient>`;
const landscape = (): Promise<Buffer> => {
  const field = (fill: string): string =>
    `<rect y="${HORIZON}" width="${WIDTH}" height="${HEIGHT - HORIZON}" fill="url(#${fill})"/>`;
  const sky = `<rect width="${WIDTH}" height="${HORIZON}" fill="url(#sky)"/>`;
  return drawing(`${SKY}${FIELD}${STRIPES}${sky}${field('field')}${field('stripes')}`);
};

/** Enhances a file, and returns it and its result as pictures. */
async function enhanced(name: string, content: Buffer): Promise<{ before: Rgb; after: Rgb }> {
  const path = await file(`${name}.png`, content);
  const result = await enhance(path, { mode: 'ENHANCE' });
  return { before: (await readRgb(path)) as Rgb, after: (await readRgb(result.path)) as Rgb };
}

/** Returns the pixels of an area as one row. */
function area({ data, width, height }: Rgb, inside: Inside): Rgb {
  const found: number[] = [];
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      if (inside(x, y)) found.push(...data.subarray(3 * (y * width + x), 3 * (y * width + x) + 3));
  return { data: Uint8Array.from(found), width: found.length / 3, height: 1 };
}

/** Mean L* of CIELAB, 0..100. */
function lightness({ data, width }: Rgb): number {
  const light = Array.from(data, (value) => linearLight(value / 255));
  let sum = 0;
  for (let i = 0; i < light.length; i += 3) sum += labOf(light[i]!, light[i + 1]!, light[i + 2]!)[0];
  return sum / width;
}

const BALLS: Record<string, [Colour, Colour, Colour]> = {
  'a strawberry red': [
    [236, 60, 66],
    [206, 2, 13],
    [140, 0, 8],
  ],
  'a rose gold': [
    [246, 205, 184],
    [207, 146, 118],
    [150, 96, 74],
  ],
  'a pale silver': [
    [252, 248, 242],
    [224, 226, 231],
    [118, 128, 146],
  ],
  'a pastel pink': [
    [253, 232, 236],
    [244, 208, 216],
    [214, 170, 182],
  ],
};

describe('ENHANCE', () => {
  test.each(Object.entries(BALLS))('leaves %s object before white as it is', async (name, colours) => {
    const { before, after } = await enhanced(name.replaceAll(' ', '-'), await ball(colours));
    const background = area(after, (x, y) => !insideBall(RADIUS + 1)(x, y));
    expect(background.width / (WIDTH * HEIGHT)).toBeGreaterThan(0.6);
    expect(background.data.every((value) => value === 255)).toBe(true);
    const [object, result] = [before, after].map((picture) => area(picture, insideBall(RADIUS - 2)));
    expect(colourError(object!, result!)).toBeLessThanOrEqual(1.5);
    expect(lightness(object!) - lightness(result!)).toBeLessThan(2);
  });

  test('leaves a saturated blue sky over a darker landscape as it is', async () => {
    const { before, after } = await enhanced('sky', await landscape());
    const [sky, result] = [before, after].map((picture) => area(picture, (_, y) => y < HORIZON));
    // It lost 19 as a blue cast. A step of two is hardly visible.
    expect(colourError(sky!, result!)).toBeLessThanOrEqual(2.5);
  });
});
