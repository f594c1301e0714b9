import type { MediaKind } from '../engine/media.ts';

/** Inclusive bounds of a file's size in bytes (docs/contract.md: KB and MB are decimal). */
export const FILE_SIZE_BYTES: Record<MediaKind, { min: number; max: number }> = {
  image: { min: 20_000, max: 50_000_000 },
  pdf: { min: 20_000, max: 1_000_000_000 },
};

/** Maximum size of any upload in bytes, before its type is known. */
export const MAX_FILE_SIZE_BYTES = FILE_SIZE_BYTES.pdf.max;
