import type { LeftAloneReason } from '@burnish/contract/engine';
import { jpxColours, type ImageFacts } from '../images/image-facts.ts';
import type { JpegHeader } from '../images/jpeg-header.ts';
import type { JpxHeader } from '../images/jpx-header.ts';
import { MAX_INPUT_PIXELS, MAX_SIDE } from '../../limits.ts';

/** Images with a shorter side below this, in pixels, are ornaments: rules, bullets, gradients. */
const MIN_SIDE = 16;

/**
 * Returns the reason in an image's dictionary and headers to leave it alone by itself; undefined when it is eligible.
 */
export function reasonToLeave(image: ImageFacts): LeftAloneReason | undefined {
  return reasonOfKind(image) ?? reasonOfSize(image);
}

/** As `reasonToLeave`, without the check of the size: a strip may be narrow in a wide picture. */
export function reasonOfKind(image: ImageFacts): LeftAloneReason | undefined {
  if (image.stencil) return 'stencil-mask';
  if (image.encoding === 'JBIG2Decode') return 'jbig2';
  if (image.encoding === 'CCITTFaxDecode') return 'ccitt';
  if (image.mask === 'color-key') return 'color-key-mask';
  return reasonOfColor(image) ?? reasonOfEncoding(image);
}

/** Returns whether an image has one bit per pixel and no other obstacle. Its text can then be read, and its preview drawn. */
export function isBilevel(image: ImageFacts): boolean {
  const { bits, color, encoding, mask, stencil } = image;
  const reason = reasonOfKind(image);
  if (reason === undefined || !BILEVEL_REASONS.includes(reason)) return false;
  const isOneBit = encoding === undefined ? bits === 1 : encoding === 'JBIG2Decode' || encoding === 'CCITTFaxDecode';
  return isOneBit && (stencil || color.components === 1) && mask === undefined;
}

const BILEVEL_REASONS: readonly LeftAloneReason[] = ['stencil-mask', 'one-bit', 'jbig2', 'ccitt'];

/**
 * Returns whether the image has a preview of its own. A one-bit image has one only as a stencil mask, or if its
 * samples are the visible greys or colours of a palette.
 */
export function hasPreview(image: ImageFacts): boolean {
  if (reasonToLeave(image) === undefined) return true;
  const isShown = image.stencil || image.color.family === 'grey' || image.color.family === 'indexed';
  return isShown && isBilevel(image) && reasonOfSize(image) === undefined;
}

export function reasonOfSize({ width, height }: { width: number; height: number }): LeftAloneReason | undefined {
  if (width < MIN_SIDE || height < MIN_SIDE) return 'tiny';
  return width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_INPUT_PIXELS ? 'too-large' : undefined;
}

function reasonOfColor({ color, encoding, decode }: ImageFacts): LeftAloneReason | undefined {
  switch (color.family) {
    case 'separation':
    case 'devicen':
      return color.family;
    case 'table':
      return 'color-table';
    case 'indexed':
      if (!('base' in color) || decode !== 'plain') return 'unknown-color-space';
      if (color.base.family === 'table') return 'color-table';
      return color.base.family === 'rgb' || color.base.family === 'grey' ? undefined : 'unknown-color-space';
    case 'unknown':
      // A JPEG 2000 image may omit the colour space: its own header defines it.
      return encoding === 'JPXDecode' && color.components === 0 ? undefined : 'unknown-color-space';
    default:
      return undefined;
  }
}

function reasonOfEncoding(image: ImageFacts): LeftAloneReason | undefined {
  const { encoding, bits, jpeg, jpx, color, colorTransform } = image;
  if (encoding === 'DCTDecode') {
    if (!jpeg || !jpeg.common || jpeg.precision !== 8 || jpeg.components === 2)
      return jpeg ? 'unknown-encoding' : 'damaged';
    // Palette indices can be neither enlarged nor coded as JPEG again.
    return jpeg.components === color.components && color.family !== 'indexed' && !isOverridden(jpeg, colorTransform)
      ? undefined
      : 'unknown-color-space';
  }
  if (encoding === 'JPXDecode') return jpx ? reasonOfJpx(image, jpx) : 'damaged';
  if (encoding === 'unknown') return 'unknown-encoding';
  if (bits === 1) return 'one-bit';
  return [2, 4, 8, 16].includes(bits) ? undefined : 'unknown-encoding';
}

/**
 * Returns whether the dictionary's `ColorTransform` contradicts the default of libjpeg. An Adobe marker takes
 * precedence.
 */
function isOverridden({ adobeTransform, components }: JpegHeader, colorTransform: number | undefined): boolean {
  if (adobeTransform !== undefined || colorTransform === undefined) return false;
  return components === 3 ? colorTransform === 0 : components === 4 && colorTransform !== 0;
}

/**
 * Accepts grey, RGB and CMYK of 8 bits, with or without opacity, up to 4 components, and palette indices of up to 8 bits. Without a colour space in the
 * dictionary, the file's own header must declare one of these.
 */
function reasonOfJpx(image: ImageFacts, jpx: JpxHeader): LeftAloneReason | undefined {
  const { color } = image;
  const components = jpxColours(image);
  // The palette of the dictionary takes precedence over one in the file.
  if (color.family === 'indexed')
    return components === 1 && jpx.precision <= 8 && jpx.plain ? undefined : 'unknown-encoding';
  if (jpx.precision !== 8 || !jpx.plain || jpx.special || ![1, 3, 4].includes(components) || jpx.components > 4)
    return 'unknown-encoding';
  if (color.family !== 'unknown') return color.components === components ? undefined : 'unknown-color-space';
  if (components === 4) return 'unknown-color-space';
  const expected = components === 1 ? JPX_GREY : JPX_SRGB;
  return jpx.colorSpace === expected ? undefined : 'unknown-color-space';
}

const JPX_SRGB = 16;
const JPX_GREY = 17;

/** Returns whether tone and colour may change: neither ink amounts nor samples with another meaning may. */
export function allowsColor({ color, decode }: ImageFacts): boolean {
  const family = 'base' in color ? color.base.family : color.family;
  return (family === 'grey' || family === 'rgb' || family === 'unknown') && decode !== 'other';
}
