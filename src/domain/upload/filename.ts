import { MEDIA_TYPES, type MediaType } from './media.ts';

const MAX_LENGTH = 200;
const MAX_EXTENSION_LENGTH = 20;

/**
 * A file's name as it may be shown and put into headers: the last part of a path, without control characters,
 * invisible marks that turn text around, or characters that file systems forbid; at most 200 characters.
 * @returns undefined when nothing is left
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
 * Marks that nobody sees: those that turn the direction of text around (`gpj.exe` shows as `exe.jpg` behind one), and those
 * that hide between characters. Joiners and tags stay, since they are part of words and of emoji.
 */
const HIDDEN_MARKS = /(?![\u200C\u200D\u{E0020}-\u{E007F}])\p{Cf}/gu;

/** The text without marks that make it show as another one. */
export function withoutHiddenMarks(text: string): string {
  return text.replace(HIDDEN_MARKS, '');
}

/**
 * The name under which a file is downloaded. It ends with an extension of its type, so that no system opens
 * `photo.jpg.exe` as a program.
 */
export function downloadFilename(name: string, mimetype: MediaType): string {
  const shown = withoutHiddenMarks(name).trim();
  return hasExtensionOf(shown, mimetype) ? shown : `${shown}.${MEDIA_TYPES[mimetype].extension}`;
}

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
