import sharp, { type Sharp } from 'sharp';
import '../../image/codecs/sharp.ts';
import type { Picture } from '../../image/picture.ts';
import { MAX_INPUT_PIXELS } from '../../limits.ts';
import { assertShallowExif } from '../../image/metadata/exif-loops.ts';
import { cmykTiff } from '../../image/codecs/cmyk-tiff.ts';

// The import applies the settings of libvips to the whole process.

/**
 * Opens JPEG data of a PDF as PDF readers do: they ignore a profile or an orientation inside it. Only the PDF's own
 * colour space and matrix count.
 * @throws EngineError CORRUPT_FILE for EXIF that points to itself
 */
export function openJpeg(data: Buffer): Sharp {
  assertShallowExif(data);
  return sharp(data, {
    limitInputPixels: MAX_INPUT_PIXELS,
    failOn: 'error',
    ignoreIcc: true,
    sequentialRead: true,
    autoOrient: false,
  });
}

/** Returns the colour space that libjpeg assumes for this number of components. */
export function jpegSpace(components: number): 'grey' | 'rgb' | 'cmyk' {
  return components === 1 ? 'grey' : components === 4 ? 'cmyk' : 'rgb';
}

/**
 * Prevents sharp from converting: grey, RGB and CMYK keep their colour space. It inverts ink samples on input and again
 * on output.
 */
export function keepColourspace(image: Sharp, space: Picture['space']): Sharp {
  if (space === 'cmyk') return image.pipelineColourspace('cmyk').toColourspace('cmyk');
  return image.toColourspace(space === 'grey' ? 'b-w' : 'srgb');
}

/** Opens samples for coding, with unchanged values and number of channels. */
export function openPicture(picture: Picture): Sharp {
  const { data, width, height, channels, space } = picture;
  if (space === 'cmyk')
    return keepColourspace(sharp(cmykTiff(picture), { limitInputPixels: false, ignoreIcc: true }), space);
  const opened = sharp(data, { raw: { width, height, channels: channels as 1 | 3 }, limitInputPixels: false });
  if (data instanceof Uint16Array) return opened.toColourspace(channels === 1 ? 'grey16' : 'rgb16');
  return keepColourspace(opened, jpegSpace(channels));
}
