import { describe, expect, test } from '@jest/globals';
import type { Picture } from '../../src/image/picture.ts';
import { codedLight, linearLight } from '../../src/image/steps/curves.ts';
import { nightConfidence } from '../../src/image/steps/night.ts';
import { improveTone } from '../../src/image/steps/tone.ts';
import { copyOf, meanDifference, sameSamples, withNoise } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';

const photograph = syntheticPhotograph(384, 288);
const [width, height] = [photograph.width, photograph.height];

/** The scene with five stops less light, lamps that clip and light their surroundings, and a sensor's noise. */
function streetAtNight(seed = 7): Picture {
  const night = copyOf(photograph);
  const lamps = Array.from({ length: 9 }, (_, i) => [30 + i * 40, 70 + ((i * 53) % 120)] as const);
  for (let i = 0; i < width * height; i += 1) {
    const [x, y] = [i % width, Math.floor(i / width)];
    const near = lamps.map(([lx, ly]) => (x - lx) ** 2 + (y - ly) ** 2);
    for (let c = 0; c < 3; c += 1) {
      const scene = linearLight(night.data[3 * i + c]! / 255) / 32;
      const glow = near.reduce((sum, d2) => sum + 3 * Math.exp(-d2 / 8) + 0.02 / (1 + d2 / 40), 0) * [1, 0.8, 0.5][c]!;
      night.data[3 * i + c] = Math.round(255 * Math.min(1, codedLight(Math.min(1, scene + glow))));
    }
  }
  return withNoise(night, 1, seed);
}

/** The scene with three stops less light and a sensor's noise, without a lamp. */
function underexposed(stops = 3, noise = 1): Picture {
  const data = photograph.data.map((v) => Math.round(255 * codedLight(linearLight(v / 255) * 2 ** -stops)));
  return withNoise({ ...photograph, data }, noise);
}

async function enhanced(picture: Picture): Promise<Picture> {
  const copy = copyOf(picture);
  await improveTone(copy, 'ENHANCE');
  return copy;
}

const lumas = ({ data }: Picture): number[] =>
  Array.from(
    { length: data.length / 3 },
    (_, i) => 0.2126 * data[3 * i]! + 0.7152 * data[3 * i + 1]! + 0.0722 * data[3 * i + 2]!,
  );
const percentile = (picture: Picture, part: number): number => {
  const values = lumas(picture).sort((a, b) => a - b);
  return values[Math.floor((values.length - 1) * part)]!;
};

/** Mean difference of neighbours in the calmer half of tiles of 8×8 pixels. */
function calmNoise(picture: Picture): number {
  const luma = lumas(picture);
  const tiles: number[] = [];
  for (let y = 0; y + 8 < height; y += 8) {
    for (let x = 0; x + 8 < width; x += 8) {
      let sum = 0;
      for (let k = 0; k < 64; k += 1) {
        const i = (y + (k >> 3)) * width + x + (k & 7);
        sum += Math.abs(luma[i]! - (luma[i + 1]! + luma[i + width]!) / 2);
      }
      tiles.push(sum / 64);
    }
  }
  tiles.sort((a, b) => a - b);
  return tiles[tiles.length >> 2]!;
}

describe('a night scene', () => {
  test('stays night: neither its blacks, its noise nor the glow of its lamps grow', async () => {
    const before = streetAtNight();
    expect(percentile(before, 0.5)).toBeLessThan(40);
    expect(sameSamples(await enhanced(before), before)).toBe(true);
  });

  test('is told to look too dark, and to stay so because it is night', async () => {
    const [left] = (await improveTone(streetAtNight(), 'ENHANCE')).left;
    expect(left).toMatchObject({ because: 'night' });
    expect(left!.light).toBeLessThan(-0.3);
  });

  test('stays night in VIVID, which deepens colour and contrast alone', async () => {
    const [before, after] = [streetAtNight(), streetAtNight()];
    const { change } = await improveTone(after, 'VIVID');
    expect(change).toMatchObject({ local: false });
    expect(percentile(after, 0.5)).toBeLessThanOrEqual(percentile(before, 0.5));
  });

  test('has the same result with other noise', async () => {
    const [one, other] = [streetAtNight(7), streetAtNight(8)];
    expect(meanDifference(await enhanced(one), await enhanced(other))).toBeLessThan(meanDifference(one, other) + 0.5);
  });
});

describe('an underexposed image', () => {
  test('becomes bright, with no more visible noise than before', async () => {
    const before = underexposed();
    const after = await enhanced(before);
    expect(percentile(after, 0.5)).toBeGreaterThan(percentile(before, 0.5) * 1.8);
    // One level more is invisible.
    expect(calmNoise(after)).toBeLessThan(calmNoise(before) + 1);
  });

  test('keeps its details while the noise goes', async () => {
    const [noisy, clean] = [await enhanced(underexposed(3, 1)), await enhanced(underexposed(3, 0))];
    expect(meanDifference(noisy, clean)).toBeLessThan(4);
  });

  test.each([0.9, 0.97, 1.03])('keeps the order of brightness with %d of its light', async (factor) => {
    const stops = (share: number): Picture => underexposed(0.35 - Math.log2(share), 0);
    const own = percentile(await enhanced(stops(1)), 0.5);
    const other = percentile(await enhanced(stops(factor)), 0.5);
    if (factor < 1) expect(other).toBeLessThanOrEqual(own + 1);
    else expect(other).toBeGreaterThanOrEqual(own - 1);
  });
});

test('a dark scene with lamps never comes out darker with more light', async () => {
  const medians: number[] = [];
  for (const stops of [-2.5, -2, -1.5, -1, -0.5, 0, 0.5]) {
    const scene = copyOf(photograph);
    for (let i = 0; i < scene.data.length; i += 1) {
      const [x, y] = [Math.floor(i / 3) % width, Math.floor(i / 3 / width)];
      const lamp = x % 48 < 2 && y % 72 < 2 && y > 10 ? 1 : 0;
      const light = (linearLight(scene.data[i]! / 255) * 2 ** -2.5 + lamp) * 2 ** stops;
      scene.data[i] = Math.round(255 * codedLight(Math.min(1, light)));
    }
    medians.push(percentile(await enhanced(scene), 0.5));
  }
  medians.slice(1).forEach((median, k) => expect(median).toBeGreaterThan(medians[k]! - 1));
});

// It was corrected in part, and in full by a second enhancement, which found fewer signs.
test('a dark scene with a part of the signs of night counts as night', () => {
  const lit = { median: 0.06, black: 0.06, bright: 0.05 };
  const levels = { median: 0.06, high: 0.84, points: 0.89, lights: 2.03, colourfulness: 0.03, white: 0 };
  const confidence = nightConfidence({ ...levels, lit });
  expect(confidence).toBeGreaterThan(0.7);
  expect(confidence).toBeLessThan(1);
});
