import type { ByteRange } from '../../storage/object-store.ts';

/**
 * The range of bytes that a `Range` header asks for (RFC 9110, section 14.1.2).
 * @param size bytes of the file, at least one
 * @returns undefined for the whole file: also for several ranges, another unit, and a header that is no range
 */
export function requestedRange(header: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header) ?? [];
  if (from === '') return to === '' ? undefined : lastBytes(Number(to), size);
  const [start, end] = [Number(from), to === '' ? Infinity : Number(to)];
  if (end < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end: Math.min(end, size - 1) };
}

/** A file with fewer bytes than asked for is sent whole. */
function lastBytes(count: number, size: number): ByteRange | 'unsatisfiable' {
  return count === 0 ? 'unsatisfiable' : { start: Math.max(0, size - count), end: size - 1 };
}
