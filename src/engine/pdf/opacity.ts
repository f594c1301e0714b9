import { fillTransparent } from '../image/fill-transparent.ts';
import { colourChannels, emptySamples, maxSample, type Picture } from '../image/picture.ts';
import { resample } from '../image/resample.ts';

/** Pixels around what is seen in which hidden ones take its colour: more than any kernel of a reader looks at. */
const FRINGE = 6;

/** Whether all of a mask is seen. */
export function isOpaque({ data }: Picture): boolean {
  return data.every((value) => value === 255);
}

/** Whether all pixels are of one colour. */
export function isFlat({ data, channels }: Picture): boolean {
  for (let i = channels; i < data.length; i += 1) if (data[i] !== data[i - channels]) return false;
  return true;
}

/** Brings a mask to a size by interpolation. */
export function maskOfSize(mask: Picture, width: number, height: number): Picture {
  return mask.width === width && mask.height === height ? mask : resample(mask, width, height);
}

/** A picture with an opacity of its size as its last channel. */
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

/** The opacity of a picture that has one, 0 to 255. */
export function opacityOf(picture: Picture): Picture {
  const { data, width, height, channels } = picture;
  const factor = 255 / maxSample(picture);
  const opacity = new Uint8Array(width * height);
  for (let i = 0, from = channels - 1; i < opacity.length; i += 1, from += channels) opacity[i] = data[from]! * factor;
  return { data: opacity, width, height, channels: 1, space: 'grey', hasAlpha: false };
}

/** The colours alone; hidden pixels take the colour of what is seen beside them, so that nothing hidden shines through a mask's edge. */
export function withFringe(picture: Picture): Picture {
  return picture.hasAlpha ? withoutOpacity(fillTransparent(picture, FRINGE)) : picture;
}

/** The colours alone, as they are. */
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
 * Takes out the colour that an image has been blended with before (`Matte`, ISO 32000-1 section 11.6.5.3), in place.
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
