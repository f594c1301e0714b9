import sharp, { type Sharp } from 'sharp';
import '../../image/codecs/sharp.ts';
import type { Picture } from '../../image/picture.ts';
import { MAX_INPUT_PIXELS } from '../../limits.ts';
import { cmykTiff } from '../../image/codecs/cmyk-tiff.ts';

// Settings of libvips for the whole process.

/**
 * Opens JPEG data of a PDF as a reader of PDFs sees it: a profile or an orientation inside it does not count, only the
 * PDF's own colour space and matrix do.
 */
export function openJpeg(data: Buffer): Sharp {
  return sharp(data, {
    limitInputPixels: MAX_INPUT_PIXELS,
    failOn: 'error',
    ignoreIcc: true,
    sequentialRead: true,
    autoOrient: false,
  });
}

/** What libjpeg takes this number of components for. */
export function jpegSpace(components: number): 'grey' | 'rgb' | 'cmyk' {
  return components === 1 ? 'grey' : components === 4 ? 'cmyk' : 'rgb';
}

/** Keeps sharp from converting: what goes in as grey, RGB or CMYK comes out as it. Samples of inks are inverted on the way in and again on the way out. */
export function keepColourspace(image: Sharp, space: Picture['space']): Sharp {
  if (space === 'cmyk') return image.pipelineColourspace('cmyk').toColourspace('cmyk');
  return image.toColourspace(space === 'grey' ? 'b-w' : 'srgb');
}

/** Opens samples for coding, so that their values and their number of channels stay as they are. */
export function openPicture(picture: Picture): Sharp {
  const { data, width, height, channels, space } = picture;
  if (space === 'cmyk')
    return keepColourspace(sharp(cmykTiff(picture), { limitInputPixels: false, ignoreIcc: true }), space);
  const opened = sharp(data, { raw: { width, height, channels: channels as 1 | 3 }, limitInputPixels: false });
  if (data instanceof Uint16Array) return opened.toColourspace(channels === 1 ? 'grey16' : 'rgb16');
  return keepColourspace(opened, jpegSpace(channels));
}
