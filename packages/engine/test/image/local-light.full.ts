import { describe, expect, test } from '@jest/globals';
import { applyLocalLight } from '../../src/image/steps/apply-local-light.ts';
import { boxMean } from '../../src/image/filters/box-filter.ts';
import { LOOKS } from '../../src/image/steps/looks.ts';
import { planLocalLight } from '../../src/image/steps/local-light.ts';
import type { Picture } from '../../src/image/picture.ts';
import { resample } from '../../src/image/filters/resample.ts';
import { toneThumbnail } from '../../src/image/steps/tone-thumbnail.ts';
import { improveTone } from '../../src/image/steps/tone.ts';
import type { ToneChange } from '../../src/image/steps/tone-change.ts';
import { flat } from '../support/files.ts';
import { copyOf, meanDifference, sameSamples, withNoise } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';

const photograph = syntheticPhotograph(384, 288);

/** A third of the picture is a bright window; the rest is as dark as beside one, with a sensor's noise. */
function besideWindow(picture: Picture, noise = 1, part = 0.2): Picture {
  const dark = copyOf(picture);
  for (let i = 0; i < dark.data.length; i += 1) {
    const bright = Math.floor(i / 3) % picture.width < picture.width / 3;
    dark.data[i] = bright ? 200 + (dark.data[i]! >> 3) : dark.data[i]! * part;
  }
  return withNoise(dark, noise);
}

async function toned(picture: Picture): Promise<{ picture: Picture; change: ToneChange | undefined }> {
  const copy = copyOf(picture);
  const { change } = await improveTone(copy, 'ENHANCE');
  return { picture: copy, change };
}

/** Luma of a pixel. */
const lumaAt = ({ data }: Picture, i: number): number =>
  0.2126 * data[3 * i]! + 0.7152 * data[3 * i + 1]! + 0.0722 * data[3 * i + 2]!;

/** Median luma of the part that is not the window. */
function darkMedian(picture: Picture): number {
  const values: number[] = [];
  for (let i = 0; i < picture.data.length / 3; i += 1)
    if (i % picture.width > picture.width * 0.4) values.push(lumaAt(picture, i));
  return values.sort((a, b) => a - b)[values.length >> 1]!;
}

const largerOf = (picture: Picture): Picture => resample(picture, 1640, 1230);

describe('local light', () => {
  test.each([
    ['by pixel', (picture: Picture) => picture],
    ['by blocks of a large picture', largerOf],
  ])('brightens the dark part of an image with a bright window, which stays: %s', async (_, sized) => {
    const before = sized(besideWindow(photograph));
    const { picture: after, change } = await toned(before);
    expect(change).toMatchObject({ local: true });
    expect(darkMedian(after)).toBeGreaterThan(darkMedian(before) * 1.6);
    const window = (picture: Picture): number =>
      lumaAt(picture, Math.floor(picture.width * (picture.height / 2 + 0.15)));
    expect(Math.abs(window(after) - window(before))).toBeLessThan(12);
  });

  test('preserves the hues of brightened parts', async () => {
    const before = besideWindow(photograph, 0);
    const { picture: after } = await toned(before);
    let [kept, looked] = [0, 0];
    for (let i = 0; i < before.data.length; i += 3) {
      const [r, g, b] = before.data.subarray(i, i + 3) as unknown as [number, number, number];
      if (Math.max(r, g, b) > 60 || Math.max(r, g, b) - Math.min(r, g, b) < 14) continue;
      const order = (at: Picture): string => [0, 1, 2].sort((a, c) => at.data[i + c]! - at.data[i + a]!).join();
      looked += 1;
      if (order(after) === order(before)) kept += 1;
    }
    expect(looked).toBeGreaterThan(500);
    expect(kept / looked).toBeGreaterThan(0.97);
  });

  test.each([
    ['by pixel', (picture: Picture) => picture],
    ['by blocks of a large picture', largerOf],
  ])('reverses no edge, so that there is no halo: %s', async (_, sized) => {
    const before = sized(besideWindow(photograph, 0));
    const { picture: after } = await toned(before);
    let [edges, reversed] = [0, 0];
    for (let y = 0; y < before.height; y += 3) {
      for (let x = 0; x + 6 < before.width; x += 1) {
        const i = y * before.width + x;
        const step = lumaAt(before, i + 6) - lumaAt(before, i);
        if (Math.abs(step) < 24) continue;
        edges += 1;
        const now = lumaAt(after, i + 6) - lumaAt(after, i);
        if (now * step < 0 && Math.abs(now) > 2) reversed += 1;
      }
    }
    expect(edges).toBeGreaterThan(300);
    expect(reversed / edges).toBeLessThan(0.005);
  });

  test.each([
    ['by pixel', 600],
    ['by blocks of a large picture', 1640],
  ])('does not amplify the noise of a uniform dark wall: %s', (_, width) => {
    const height = (width * 3) / 4;
    const room = flat(width, height, [34, 31, 28]);
    for (let i = 0; i < room.data.length; i += 1) {
      const x = Math.floor(i / 3) % width;
      if (x < width * 0.4) room.data[i] = 235;
      else room.data[i] = room.data[i]! * (0.8 + 0.5 * (x / width));
    }
    const before = withNoise(room, 1.5);
    const after = copyOf(before);
    // An even wall is no shade of its own, but a face before it is too dark.
    const faces = [{ x: 0.5, y: 0.2, width: 0.3, height: 0.4 }];
    const light = planLocalLight(toneThumbnail(before), { depth: 4, faceLight: 0.62, faces })!;
    applyLocalLight(after, { ...light, noise: 1.5 / 255 });
    /** Deviation from the neighbours of every fifth pixel of a column in the wall, and its mean. */
    const wall = (picture: Picture): { mean: number; noise: number } => {
      let [sum, square, count] = [0, 0, 0];
      for (let y = 8; y < height - 8; y += 5) {
        for (let x = Math.floor(width * 0.6); x < width * 0.62; x += 1) {
          const i = y * width + x;
          sum += lumaAt(picture, i);
          square += (lumaAt(picture, i) - (lumaAt(picture, i - 4) + lumaAt(picture, i + 4)) / 2) ** 2;
          count += 1;
        }
      }
      return { mean: sum / count, noise: Math.sqrt(square / count / 1.5) };
    };
    const [was, is] = [wall(before), wall(after)];
    expect(is.mean).toBeGreaterThan(was.mean * 1.3);
    expect(is.noise).toBeLessThan(was.noise * 1.25);
  });

  test('keeps black gaps between bright leaves black', () => {
    const leaves = flat(400, 300, [10, 10, 10]);
    for (let y = 0; y < 300; y += 1) {
      for (let x = 0; x < 400; x += 1) if ((x * 3 + y) % 40 < 9) leaves.data.set([70, 130, 40], 3 * (y * 400 + x));
    }
    leaves.data.fill(235, 0, 3 * 400 * 100);
    const before = withNoise(leaves, 1);
    const after = copyOf(before);
    const light = planLocalLight(toneThumbnail(before), { depth: LOOKS.ENHANCE.shadeDepth })!;
    // Texture without a calm tile counts as noise of four levels.
    applyLocalLight(after, { ...light, noise: 4 / 255 });
    const gaps = Array.from({ length: 400 * 300 }, (_, i) => i).filter((i) => leaves.data[3 * i] === 10);
    const mean = (picture: Picture): number => gaps.reduce((sum, i) => sum + lumaAt(picture, i), 0) / gaps.length;
    expect(mean(after)).toBeLessThan(2.5 * mean(before));
  });

  test('gives no less light to a picture with more, and to shade of an accepted depth none', () => {
    const shaded = besideWindow(photograph, 1, 0.45);
    const raised = (picture: Picture): Picture => {
      const copy = copyOf(picture);
      const light = planLocalLight(toneThumbnail(picture), { depth: LOOKS.ENHANCE.shadeDepth });
      if (light) applyLocalLight(copy, light);
      return copy;
    };
    const exposed = [0.7, 0.8, 0.9, 1].map((gain) => {
      const copy = copyOf(shaded);
      copy.data.forEach((value, i) => (copy.data[i] = value * gain));
      return darkMedian(raised(copy));
    });
    expect(exposed.toSorted((a, b) => a - b)).toEqual(exposed);
    const once = raised(shaded);
    expect(meanDifference(once, shaded)).toBeGreaterThan(3);
    expect(meanDifference(raised(once), once)).toBeLessThan(1.5);
  });

  test('raises black speckles with the shade around them', () => {
    const before = besideWindow(photograph);
    const speckles: number[] = [];
    for (let i = 0; i < 384 * 288; i += 17) {
      const light = lumaAt(before, i);
      if (light < 12 || light > 22) continue;
      speckles.push(i);
      before.data.fill(5, 3 * i, 3 * i + 3);
    }
    const after = copyOf(before);
    applyLocalLight(after, planLocalLight(toneThumbnail(before), { depth: LOOKS.ENHANCE.shadeDepth })!);
    const gain = (pixels: readonly number[]): number =>
      pixels.reduce((sum, i) => sum + lumaAt(after, i), 0) / pixels.reduce((sum, i) => sum + lumaAt(before, i), 0);
    const shade = speckles.map((i) => i + 2);
    expect(speckles.length).toBeGreaterThan(200);
    expect(gain(shade)).toBeGreaterThan(1.3);
    expect(gain(speckles)).toBeGreaterThan(gain(shade) * 0.8);
  });

  test('leaves a night sky dark and bright areas unchanged', async () => {
    const night = withNoise(flat(400, 300, [7, 8, 12]), 1);
    for (let i = 0; i < 30; i += 1) {
      for (let y = 0; y < 8; y += 1) {
        const at = ((220 + y) * 400 + i * 13) * 3;
        night.data.fill(240, at, at + 24);
      }
    }
    const { picture } = await toned(night);
    const sky = Array.from({ length: 400 }, (_, i) => lumaAt(picture, i * 201)).sort((a, b) => a - b);
    expect(sky[200]!).toBeLessThan(30);
    const { change } = await toned(photograph);
    expect(change?.local).not.toBe(true);
  });

  test('does not change a dark screen of few colours, intentional grey in CMYK, or a tiny image', async () => {
    const screen = flat(600, 400, [24, 26, 30]);
    expect((await toned(screen)).change).toBeUndefined();
    expect((await toned(withNoise(screen, 0.7))).change).toBeUndefined();
    expect(planLocalLight(toneThumbnail(flat(12, 12, [24, 26, 30])), { depth: 0 })).toBeUndefined();
    expect((await toned(flat(64, 64, [200, 200, 200, 200], 'cmyk'))).change).toBeUndefined();
  });

  test('has the same effect in grey and 16 bits, and preserves alpha', () => {
    const before = besideWindow(photograph);
    const light = planLocalLight(toneThumbnail(before), { depth: LOOKS.ENHANCE.shadeDepth })!;
    const colour = copyOf(before);
    applyLocalLight(colour, { ...light, noise: 1 / 255 });
    const deep: Picture = { ...before, data: Uint16Array.from(before.data, (v) => v * 257) };
    applyLocalLight(deep, { ...light, noise: 1 / 255 });
    expect(meanDifference({ ...deep, data: Uint8Array.from(deep.data, (v) => v / 257) }, colour)).toBeLessThan(1);
    const grey: Picture = {
      ...before,
      channels: 2,
      space: 'grey',
      hasAlpha: true,
      data: new Uint8Array(384 * 288 * 2),
    };
    for (let i = 0; i < 384 * 288; i += 1) grey.data.set([before.data[3 * i + 1]!, i & 255], 2 * i);
    const kept = copyOf(grey);
    applyLocalLight(grey, { ...light, noise: 1 / 255 });
    expect(sameSamples(grey, kept)).toBe(false);
    expect(grey.data.every((value, i) => i % 2 === 0 || value === kept.data[i])).toBe(true);
  });

  test('measures the noise only of a picture in which there may be deep shade', () => {
    const measured = (picture: Picture): number => {
      let count = 0;
      const noise = (): number => {
        count += 1;
        return 1 / 255;
      };
      planLocalLight(toneThumbnail(picture), { depth: LOOKS.ENHANCE.shadeDepth, noise });
      return count;
    };
    const bright = { ...photograph, data: photograph.data.map((value) => 90 + value / 2) };
    expect(measured(bright)).toBe(0);
    expect(measured(besideWindow(photograph))).toBe(1);
  });
});

test('uses a box mean that is the mean of its window, cut off at the edges', () => {
  const [width, height] = [13, 9];
  const plane = Float32Array.from({ length: width * height }, (_, i) => (i * 37) % 101);
  const found = boxMean(plane, width, height, 3, 20);
  for (let x = 0; x < width; x += 1) {
    let [sum, count] = [0, 0];
    for (let y = 0; y < height; y += 1)
      for (let i = Math.max(0, x - 3); i <= Math.min(width - 1, x + 3); i += 1, count += 1)
        sum += plane[y * width + i]!;
    expect(found[4 * width + x]!).toBeCloseTo(sum / count, 2);
  }
});
