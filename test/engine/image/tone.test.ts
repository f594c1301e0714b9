import { describe, expect, test } from '@jest/globals';
import { codedLight, linearLight } from '../../../src/engine/image/steps/curves.ts';
import type { Picture } from '../../../src/engine/image/picture.ts';
import { improveTone } from '../../../src/engine/image/steps/tone.ts';
import { flat, pixel } from '../support/files.ts';
import { copyOf, lightOf, meanDifference, psnr, sameSamples, toneStatistics } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';

const photograph = syntheticPhotograph(256, 192);

/** Its lower part, without the sky: hills, walls and things. */
const ground: Picture = { ...photograph, height: 108, data: photograph.data.slice(84 * 256 * 3) };

function mapped(picture: Picture, change: (value: number, channel: number) => number): Picture {
  return {
    ...picture,
    data: picture.data.map((v, i) => Math.max(0, Math.min(255, Math.round(change(v, i % picture.channels))))),
  };
}

/** Renders the picture with a gain on linear light. */
const withLight = (picture: Picture, gain: number): Picture =>
  mapped(picture, (v) => 255 * codedLight(linearLight(v / 255) * gain));

/** Makes the last rows white, so that the picture needs no exposure. */
function addWhite(picture: Picture): Picture {
  picture.data.fill(255, picture.data.length - 3 * picture.width * picture.channels);
  return picture;
}

const pixelAt = ({ data }: Picture, i: number): number[] => [...data.subarray(i * 3, i * 3 + 3)];

function improved(picture: Picture, look: 'ENHANCE' | 'NATURAL' | 'VIVID' = 'ENHANCE'): Picture {
  const copy = copyOf(picture);
  improveTone(copy, look);
  return copy;
}

describe('improveTone', () => {
  test('leaves a balanced image bit for bit unchanged, unless VIVID is requested', () => {
    for (const look of ['NATURAL', 'ENHANCE'] as const) {
      const copy = copyOf(photograph);
      expect(improveTone(copy, look)).toEqual([]);
      expect(sameSamples(copy, photograph)).toBe(true);
    }
    expect(meanDifference(improved(photograph, 'VIVID'), photograph)).toBeGreaterThan(3);
  });

  test.each([
    ['a blue sky', [120, 160, 220]],
    ['grass', [90, 140, 50]],
    ['wood', [170, 110, 60]],
  ])('does not correct %s as a colour cast', (_, colour) => {
    const picture = copyOf(photograph);
    for (let i = 0; i < picture.data.length * 0.5; i += 1) {
      const shade = 0.8 + 0.2 * (picture.data[i - (i % 3)]! / 255);
      picture.data[i] = colour[i % 3]! * shade;
    }
    addWhite(picture);
    const before = copyOf(picture);
    expect(improveTone(picture, 'ENHANCE')).not.toContain('balance');
    expect(meanDifference(picture, before)).toBeLessThan(2);
  });

  test('changes less the second time', () => {
    const dark = mapped(photograph, (v) => v * 0.5);
    const once = improved(dark);
    expect(meanDifference(improved(once), once)).toBeLessThan(meanDifference(once, dark) / 2);
  });

  test.each([
    ['underexposed', (v: number) => 255 * (v / 255) ** 1.9 * 0.7, 6],
    ['flat', (v: number) => 70 + v * 0.45, 2],
  ])('brings an image that is %s closer to the good one', (_, damage, dB) => {
    const damaged = mapped(ground, damage);
    expect(psnr(improved(damaged), ground)).toBeGreaterThan(psnr(damaged, ground) + dB);
  });

  test('gives an image with four stops less light most of it back', () => {
    const dark = withLight(ground, 2 ** -4);
    expect(psnr(improved(dark), ground)).toBeGreaterThan(psnr(dark, ground) + 8);
  });

  test.each([
    ['yellow', [1.0, 0.93, 0.74]],
    ['blue', [0.65, 0.86, 1.0]],
  ])('brings an image under %s light closer to its result for the good one', (_, light) => {
    const damaged = mapped(ground, (v, c) => v * light[c]!);
    // The ground alone is darker than a picture should be, and gets light of its own.
    expect(psnr(improved(damaged), improved(ground))).toBeGreaterThan(psnr(damaged, ground) + 1);
  });

  // The colours of these lights were too far from neutral to count as a cast.
  test.each([
    ['blue', [0.25, 0.6, 1]],
    ['orange', [1, 0.55, 0.27]],
    ['green', [0.6, 1, 0.6]],
  ])('takes most of a strong %s light from an image', (_, gains) => {
    const damaged = mapped(ground, (v, c) => 255 * codedLight(linearLight(v / 255) * gains[c]!));
    const cast = (picture: Picture): number => {
      const sums = [0, 0, 0];
      picture.data.forEach((v, i) => (sums[i % 3]! += v));
      return Math.hypot(Math.log(sums[0]! / sums[1]!), Math.log(sums[2]! / sums[1]!));
    };
    expect(cast(improved(damaged)) - cast(ground)).toBeLessThan((cast(damaged) - cast(ground)) / 2);
  });

  test('does not correct the orange light of a sunset, whose shadows are neutral', () => {
    const sunset = mapped(photograph, (v, c) => v * (1 - [0, 0.3, 0.55][c]! * Math.max(0, (v - 120) / 135)));
    expect(improveTone(sunset, 'ENHANCE')).not.toContain('balance');
  });

  const lean = (picture: Picture): number => {
    const { red, blue } = lightOf(picture);
    return Math.hypot(red, blue);
  };

  // Fog, leaves and dusk became brighter because no larger area was white.
  test('leaves the exposure of an image whose brightest points are white', () => {
    const dim = mapped(ground, (v) => v * 0.75);
    expect(improveTone({ ...dim, data: dim.data.slice() }, 'ENHANCE')).toContain('exposure');
    for (let y = 40; y < 52; y += 1) dim.data.fill(245, 3 * (y * dim.width + 200), 3 * (y * dim.width + 212));
    expect(improveTone(dim, 'ENHANCE')).not.toContain('exposure');
  });

  test.each([
    ['a cast', [1.0, 0.93, 0.78]],
    ['a strong cast', [1.0, 0.85, 0.55]],
  ])('reduces %s of grey objects to a mild one', (_, light) => {
    const cast = mapped(ground, (v, c) => v * light[c]!);
    expect(lean(cast)).toBeGreaterThan(0.4);
    expect(lean(improved(cast))).toBeLessThan(0.3);
  });

  // Dusk, mist and the light of lamps lost their colour.
  test('leaves a mild cast, as good photographs have it', () => {
    const mild = mapped(ground, (v, c) => v * [1.0, 0.95, 0.86][c]!);
    expect(lean(mild)).toBeGreaterThan(0.15);
    expect(improveTone(mild, 'ENHANCE')).not.toContain('balance');
  });

  // It kept the luma of white instead, and so made what was grey under warm light darker.
  test.each([
    ['warm', [1.0, 0.93, 0.7]],
    ['cool', [0.75, 0.93, 1.0]],
  ])('removes a %s cast without making greys darker or lighter', (_, light) => {
    const cast = mapped(addWhite(copyOf(ground)), (v, c) => v * light[c]!);
    const after = improved(cast);
    const greys = Array.from({ length: ground.width * ground.height }, (_, i) => i).filter((i) => {
      const colour = pixelAt(ground, i);
      return Math.min(...colour) > 100 && Math.max(...colour) - Math.min(...colour) < 10;
    });
    const luma = (picture: Picture): number =>
      greys.reduce((sum, i) => {
        const [r, g, b] = pixelAt(picture, i);
        return sum + 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
      }, 0) / greys.length;
    expect(luma(after) / luma(cast)).toBeCloseTo(1, 2);
  });

  test('brightens a dark image as more light would, without a change of hue', () => {
    const dark = flat(64, 64, [0, 0, 0]);
    for (let i = 0; i < 64 * 64; i += 1) {
      for (let c = 0; c < 3; c += 1) dark.data[i * 3 + c] = ([150, 100, 60][c]! * (i >> 6)) / 63;
    }
    const [r, g, b] = pixel(improved(dark), 30, 63) as [number, number, number];
    expect(r).toBeGreaterThan(180);
    const light = (v: number): number => linearLight(v / 255);
    expect(light(r) / light(g)).toBeCloseTo(light(150) / light(100), 0.5);
    expect(light(g) / light(b)).toBeCloseTo(light(100) / light(60), 0.5);
  });

  test('has different modes: VIVID is the most colourful, NATURAL the most restrained', () => {
    const dull = mapped(photograph, (v) => 60 + v * 0.55);
    const [natural, enhance, vivid] = (['NATURAL', 'ENHANCE', 'VIVID'] as const).map((look) => improved(dull, look));
    const colour = (picture: Picture): number => toneStatistics(picture)!.colourfulness;
    expect(colour(natural!)).toBeLessThan(colour(enhance!));
    expect(colour(enhance!)).toBeLessThan(colour(vivid!) * 0.92);
    expect(meanDifference(natural!, dull)).toBeLessThan(meanDifference(enhance!, dull));
  });

  test('keeps grey neutral, preserves alpha, and stretches 16 bits as 8', () => {
    const low = mapped(photograph, (v) => 60 + v * 0.4);
    const data = new Uint16Array(low.width * low.height * 2);
    for (let i = 0; i < data.length; i += 2) {
      data[i] = low.data[(i / 2) * 3 + 1]! * 257;
      data[i + 1] = 65_535 - (i % 9);
    }
    const grey: Picture = { ...low, data, channels: 2, space: 'grey', hasAlpha: true };
    const result = improved(grey);
    expect(result.data.filter((_, i) => i % 2 === 1)).toEqual(data.filter((_, i) => i % 2 === 1));
    const range = (picture: Picture): number => toneStatistics(picture)!.high - toneStatistics(picture)!.low;
    expect(range(result)).toBeGreaterThan(range(grey) * 1.3);
  });

  test('preserves the colours of a logo', () => {
    const logo = flat(200, 100, [96, 112, 138]);
    for (let i = 0; i < 200 * 100; i += 1) if (i % 200 < 60) logo.data.fill(250, i * 3, i * 3 + 3);
    const copy = copyOf(logo);
    expect(improveTone(copy, 'ENHANCE')).toEqual([]);
    expect(sameSamples(copy, logo)).toBe(true);
  });

  test('does not change CMYK, a swatch or a transparent image', () => {
    const cases = [flat(64, 64, [9, 80, 120, 30], 'cmyk'), flat(9, 9, [120, 60, 60]), flat(64, 64, [80, 90, 70, 0])];
    for (const picture of cases) {
      const copy = copyOf(picture);
      expect(improveTone(copy, 'VIVID')).toEqual([]);
      expect(copy.data).toEqual(picture.data);
    }
  });
});
