import { counted, formatNumber, mediaKind, type MediaKind, type MediaType } from '@burnish/engine/contract';
import { Failure } from '../failures.ts';

/** Inclusive bounds of a file's size in bytes (docs/contract.md: KB and MB are decimal). */
export const FILE_SIZE_BYTES: Record<MediaKind, { min: number; max: number }> = {
  image: { min: 20_000, max: 50_000_000 },
  pdf: { min: 20_000, max: 1_000_000_000 },
};

/** Maximum size of any upload in bytes, before its type is known. */
export const MAX_FILE_SIZE_BYTES = FILE_SIZE_BYTES.pdf.max;

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
