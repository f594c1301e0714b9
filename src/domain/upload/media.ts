import { counted, formatNumber } from '../counted.ts';
import { Failure } from '../failures.ts';

/** The file types of the contract (docs/contract.md), and AVIF, GIF and BMP. `input` says whether Burnish accepts files of the type. */
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

/** Bounds of a file in bytes, both included (docs/contract.md: KB and MB are decimal). */
export const FILE_SIZE_BYTES: Record<MediaKind, { min: number; max: number }> = {
  image: { min: 20_000, max: 50_000_000 },
  pdf: { min: 20_000, max: 1_000_000_000 },
};

/** The most bytes that any upload may have, whatever its type turns out to be. */
export const MAX_FILE_SIZE_BYTES = FILE_SIZE_BYTES.pdf.max;

/** Types of files that callers may send. */
export const INPUT_MEDIA_TYPES = (Object.keys(MEDIA_TYPES) as MediaType[]).filter((type) => MEDIA_TYPES[type].input);

/** Whether callers may send files of a type. */
export function isInputMediaType(value: string): value is MediaType {
  return (INPUT_MEDIA_TYPES as string[]).includes(value);
}

/** Other names that callers give to these types. */
const ALIASES: Record<string, MediaType> = {
  'image/jpg': 'image/jpeg',
  'image/heif': 'image/heic',
  'image/tif': 'image/tiff',
  'image/x-bmp': 'image/bmp',
  'image/x-ms-bmp': 'image/bmp',
};

/** The type that a caller names, in any case and by any usual name; undefined for a type that Burnish does not accept. */
export function mediaTypeNamed(name: string): MediaType | undefined {
  const type = name.toLowerCase();
  if (Object.hasOwn(ALIASES, type)) return ALIASES[type];
  return isInputMediaType(type) ? type : undefined;
}

export function mediaKind(type: MediaType): MediaKind {
  return MEDIA_TYPES[type].kind;
}

/** How many of a file's first bytes tell its type. */
export const DETECT_BYTES = 4096;

/** The failure of a file that has more than `maxBytes` bytes, wherever that is found out. */
export function fileTooLarge(maxBytes: number): Failure {
  return new Failure('FILE_TOO_LARGE', {
    detail: `The file is larger than the maximum size of ${counted(maxBytes, 'byte')}.`,
  });
}

/**
 * Holds a file to the bounds of its type.
 * @param size bytes
 * @param field where the size was given, for a file that is only announced
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
