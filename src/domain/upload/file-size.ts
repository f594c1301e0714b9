import { counted, formatNumber } from '../counted.ts';
import { Failure } from '../failures.ts';
import { FILE_SIZE_BYTES, mediaKind, type MediaType } from './media.ts';

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
