import { counted, formatNumber, mediaKind, type MediaType, Failure, FILE_SIZE_BYTES } from '@burnish/contract';

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
