import { fillTransparent } from '../../image/steps/fill-transparent.ts';
import { colourChannels, emptySamples, maxSample, type Picture } from '../../image/picture.ts';
import { resample } from '../../image/filters/resample.ts';

/**
 * Distance from visible pixels, in pixels, within which hidden ones take their colour: more than the radius of any
 * reader's kernel.
 */
const FRINGE = 6;

/**
 * Opacity, of 255, below which a colour weighted by it is mostly rounding error; the pixel takes the colour of its
 * neighbours.
 */
const FAINT = 16;

export function isOpaque({ data }: Picture): boolean {
  return data.every((value) => value === 255);
}

/** Returns whether all pixels have the same colour. */
export function isFlat({ data, channels }: Picture): boolean {
  for (let i = channels; i < data.length; i += 1) if (data[i] !== data[i - channels]) return false;
  return true;
}

export function maskOfSize(mask: Picture, width: number, height: number): Picture {
  return mask.width === width && mask.height === height ? mask : resample(mask, width, height);
}

export function withOpacity(picture: Picture, opacity: Picture): Picture {
  const { data, width, height, channels } = picture;
  const factor = maxSample(picture) / 255;
  const joined = emptySamples(picture, width * height * (channels + 1));
  for (let i = 0, from = 0, to = 0; i < width * height; i += 1, to += 1) {
    for (let c = 0; c < channels; c += 1) joined[to++] = data[from++]!;
    joined[to] = opacity.data[i]! * factor;
  }
  return { ...picture, data: joined, channels: channels + 1, hasAlpha: true };
}

/** Returns the opacity of a picture with alpha, 0 to 255. */
export function toOpacity(picture: Picture): Picture {
  const { data, width, height, channels } = picture;
  const factor = 255 / maxSample(picture);
  const opacity = new Uint8Array(width * height);
  for (let i = 0, from = channels - 1; i < opacity.length; i += 1, from += channels) opacity[i] = data[from]! * factor;
  return { data: opacity, width, height, channels: 1, space: 'grey', hasAlpha: false };
}

/**
 * Returns the colours without the opacity. Hidden pixels take the colour of the visible ones next to them, so that no
 * hidden colour shows at a mask's edge. The given picture must not be used again.
 */
export function withFringe(picture: Picture): Picture {
  if (!picture.hasAlpha) return picture;
  const { data, channels } = picture;
  const faint = (maxSample(picture) * FAINT) / 255;
  for (let at = channels - 1; at < data.length; at += channels) if (data[at]! < faint) data[at] = 0;
  return withoutOpacity(withQuietGround(fillTransparent(picture, FRINGE)));
}

/**
 * Fills hidden pixels beyond the fringe with the mean colour of the visible ones: hard edges there cost bytes and stay
 * invisible.
 */
function withQuietGround(picture: Picture): Picture {
  const { data, width, height, channels } = picture;
  const sums = new Float64Array(channels - 1);
  const across = new Uint8Array(width * height);
  let count = 0;
  for (let i = 0; i < across.length; i += 1) {
    if (data[i * channels + channels - 1] === 0) continue;
    count += 1;
    for (let c = 0; c < sums.length; c += 1) sums[c]! += data[i * channels + c]!;
    const x = i % width;
    across.fill(1, i - Math.min(FRINGE, x), i + 1 + Math.min(FRINGE, width - 1 - x));
  }
  for (let x = 0; x < width; x += 1) {
    let [last, next] = [-Infinity, -1];
    for (let y = 0; y < height; y += 1) {
      if (across[y * width + x]) last = y;
      if (next < y) for (next = y; next < height && !across[next * width + x];) next += 1;
      if (y - last <= FRINGE || (next < height && next - y <= FRINGE)) continue;
      for (let c = 0; c < sums.length; c += 1) data[(y * width + x) * channels + c] = sums[c]! / Math.max(1, count);
    }
  }
  return picture;
}

export function withoutOpacity(picture: Picture): Picture {
  if (!picture.hasAlpha) return picture;
  const { data } = picture;
  const colours = colourChannels(picture);
  const kept = emptySamples(picture, picture.width * picture.height * colours);
  for (let from = 0, to = 0; to < kept.length; from += 1)
    for (let c = 0; c < colours; c += 1) kept[to++] = data[from++]!;
  return { ...picture, data: kept, channels: colours, hasAlpha: false };
}

/**
 * Removes the preblended colour from an image (`Matte`, ISO 32000-1 section 11.6.5.3), in place.
 * @param matte 0..1 for each component
 */
export function unblend(picture: Picture, opacity: Picture, matte: readonly number[]): void {
  const { data, channels } = picture;
  const max = maxSample(picture);
  for (let i = 0, at = 0; i < opacity.data.length; i += 1) {
    const alpha = opacity.data[i]! / 255;
    for (let c = 0; c < channels; c += 1, at += 1) {
      const ground = (matte[c] ?? 0) * max;
      if (alpha > 0) data[at] = Math.max(0, Math.min(max, ground + (data[at]! - ground) / alpha + 0.5));
    }
  }
}
