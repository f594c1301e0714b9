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

/** Formats of results, with the facts that callers read. The table of the codecs has the same keys, and defines the encoding. */
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

export const OUTPUT_FORMAT_NAMES = Object.keys(OUTPUT_FORMAT_FACTS) as [OutputFormat, ...OutputFormat[]];

/** Facts of a file that decide the format of its result. */
export interface FormatFacts {
  mimetype: MediaType;
  /** Whether a pixel is transparent; unknown counts as no */
  hasAlpha?: boolean | null | undefined;
}

/**
 * The format of a result: the requested one. AUTO keeps JPEG, PNG, TIFF, and a WebP with a transparent pixel. It converts all other files
 * to JPEG (docs/contract.md).
 */
export function resolveOutputFormat({ mimetype, hasAlpha }: FormatFacts, asked: 'AUTO' | OutputFormat): OutputFormat {
  if (asked !== 'AUTO') return asked;
  if (mimetype === 'image/webp' && hasAlpha === true) return 'WEBP';
  const kept = OUTPUT_FORMAT_NAMES.find((name) => OUTPUT_FORMAT_FACTS[name].mediaType === mimetype);
  return kept !== undefined && OUTPUT_FORMAT_FACTS[kept].keptByAuto ? kept : 'JPEG';
}

/** The format of a result that replaces the transparency of its original by white; undefined if the result keeps it. */
export function formatWithoutAlpha(
  { mimetype, hasAlpha }: { mimetype: MediaType | null; hasAlpha?: boolean | null },
  asked: 'AUTO' | OutputFormat = 'AUTO',
): OutputFormat | undefined {
  if (mimetype === null) return undefined;
  const format = resolveOutputFormat({ mimetype, hasAlpha }, asked);
  return hasAlpha === true && !OUTPUT_FORMAT_FACTS[format].holdsAlpha ? format : undefined;
}
