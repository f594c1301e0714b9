import { describe, expect, test } from '@jest/globals';
import { enhancePixels } from '../../src/image/enhance-pixels.ts';
import { flat, pixel } from '../support/files.ts';
import { copyOf, sameSamples } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';

const photograph = syntheticPhotograph(90, 60);
const same = { width: 90, height: 60 };

describe('enhancePixels', () => {
  test('changes nothing without requested steps', async () => {
    const { picture, steps } = await enhancePixels(copyOf(photograph), { ...same, mode: 'OFF' });
    expect(steps).toEqual([]);
    expect(sameSamples(picture, photograph)).toBe(true);
  });

  test('resizes to exactly the requested pixels, larger or smaller', async () => {
    const { picture, steps } = await enhancePixels(copyOf(photograph), { width: 133, height: 201, mode: 'OFF' });
    expect([picture.width, picture.height, steps]).toEqual([133, 201, ['upscale']]);
    expect((await enhancePixels(copyOf(photograph), { width: 7, height: 1, mode: 'OFF' })).picture.data).toHaveLength(
      21,
    );
  });

  test('applies manual colour after the automatic one', async () => {
    const colour = { brightness: 0, contrast: 0, saturation: -1, gamma: 0, temperature: 0 };
    const dark = { ...photograph, data: photograph.data.map((v) => v * 0.5) };
    const { picture, steps } = await enhancePixels(copyOf(dark), { ...same, mode: 'ENHANCE', colour });
    expect(steps).toEqual(['tone', 'color-adjust']);
    const [r, g, b] = pixel(picture, 62, 37);
    expect(Math.max(r!, g!, b!) - Math.min(r!, g!, b!)).toBeLessThanOrEqual(1);
  });

  test('enlarges CMYK and preserves its colours', async () => {
    const colour = { brightness: 1, contrast: 0, saturation: 0, gamma: 0, temperature: 0 };
    const { picture, steps } = await enhancePixels(flat(40, 40, [10, 200, 30, 90], 'cmyk'), {
      width: 80,
      height: 80,
      mode: 'VIVID',
      colour,
    });
    expect(steps).toEqual(['upscale']);
    expect(pixel(picture, 79, 79)).toEqual([10, 200, 30, 90]);
  });
});
