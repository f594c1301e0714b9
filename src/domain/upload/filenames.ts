import { MEDIA_TYPES, type MediaType } from '@burnish/contract';

const MAX_LENGTH = 200;
const MAX_EXTENSION_LENGTH = 20;

/**
 * Sanitizes a file name for display and headers. Keeps the last part of a path, without control characters, invisible
 * characters that reverse text, or characters that file systems forbid. The result has at most 200 characters.
 * @returns undefined when nothing remains
 */
export function sanitizeFilename(given: string): string | undefined {
  const name = given
    .slice(-4 * MAX_LENGTH)
    .normalize('NFC')
    .replace(/^.*[/\\]/s, '')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\uFFFD]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/^[\s.]+|[\s.]+$/g, '');
  if (name === '') return undefined;
  const characters = [...name];
  if (characters.length <= MAX_LENGTH) return name;
  const dot = characters.lastIndexOf('.');
  const extension = dot > 0 && characters.length - dot <= MAX_EXTENSION_LENGTH ? characters.slice(dot) : [];
  return [...characters.slice(0, MAX_LENGTH - extension.length), ...extension].join('');
}

/**
 * Invisible characters: those that reverse the direction of text (`gpj.exe` then appears as `exe.jpg`), and those that hide
 * between characters. Joiners and tags remain, because words and emoji contain them.
 */
const HIDDEN_MARKS = /(?![\u200C\u200D\u{E0020}-\u{E007F}])\p{Cf}/gu;

/** Removes invisible characters that change the appearance of the text. */
export function withoutHiddenMarks(text: string): string {
  return text.replace(HIDDEN_MARKS, '');
}

/** The file name of a download. It ends with an extension of its type, so that no system runs `photo.jpg.exe` as a program. */
export function downloadFilename(name: string, mimetype: MediaType): string {
  const shown = withoutHiddenMarks(name).trim();
  return hasExtensionFor(shown, mimetype) ? shown : `${shown}.${MEDIA_TYPES[mimetype].extension}`;
}

const SPELLINGS: Partial<Record<MediaType, readonly string[]>> = {
  'image/jpeg': ['jpeg', 'jpe', 'jfif'],
  'image/tiff': ['tiff'],
  'image/heic': ['heif'],
};

function hasExtensionFor(name: string, mimetype: MediaType): boolean {
  const dot = name.lastIndexOf('.');
  const given = dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
  return given === MEDIA_TYPES[mimetype].extension || SPELLINGS[mimetype]?.includes(given) === true;
}

/** The caller's name with the extension of the result's type: `photo.heic` enhanced to JPEG becomes `photo.jpg`. */
export function resultFilename(original: string, mimetype: MediaType): string {
  const dot = original.lastIndexOf('.');
  const stem = dot > 0 ? original.slice(0, dot) : original;
  return hasExtensionFor(original, mimetype) ? original : `${stem}.${MEDIA_TYPES[mimetype].extension}`;
}
