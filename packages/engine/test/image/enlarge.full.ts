import { beforeAll, describe, expect, test } from '@jest/globals';
import { enlarge, type EnlargeOptions } from '../../src/image/steps/enlarge.ts';
import { NO_DAMAGE } from '../../src/image/steps/damage.ts';
import type { Picture } from '../../src/image/picture.ts';
import { resample } from '../../src/image/filters/resample.ts';
import { NO_MODELS, type ModelSet } from '../../src/neural/model-set.ts';
import { testModels } from '../../../../test/support/models.ts';
import { asSharp, flat, pixel } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';
import { meanDifference, psnr, sameSamples } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';
import { flop } from '../support/flop.ts';

const photograph = syntheticPhotograph(240, 180);
let halved: Picture;
/** Large enough for what does not depend on the picture: the work of a network grows with its pixels. */
const small = resample(photograph, 48, 36);
let models: ModelSet;
beforeAll(async () => {
  halved = resample(photograph, 120, 90);
  models = await testModels();
});

const twice = (picture: Picture, more: Partial<EnlargeOptions> = {}) =>
  enlarge(picture, { scale: 2, asked: 'AUTO', models, damage: NO_DAMAGE, ...more });

describe('enlarging an image', () => {
  test('by a network restores more of a halved photograph than interpolation, and a better tier more', async () => {
    const quality = async (asked: EnlargeOptions['asked'], scale: number): Promise<number> => {
      const small = resample(photograph, 240 / scale, 180 / scale);
      return psnr((await twice(small, { asked, scale })).picture, photograph);
    };
    for (const scale of [2, 4]) {
      const [plain, fast, fine] = [
        await quality('PLAIN', scale),
        await quality('FAST', scale),
        await quality('FINE', scale),
      ];
      expect(fast).toBeGreaterThan(plain + 0.3);
      expect(fine).toBeGreaterThan(plain + 0.8);
    }
  });

  test.each(['FINE', 'FAST', 'AUTO', 'DETAIL'] as const)(
    'by %s keeps the white ground of an object white, to its edges',
    async (asked) => {
      const product = flat(48, 40, [255, 255, 255]);
      for (let y = 14; y < 26; y += 1)
        for (let x = 16; x < 32; x += 1) product.data.set([200 - 4 * x, 40 + 3 * y, 90], (y * 48 + x) * 3);
      for (const scale of [2, 4]) {
        const { picture } = await twice(product, { asked, scale });
        const ground = Array.from({ length: picture.width * picture.height }, (_, i) => i).filter((i) => {
          const [x, y] = [(i % picture.width) / scale, Math.floor(i / picture.width) / scale];
          return x < 14 || x >= 34 || y < 12 || y >= 28;
        });
        expect(
          ground.flatMap((i) => [...picture.data.subarray(3 * i, 3 * i + 3)]).filter((value) => value !== 255),
        ).toEqual([]);
      }
    },
  );

  test('of JPEG quality 50 is closer to the original with the stronger network', async () => {
    const jpeg = await readRgb(await asSharp(halved).jpeg({ quality: 50 }).toBuffer());
    const [gentle, firm] = [
      await twice(jpeg, { asked: 'FINE' }),
      await twice(jpeg, { asked: 'FINE', damage: { ...NO_DAMAGE, quality: 50 } }),
    ];
    expect([gentle.models, firm.models]).toEqual([['waifu2x-photo-n0'], ['waifu2x-photo-n3']]);
    expect(psnr(firm.picture, photograph)).toBeGreaterThan(psnr(gentle.picture, photograph) + 0.5);
  });

  test.each(['FINE', 'FAST', 'DETAIL'] as const)(
    'by %s keeps the position of each detail, mirrored or not',
    async (asked) => {
      const [one, other] = [await twice(halved, { asked }), await twice(flop(halved), { asked })];
      expect(meanDifference(flop(one.picture), other.picture)).toBeLessThan(asked === 'DETAIL' ? 1.5 : 1.2);
      const dot = flat(31, 31, [40, 40, 40]);
      for (let y = 13; y <= 17; y += 1) dot.data.fill(220, (y * 31 + 13) * 3, (y * 31 + 18) * 3);
      for (const scale of [2, 4]) {
        const { picture } = await twice(dot, { asked, scale });
        let [mass, momentX, momentY] = [0, 0, 0];
        for (let i = 0; i < picture.data.length; i += 3) {
          const [red, green, blue] = picture.data.subarray(i, i + 3);
          const value = 0.299 * red! + 0.587 * green! + 0.114 * blue! - 40;
          mass += value;
          momentX += value * ((i / 3) % picture.width);
          momentY += value * Math.floor(i / 3 / picture.width);
        }
        expect(Math.abs(momentX / mass + 0.5 - 15.5 * scale)).toBeLessThan(0.1 * scale);
        expect(Math.abs(momentY / mass + 0.5 - 15.5 * scale)).toBeLessThan(0.1 * scale);
      }
    },
  );

  test.each(['FINE', 'FAST', 'DETAIL'] as const)('by four with %s shifts neither tone nor colour', async (asked) => {
    const { picture } = await twice(halved, { asked, scale: 4 });
    const back = resample(picture, 120, 90);
    for (const channel of [0, 1, 2]) {
      const mean = ({ data }: Picture): number => {
        let sum = 0;
        for (let i = channel; i < data.length; i += 3) sum += data[i]!;
        return sum / (120 * 90);
      };
      expect(Math.abs(mean(back) - mean(halved))).toBeLessThan(1.5);
    }
    expect(psnr(back, halved)).toBeGreaterThan(28);
  });

  test('shows no seam between tiles', async () => {
    const wide = syntheticPhotograph(300, 40, 3);
    const { picture } = await twice(wide, { scale: 4 });
    /** Mean step from a column to the next, against that of the columns around. */
    const step = (x: number): number => {
      let sum = 0;
      for (let y = 0; y < picture.height; y += 1)
        sum += Math.abs(pixel(picture, x, y)[1]! - pixel(picture, x - 1, y)[1]!);
      return sum;
    };
    for (const seam of [512, 1024]) {
      const around = [-7, -5, -3, 3, 5, 7].map((by) => step(seam + by));
      expect(step(seam)).toBeLessThan(2 * Math.max(...around));
    }
  });

  test('interpolates alpha, and hides the colour of transparent pixels', async () => {
    const picture = flat(24, 24, [200, 40, 40, 255]);
    for (let i = 0; i < 24 * 24; i += 1) if (i % 24 >= 12) picture.data.set([0, 255, 0, 0], i * 4);
    const { picture: result } = await twice(picture);
    const alone = await twice(flat(24, 24, [200, 40, 40]));
    for (let x = 0; x < 48; x += 1) {
      const [r, g, b, alpha] = pixel(result, x, 24);
      if (alpha! === 0) expect([r, g, b]).toEqual([0, 0, 0]);
      else {
        const expected = pixel(alone.picture, 24, 24);
        [r, g, b].forEach((value, c) => expect(Math.abs(value! - expected[c]!)).toBeLessThanOrEqual(6));
      }
    }
    expect(pixel(result, 4, 24)[3]).toBe(255);
    expect(pixel(result, 44, 24)[3]).toBe(0);
  });

  test('interpolates CMYK, and any image if no network is requested or available, and reports that', async () => {
    const cmyk = await twice(flat(8, 8, [10, 200, 30, 90], 'cmyk'));
    expect([pixel(cmyk.picture, 15, 15), cmyk.models]).toEqual([[10, 200, 30, 90], []]);
    expect(cmyk.note).toEqual({ code: 'ENLARGED', by: ['interpolation'], because: 'inks' });
    const plain = await twice(halved, { asked: 'PLAIN' });
    const absent = await twice(halved, { models: NO_MODELS });
    expect(sameSamples(plain.picture, absent.picture)).toBe(true);
    expect([plain.note, absent.note]).toEqual([
      { code: 'ENLARGED', by: ['interpolation'], because: null },
      { code: 'ENLARGED', by: ['interpolation'], because: 'no-network' },
    ]);
  });

  // Margins made it 40 times the work of its pixels.
  test('interpolates an image of 60,000 × 1 pixels, and reports the reason', async () => {
    const thin: Picture = { ...flat(60_000, 1, [0, 0, 0]) };
    thin.data.forEach((_, i) => (thin.data[i] = (i >> 5) & 255));
    const { picture, models: used, note } = await twice(thin);
    expect([picture.width, picture.height, used]).toEqual([120_000, 2, []]);
    expect(note).toEqual({ code: 'ENLARGED', by: ['interpolation'], because: 'narrow' });
    expect((await twice(flat(8, 4, [9, 9, 9]))).models).not.toEqual([]);
  });

  test('with AUTO uses the fast network for a photograph from a JPEG, and reports the reason', async () => {
    const damage = { ...NO_DAMAGE, quality: 75 };
    const [one, page] = [
      await twice(halved, { damage }),
      await twice(halved, { damage: { ...damage, drawing: true } }),
    ];
    expect(one.models).toEqual([models.fast!.name]);
    expect(one.note).toEqual({ code: 'ENLARGED_FROM_JPEG', by: one.models, quality: 75 });
    expect(page.models).toEqual(['waifu2x-photo-n1']);
    expect(page.note).toEqual({ code: 'ENLARGED', by: page.models, because: null });
  });

  test('with AUTO at X4 is the mean of both networks, but not of drawings or noise, and not at X2', async () => {
    const parts: number[] = [];
    const onPart = (part: number): void => void parts.push(part);
    const [mean, fine, fast] = [
      await twice(small, { scale: 4, onPart }),
      await twice(small, { scale: 4, asked: 'FINE' }),
      await twice(small, { scale: 4, asked: 'FAST' }),
    ];
    const halfway = fine.picture.data.map((sample, at) => (sample + fast.picture.data[at]! + 1) >> 1);
    expect(sameSamples(mean.picture, { ...fine.picture, data: halfway })).toBe(true);
    const both = ['waifu2x-photo-n0', 'waifu2x-photo', models.fast!.name];
    expect([mean.models, mean.note]).toEqual([both, { code: 'ENLARGED', by: both, because: 'mean' }]);
    expect(parts.at(-1)).toBeCloseTo(1);
    expect(parts).toEqual(parts.toSorted((one, two) => one - two));
    for (const damage of [
      { ...NO_DAMAGE, drawing: true },
      { ...NO_DAMAGE, noise: 4 },
    ])
      expect((await twice(small, { scale: 4, damage })).models).not.toContain(models.fast!.name);
    expect((await twice(small)).models).toEqual(['waifu2x-photo-n0']);
  });

  test('uses the fast network if the fine ones are missing, and interpolation if no network runs', async () => {
    const fallback = await twice(halved, { asked: 'FINE', models: { ...models, fine: null } });
    expect(fallback.models).toEqual([models.fast!.name]);
    expect(fallback.note).toEqual({ code: 'ENLARGED', by: fallback.models, because: 'no-fine' });
    const missing = await twice(halved, { models: { ...models, fine: '/nowhere' } });
    expect([missing.models, missing.fellBack, fallback.fellBack]).toEqual([[models.fast!.name], true, false]);
    const broken = await twice(halved, { models: { ...models, fine: '/nowhere', fast: null } });
    expect(broken.models).toEqual([]);
    expect(broken.note).toEqual({ code: 'ENLARGED', by: ['interpolation'], because: 'network-failed' });
  });
});
