import { describe, expect, test } from '@jest/globals';
import { adjustColour, type ManualColour } from '../../src/image/steps/color-adjust.ts';
import { flat, pixel } from '../support/files.ts';

const NEUTRAL: ManualColour = { brightness: 0, contrast: 0, saturation: 0, gamma: 0, temperature: 0 };

function adjusted(colour: number[], change: Partial<ManualColour>): number[] {
  const picture = flat(2, 2, colour, colour.length < 3 ? 'grey' : 'rgb');
  adjustColour(picture, { ...NEUTRAL, ...change });
  return pixel(picture, 1, 1);
}

describe('adjustColour', () => {
  test('changes nothing at zero', () => {
    const picture = flat(2, 2, [12, 130, 250]);
    expect(adjustColour(picture, NEUTRAL)).toBe(false);
    expect(pixel(picture, 0, 0)).toEqual([12, 130, 250]);
  });

  test('adds brightness to every channel', () => {
    expect(adjusted([100, 100, 100], { brightness: 0.4 })[0]).toBeCloseTo(100 + 25.5, -0.5);
    expect(adjusted([100, 100, 100], { brightness: -0.4 })[0]).toBeLessThan(80);
  });

  test('moves light and dark tones apart from the middle for contrast', () => {
    expect(adjusted([80, 80, 80], { contrast: 0.5 })[0]).toBeLessThan(70);
    expect(adjusted([180, 180, 180], { contrast: 0.5 })[0]).toBeGreaterThan(190);
    expect(adjusted([200, 200, 200], { contrast: -1 })[0]).toBe(164);
  });

  test('changes saturation from grey to twice the colour', () => {
    const [r, g, b] = adjusted([150, 100, 50], { saturation: -1 });
    expect(new Set([r, g, b]).size).toBe(1);
    const [r2, , b2] = adjusted([150, 120, 100], { saturation: 1 });
    expect(r2! - b2!).toBeGreaterThan(90);
  });

  test('lightens midtones by gamma and keeps black and white', () => {
    expect(adjusted([0, 128, 255], { gamma: 0.5, saturation: 0 })[0]).toBe(0);
    expect(adjusted([128, 128, 128], { gamma: 0.5 })[0]).toBeGreaterThan(145);
    expect(adjusted([128, 128, 128], { gamma: -0.5 })[0]).toBeLessThan(110);
    expect(adjusted([255, 255, 255], { gamma: -1 })[0]).toBe(255);
  });

  test('changes blue to red by temperature', () => {
    const [r, g, b] = adjusted([120, 120, 120], { temperature: 1 });
    expect([r! > 135, g, b! < 105]).toEqual([true, 120, true]);
  });

  test('preserves alpha, ignores colour in grey, and does not change CMYK', () => {
    expect(adjusted([100, 77], { brightness: 0.5 })[1]).toBe(77);
    expect(adjusted([100], { temperature: 1, saturation: 1 })).toEqual([100]);
    expect(adjustColour(flat(2, 2, [1, 2, 3, 4], 'cmyk'), { ...NEUTRAL, brightness: 1 })).toBe(false);
  });
});
