import { image, withLight, withNoise } from './cases.ts';
import { pixels } from './contenders.ts';
import { colourError, luma, type Rgb } from './metrics.ts';

/** Share of light of the darker pictures whose results must not become brighter. */
const DARKER = [0.97, 0.9, 0.8];
/** Side of the blocks whose means are compared, pixels: decisions change them, noise and coding hardly. */
const BLOCK = 8;
/** Part of each side that a crop keeps */
const KEPT = 0.98;

export type Enhance = (picture: Rgb) => Rgb | Promise<Rgb>;

/**
 * Measures by how much small changes of a picture change its result beyond their own effect, in ΔE*ab of block means, and by how many
 * levels of luma the result of a darker picture is brighter. `second pass` is the ΔE of all pixels between a result and the result
 * of that result.
 */
export async function measureStability(picture: Rgb, enhance: Enhance): Promise<Record<string, number>> {
  const result = await enhance(picture);
  const excess = async (changed: Rgb): Promise<number> => {
    return blockError(result, await enhance(changed)) - blockError(picture, changed);
  };
  const brightness = async (light: number): Promise<number> => {
    return meanLuma(await enhance(withLight(picture, [light, light, light])));
  };
  const byLight = [meanLuma(result)];
  for (const light of DARKER) byLight.push(await brightness(light));
  return {
    'second pass': colourError(result, await enhance(result)),
    'noise of one level': await excess(withNoise(picture, 1, 7)),
    '3 % more light': await excess(withLight(picture, [1.03, 1.03, 1.03])),
    '3 % less light': await excess(withLight(picture, [0.97, 0.97, 0.97])),
    'JPEG 90': await excess(await pixels(await image(picture).jpeg({ quality: 90 }).toBuffer())),
    'crop of 2 %': blockError(cropped(result), await enhance(cropped(picture))),
    'darker is brighter': Math.max(...byLight.slice(1).map((level, i) => level - byLight[i]!)),
  };
}

function blockError(a: Rgb, b: Rgb): number {
  return colourError(blockMeans(a), blockMeans(b));
}

function blockMeans({ data, width, height }: Rgb): Rgb {
  const [wide, high] = [Math.floor(width / BLOCK), Math.floor(height / BLOCK)];
  const means = Uint8Array.from({ length: 3 * wide * high }, (_, i) => {
    const [x, y, c] = [Math.floor(i / 3) % wide, Math.floor(i / 3 / wide), i % 3];
    let sum = 0;
    for (let k = 0; k < BLOCK ** 2; k += 1) {
      sum += data[3 * ((y * BLOCK + Math.floor(k / BLOCK)) * width + x * BLOCK + (k % BLOCK)) + c]!;
    }
    return Math.round(sum / BLOCK ** 2);
  });
  return { data: means, width: wide, height: high };
}

function meanLuma(picture: Rgb): number {
  const values = luma(picture);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the middle of a picture. */
function cropped({ data, width, height }: Rgb): Rgb {
  const [wide, high] = [Math.round(width * KEPT), Math.round(height * KEPT)];
  const [left, top] = [(width - wide) >> 1, (height - high) >> 1];
  const kept = new Uint8Array(3 * wide * high);
  for (let y = 0; y < high; y += 1) {
    const from = 3 * ((top + y) * width + left);
    kept.set(data.subarray(from, from + 3 * wide), 3 * y * wide);
  }
  return { data: kept, width: wide, height: high };
}
