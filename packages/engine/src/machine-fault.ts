import { EngineError } from '@burnish/contract/engine';

/** In the words of libvips, libheif, PDFium, glib, the C++ library, V8 and zlib. */
const LACK_OF_MEMORY =
  /out of memory|bad_alloc|(cannot|could not) allocate memory|allocation failed|failed to allocate|Z_MEM_ERROR/i;
/** Codes of Node.js, and the words of strerror(3), which libvips passes on. */
const DISK_FULL_OR_AWAY = [
  /\b(ENOSPC|EDQUOT|EIO|EROFS)\b/,
  /no space left|quota exceeded|input\/output error|read-only file system|unable to (open|write)/i,
];
const UNREADABLE = [
  /\b(ENOENT|EACCES|EPERM|EMFILE|ENFILE)\b/,
  /too many open files|permission denied|input file is missing/i,
];

/**
 * Returns the error for a lack of memory or a fault of the disk that a library reports; undefined for any other, which is about the
 * file. A caller that blames a file for an error of a decoder asks here first.
 */
export function machineFault(error: unknown): EngineError | undefined {
  const text = error instanceof Error ? `${'code' in error ? String(error.code) : ''} ${error.message}` : '';
  const says = (patterns: readonly RegExp[]): boolean => patterns.some((each) => each.test(text));
  if (says([LACK_OF_MEMORY])) return lackOfMemory(error);
  if (says(DISK_FULL_OR_AWAY)) {
    return new EngineError('UNAVAILABLE', { detail: 'The disk cannot be written.', cause: error });
  }
  return says(UNREADABLE)
    ? new EngineError('UNAVAILABLE', { detail: 'A file of the work cannot be read.', cause: error })
    : undefined;
}

export const lackOfMemory = (cause?: unknown): EngineError =>
  new EngineError('PROCESSING_LIMIT', { detail: 'The file needs more memory than the limit.', cause });
