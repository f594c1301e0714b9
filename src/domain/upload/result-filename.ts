import { MEDIA_TYPES, type MediaType } from './media.ts';

const SPELLINGS: Partial<Record<MediaType, readonly string[]>> = { 'image/jpeg': ['jpeg'], 'image/tiff': ['tiff'] };

/** `photo.heic` enhanced to JPEG is `photo.jpg`: the caller's name with the extension of what it now is. */
export function resultFilename(original: string, mimetype: MediaType): string {
  const { extension } = MEDIA_TYPES[mimetype];
  const dot = original.lastIndexOf('.');
  const [stem, given] = dot > 0 ? [original.slice(0, dot), original.slice(dot + 1).toLowerCase()] : [original, ''];
  return given === extension || SPELLINGS[mimetype]?.includes(given) ? original : `${stem}.${extension}`;
}
