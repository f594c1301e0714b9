import { counted, formatNumber } from '../counted.ts';
import { Failure } from '../failures.ts';

/** File types of the contract (docs/contract.md), and AVIF, GIF and BMP. `input` says whether Burnish accepts files of the type. */
export const MEDIA_TYPES = {
  'image/jpeg': { extension: 'jpg', kind: 'image', input: true },
  'image/png': { extension: 'png', kind: 'image', input: true },
  'image/tiff': { extension: 'tif', kind: 'image', input: true },
  'image/heic': { extension: 'heic', kind: 'image', input: true },
  'image/webp': { extension: 'webp', kind: 'image', input: true },
  'image/avif': { extension: 'avif', kind: 'image', input: true },
  'image/gif': { extension: 'gif', kind: 'image', input: true },
  'image/bmp': { extension: 'bmp', kind: 'image', input: true },
  'application/pdf': { extension: 'pdf', kind: 'pdf', input: true },
} as const satisfies Record<string, { extension: string; kind: MediaKind; input: boolean }>;

export type MediaKind = 'image' | 'pdf';
export type MediaType = keyof typeof MEDIA_TYPES;

/** Inclusive bounds of a file's size in bytes (docs/contract.md: KB and MB are decimal). */
export const FILE_SIZE_BYTES: Record<MediaKind, { min: number; max: number }> = {
  image: { min: 20_000, max: 50_000_000 },
  pdf: { min: 20_000, max: 1_000_000_000 },
};

/** Maximum size of any upload in bytes, before its type is known. */
export const MAX_FILE_SIZE_BYTES = FILE_SIZE_BYTES.pdf.max;

/** File types that callers may send. */
export const INPUT_MEDIA_TYPES = (Object.keys(MEDIA_TYPES) as MediaType[]).filter((type) => MEDIA_TYPES[type].input);

/** Whether callers may send files of a type. */
export function isInputMediaType(value: string): value is MediaType {
  return (INPUT_MEDIA_TYPES as string[]).includes(value);
}

const ALIASES: Record<string, MediaType> = {
  'image/jpg': 'image/jpeg',
  'image/heif': 'image/heic',
  'image/tif': 'image/tiff',
  'image/x-bmp': 'image/bmp',
  'image/x-ms-bmp': 'image/bmp',
};

/** Resolves the name of a type, in any case and by any common alias; undefined for an unsupported type. */
export function mediaTypeNamed(name: string): MediaType | undefined {
  const type = name.toLowerCase();
  if (Object.hasOwn(ALIASES, type)) return ALIASES[type];
  return isInputMediaType(type) ? type : undefined;
}

export function mediaKind(type: MediaType): MediaKind {
  return MEDIA_TYPES[type].kind;
}

/** Number of leading bytes that suffice to detect a file's type. */
export const DETECT_BYTES = 4096;

/** Failure for a file of more than `maxBytes` bytes. */
export function fileTooLarge(maxBytes: number): Failure {
  return new Failure('FILE_TOO_LARGE', {
    detail: `The file is larger than the maximum size of ${counted(maxBytes, 'byte')}.`,
  });
}

/**
 * Checks a file's size against the bounds of its type.
 * @param size bytes
 * @param field input field of the size, for a declared file
 * @throws Failure FILE_TOO_SMALL or FILE_TOO_LARGE
 */
export function assertFileSize(mimetype: MediaType, size: number, field?: string): void {
  const { min, max } = FILE_SIZE_BYTES[mediaKind(mimetype)];
  if (size >= min && size <= max) return;
  const [code, trouble] = size < min ? (['FILE_TOO_SMALL', 'small'] as const) : (['FILE_TOO_LARGE', 'large'] as const);
  const bounds = `${formatNumber(min)} to ${counted(max, 'byte')}`;
  const detail = `The file is too ${trouble}: a file of type ${mimetype} has ${bounds}, and this one has ${formatNumber(size)}.`;
  throw new Failure(code, field === undefined ? { detail } : { field, detail });
}

/** Formats of results, with the facts that callers read. The engine's table has the same keys, and defines the encoding. */
export const OUTPUT_FORMAT_FACTS = {
  JPEG: { mediaType: 'image/jpeg', hasQuality: true, keptByAuto: true, holdsAlpha: false },
  PNG: { mediaType: 'image/png', hasQuality: false, keptByAuto: true, holdsAlpha: true },
  TIFF: { mediaType: 'image/tiff', hasQuality: false, keptByAuto: true, holdsAlpha: true },
  AVIF: { mediaType: 'image/avif', hasQuality: true, keptByAuto: false, holdsAlpha: true },
  WEBP: { mediaType: 'image/webp', hasQuality: true, keptByAuto: false, holdsAlpha: true },
} as const satisfies Record<
  string,
  { mediaType: MediaType; hasQuality: boolean; keptByAuto: boolean; holdsAlpha: boolean }
>;

export type OutputFormat = keyof typeof OUTPUT_FORMAT_FACTS;

const NAMES = Object.keys(OUTPUT_FORMAT_FACTS) as [OutputFormat, ...OutputFormat[]];

/** The format of a result: the requested one. AUTO keeps JPEG, PNG and TIFF, and converts all others to JPEG (docs/contract.md). */
export function resolveOutputFormat(mediaType: MediaType, asked: 'AUTO' | OutputFormat): OutputFormat {
  if (asked !== 'AUTO') return asked;
  const kept = NAMES.find((name) => OUTPUT_FORMAT_FACTS[name].mediaType === mediaType);
  return kept !== undefined && OUTPUT_FORMAT_FACTS[kept].keptByAuto ? kept : 'JPEG';
}

/** The format of a result that replaces the transparency of its original by white; undefined if the result keeps it. */
export function formatWithoutAlpha(
  { mimetype, hasAlpha }: { mimetype: MediaType | null; hasAlpha?: boolean | null },
  asked: 'AUTO' | OutputFormat = 'AUTO',
): OutputFormat | undefined {
  if (mimetype === null) return undefined;
  const format = resolveOutputFormat(mimetype, asked);
  return hasAlpha === true && !OUTPUT_FORMAT_FACTS[format].holdsAlpha ? format : undefined;
}

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
