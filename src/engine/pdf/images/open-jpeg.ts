import sharp from 'sharp';
import type { Sharp } from 'sharp';
// Settings of libvips for the whole process.
import '../../image/codecs/sharp.ts';
import type { Picture } from '../../image/picture.ts';
import { MAX_INPUT_PIXELS } from '../../limits.ts';

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

/** Keeps sharp from converting: what goes in as grey, RGB or CMYK comes out as it. Samples of inks are inverted on the way in and again on the way out. */
export function keepColourspace(image: Sharp, space: Picture['space']): Sharp {
  if (space === 'cmyk') return image.pipelineColourspace('cmyk').toColourspace('cmyk');
  return image.toColourspace(space === 'grey' ? 'b-w' : 'srgb');
}
