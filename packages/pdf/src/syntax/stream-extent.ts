import type { ByteSource } from './byte-source.ts';
import { isSpace } from './characters.ts';

const SEARCH_BYTES = 1_000_000;
const WORD = 'endstream';

/**
 * Returns the number of bytes of a stream's data. The declared length counts if `endstream` follows the data. Otherwise
 * the data ends at the next `endstream`, without the end-of-line marker before it.
 * @param onSearched receives the number of searched bytes, so that the caller can limit the sum
 */
export function streamLength(
  source: ByteSource,
  start: number,
  declared: number | undefined,
  onSearched: (bytes: number) => void,
): number {
  if (declared !== undefined && declared >= 0 && start + declared <= source.size) {
    const after = source.read(start + declared, 32);
    let at = 0;
    while (isSpace(after[at])) at += 1;
    if (after.toString('latin1', at, at + WORD.length) === WORD) return declared;
  }
  for (let from = start; from < source.size; from += SEARCH_BYTES) {
    const bytes = source.read(from, SEARCH_BYTES + WORD.length);
    onSearched(bytes.length);
    const found = bytes.indexOf(WORD);
    if (found >= 0) return withoutLineEnd(source, start, from + found);
  }
  return source.size - start;
}

function withoutLineEnd(source: ByteSource, start: number, end: number): number {
  const before = source.read(Math.max(start, end - 2), Math.min(2, end - start));
  const last = before[before.length - 1];
  if (last === 10) return end - start - (before.length === 2 && before[0] === 13 ? 2 : 1);
  return end - start - (last === 13 ? 1 : 0);
}
