import { Failure } from '../../domain/failures.ts';
import { withoutHiddenMarks } from '../../domain/upload/filename.ts';
import { MEDIA_TYPES } from '../../domain/upload/media.ts';
import type { MediaType } from '../../domain/upload/media.ts';

/** The longest file name, in UTF-16 units. */
export const MAX_FILENAME_LENGTH = 255;

/** Control characters and halves of surrogate pairs: neither a database nor a header takes them. */
const UNUSABLE = /[\p{Cc}\p{Surrogate}]/u;

/** Whether a text can be kept and sent on as it is. */
export function isPlainText(text: string): boolean {
  return !UNUSABLE.test(text);
}

/**
 * The last part of a name that a caller gave, without folders and without marks that make it show as another.
 * @returns null when nothing is left of it
 * @throws Failure BAD_USER_INPUT for a name that is too long or holds control characters
 */
export function baseFilename(given: string): string | null {
  const name = withoutHiddenMarks(given.split(/[/\\]/).at(-1)!).trim();
  if (name.length > MAX_FILENAME_LENGTH || !isPlainText(name)) {
    throw new Failure('BAD_USER_INPUT', {
      field: 'filename',
      detail: `Expected a file name of at most ${MAX_FILENAME_LENGTH} characters and without control characters.`,
    });
  }
  return name === '' || name === '.' || name === '..' ? null : name;
}

/** A name for a file that came with none. */
export function defaultFilename(mimetype: MediaType): string {
  return `upload.${MEDIA_TYPES[mimetype].extension}`;
}

/** The last part of an address's path, where it can serve as a name; `upload` otherwise. */
export function filenameOfUrl(url: string): string {
  try {
    return baseFilename(decodeURIComponent(new URL(url).pathname)) ?? 'upload';
  } catch {
    return 'upload';
  }
}
