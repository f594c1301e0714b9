/** The file types of the contract (docs/contract.md). */
export const MEDIA_TYPES = {
  'image/jpeg': { extension: 'jpg', kind: 'image' },
  'image/png': { extension: 'png', kind: 'image' },
  'image/tiff': { extension: 'tif', kind: 'image' },
  'image/heic': { extension: 'heic', kind: 'image' },
  'image/webp': { extension: 'webp', kind: 'image' },
  'application/pdf': { extension: 'pdf', kind: 'pdf' },
} as const satisfies Record<string, { extension: string; kind: MediaKind }>;

export type MediaKind = 'image' | 'pdf';
export type MediaType = keyof typeof MEDIA_TYPES;

/** Bounds of a file in bytes, both included (docs/contract.md: KB and MB are decimal). */
export const FILE_SIZE_BYTES: Record<MediaKind, { min: number; max: number }> = {
  image: { min: 20_000, max: 50_000_000 },
  pdf: { min: 20_000, max: 1_000_000_000 },
};

/** The most bytes that any upload may have, whatever its type turns out to be. */
export const MAX_FILE_SIZE_BYTES = FILE_SIZE_BYTES.pdf.max;

export function isMediaType(value: string): value is MediaType {
  return Object.hasOwn(MEDIA_TYPES, value);
}

/** Other names that callers give to these types. */
const ALIASES: Record<string, MediaType> = {
  'image/jpg': 'image/jpeg',
  'image/heif': 'image/heic',
  'image/tif': 'image/tiff',
};

/** The type that a caller names, in whatever case and by whatever usual name; undefined for one that is not served. */
export function mediaTypeNamed(name: string): MediaType | undefined {
  const type = name.toLowerCase();
  if (Object.hasOwn(ALIASES, type)) return ALIASES[type];
  return isMediaType(type) ? type : undefined;
}

export function mediaKind(type: MediaType): MediaKind {
  return MEDIA_TYPES[type].kind;
}

/** How many of a file's first bytes tell its type. */
export const DETECT_BYTES = 4096;
