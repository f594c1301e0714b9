import { fillTransparent } from '../../image/steps/fill-transparent.ts';
import { colourChannels, emptySamples, maxSample, type Picture } from '../../image/picture.ts';
import { type OnPart, section } from '../../image/progress.ts';
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
export function withFringe(picture: Picture, onPart?: OnPart): Picture {
  if (!picture.hasAlpha) return picture;
  const { data, channels } = picture;
  const faint = (maxSample(picture) * FAINT) / 255;
  for (let at = channels - 1; at < data.length; at += channels) if (data[at]! < faint) data[at] = 0;
  fillTransparent(picture, FRINGE, section(onPart, 0, 0.5));
  fillGround(picture, section(onPart, 0.5, 0.8));
  return withoutOpacity(picture, data);
}

/**
 * Fills hidden pixels beyond the fringe with the mean colour of the visible ones: hard edges there cost bytes and stay
 * invisible.
 */
function fillGround(picture: Picture, onPart: OnPart): void {
  const { data, width, height, channels } = picture;
  const mean = meanOfVisible(picture, section(onPart, 0, 0.5));
  const tell = section(onPart, 0.5, 1);
  // For each column, the rows of a window around the current one with a visible pixel at most `FRINGE` pixels away in the row.
  const near = new Uint8Array(width);
  const count = (y: number, step: 1 | -1): void => {
    if (y < 0 || y >= height) return;
    for (let x = 0, last = -Infinity, next = 0; x < width; x += 1) {
      const at = (y * width + x) * channels + channels - 1;
      if (data[at] !== 0) last = x;
      if (next <= x) for (next = x + 1; next < width && data[at + (next - x) * channels] === 0;) next += 1;
      if (x - last <= FRINGE || (next < width && next - x <= FRINGE)) near[x]! += step;
    }
  };
  for (let y = 0; y < FRINGE; y += 1) count(y, 1);
  for (let y = 0; y < height; y += 1) {
    count(y + FRINGE, 1);
    count(y - FRINGE - 1, -1);
    for (let x = 0, at = y * width * channels; x < width; x += 1, at += channels)
      if (near[x] === 0) for (let c = 0; c < mean.length; c += 1) data[at + c] = mean[c]!;
    if ((y & 63) === 0) tell(y / height);
  }
}

/** The mean colour of the pixels that are not fully transparent; black without any. */
function meanOfVisible({ data, width, height, channels }: Picture, onPart: OnPart): Float64Array {
  const sums = new Float64Array(channels - 1);
  let count = 0;
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += channels) {
      if (data[at + channels - 1] === 0) continue;
      count += 1;
      for (let c = 0; c < sums.length; c += 1) sums[c]! += data[at + c]!;
    }
    if ((y & 63) === 0) onPart?.(y / height);
  }
  return sums.map((sum) => sum / Math.max(1, count));
}

/**
 * Returns the colours without the opacity.
 * @param kept memory for them; the memory of the picture itself serves too, and needs no further gigabyte
 */
export function withoutOpacity(picture: Picture, kept?: Picture['data']): Picture {
  if (!picture.hasAlpha) return picture;
  const { data, width, height } = picture;
  const colours = colourChannels(picture);
  const samples = kept?.subarray(0, width * height * colours) ?? emptySamples(picture, width * height * colours);
  for (let from = 0, to = 0; to < samples.length; from += 1)
    for (let c = 0; c < colours; c += 1) samples[to++] = data[from++]!;
  return { ...picture, data: samples, channels: colours, hasAlpha: false };
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
