import { describe, expect, test } from 'vitest';
import type { Picture } from '../../../src/engine/image/picture.ts';
import { toneStatistics } from '../../../src/engine/image/tone-statistics.ts';
import { improveTone } from '../../../src/engine/image/tone.ts';
import { flat } from '../support/files.ts';
import { copyOf, meanDifference, psnr } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';

const photograph = syntheticPhotograph(256, 192);

function mapped(picture: Picture, change: (value: number, channel: number) => number): Picture {
  return {
    ...picture,
    data: picture.data.map((v, i) => Math.max(0, Math.min(255, Math.round(change(v, i % picture.channels))))),
  };
}

function improved(picture: Picture, look: 'ENHANCE' | 'NATURAL' | 'VIVID' = 'ENHANCE'): Picture {
  const copy = copyOf(picture);
  improveTone(copy, look);
  return copy;
}

describe('improveTone', () => {
  test('leaves a picture that needs nothing nearly untouched', () => {
    expect(meanDifference(improved(photograph, 'NATURAL'), photograph)).toBeLessThan(1.5);
    expect(meanDifference(improved(photograph, 'ENHANCE'), photograph)).toBeLessThan(4);
  });

  test('changes less the second time', () => {
    const dark = mapped(photograph, (v) => v * 0.5);
    const once = improved(dark);
    expect(meanDifference(improved(once), once)).toBeLessThan(meanDifference(once, dark) / 2);
  });

  test.each([
    ['underexposed', (v: number) => 255 * (v / 255) ** 1.9 * 0.7],
    ['flat', (v: number) => 70 + v * 0.45],
    ['under yellow light', (v: number, c: number) => v * [1.0, 0.93, 0.74][c]!],
    ['under blue light', (v: number, c: number) => v * [0.78, 0.93, 1.0][c]!],
  ])('brings a picture that is %s nearer to the good one', (_, damage) => {
    const damaged = mapped(photograph, damage);
    expect(psnr(improved(damaged), photograph)).toBeGreaterThan(psnr(damaged, photograph) + 1);
  });

  test('takes most of a cast out of what should be grey', () => {
    const cast = mapped(photograph, (v, c) => v * [1.0, 0.93, 0.78][c]!);
    const spread = (picture: Picture): number => {
      const { light } = toneStatistics(picture)!;
      return Math.max(...light) - Math.min(...light);
    };
    expect(spread(improved(cast))).toBeLessThan(spread(cast) * 0.5);
  });

  test('has looks that differ: VIVID is the most colourful, NATURAL the most restrained', () => {
    const dull = mapped(photograph, (v) => 60 + v * 0.55);
    const [natural, enhance, vivid] = (['NATURAL', 'ENHANCE', 'VIVID'] as const).map((look) => improved(dull, look));
    const colour = (picture: Picture): number => toneStatistics(picture)!.colourfulness;
    expect(colour(natural!)).toBeLessThan(colour(enhance!));
    expect(colour(enhance!)).toBeLessThan(colour(vivid!) * 0.92);
    expect(meanDifference(natural!, dull)).toBeLessThan(meanDifference(enhance!, dull));
  });

  test('keeps grey grey, alpha as it is, and stretches 16 bits as it does 8', () => {
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

  test('does nothing to CMYK, to a swatch, or to a transparent picture', () => {
    const cases = [flat(64, 64, [9, 80, 120, 30], 'cmyk'), flat(9, 9, [120, 60, 60]), flat(64, 64, [80, 90, 70, 0])];
    for (const picture of cases) {
      const copy = copyOf(picture);
      expect(improveTone(copy, 'VIVID')).toEqual([]);
      expect(copy.data).toEqual(picture.data);
    }
  });
});
