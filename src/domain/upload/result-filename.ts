import { MEDIA_TYPES, type MediaType } from './media.ts';

const SPELLINGS: Partial<Record<MediaType, readonly string[]>> = {
  'image/jpeg': ['jpeg', 'jpe', 'jfif'],
  'image/tiff': ['tiff'],
  'image/heic': ['heif'],
};

/** Whether a name ends as files of a type do. */
export function hasExtensionOf(name: string, mimetype: MediaType): boolean {
  const dot = name.lastIndexOf('.');
  const given = dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
  return given === MEDIA_TYPES[mimetype].extension || SPELLINGS[mimetype]?.includes(given) === true;
}

/** `photo.heic` enhanced to JPEG is `photo.jpg`: the caller's name with the extension of what it now is. */
export function resultFilename(original: string, mimetype: MediaType): string {
  const dot = original.lastIndexOf('.');
  const stem = dot > 0 ? original.slice(0, dot) : original;
  return hasExtensionOf(original, mimetype) ? original : `${stem}.${MEDIA_TYPES[mimetype].extension}`;
}
