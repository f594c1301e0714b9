import sharp from 'sharp';
import type { Sharp } from 'sharp';
import type { Picture } from '../../image/picture.ts';
import { cmykTiff } from '../../image/codecs/cmyk-tiff.ts';
import { keepColourspace } from './open-jpeg.ts';

/** Opens samples for coding, so that their values and their number of channels stay as they are. */
export function openPicture(picture: Picture): Sharp {
  const { data, width, height, channels, space } = picture;
  if (space === 'cmyk')
    return keepColourspace(sharp(cmykTiff(picture), { limitInputPixels: false, ignoreIcc: true }), space);
  const opened = sharp(data, { raw: { width, height, channels: channels as 1 | 3 }, limitInputPixels: false });
  if (data instanceof Uint16Array) return opened.toColourspace(space === 'grey' ? 'grey16' : 'rgb16');
  return keepColourspace(opened, space);
}
