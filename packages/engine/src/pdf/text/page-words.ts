import { open, writeFile } from 'node:fs/promises';
import type { UnreadReason } from '../../contract/notes.ts';
import type { DrawnScan } from './draw-scan.ts';

/** A word that was read on a picture. Its box is in pixels of that picture, from its top left corner. */
export interface PageWord {
  text: string;
  left: number;
  top: number;
  width: number;
  height: number;
  /** The next word of the list continues its line */
  continues?: boolean;
}

/** The words of a page in reading order, with the size of the picture that they were read on; or why there are none. */
export type PageReading = { width: number; height: number; words: readonly PageWord[] } | { unread: UnreadReason };

/** A drawn scan whose text is to be read; or why there is none: no text is asked for, or its page gets none. */
export type ScanToRead = { scan: DrawnScan } | { unread: UnreadReason | null };

/** Reads the words of a drawn scan, a PNG in shades of grey. @returns undefined where it exceeds the limits of the reader */
export type ReadWords = (
  scan: DrawnScan & { path: string; languages: string },
) => Promise<readonly PageWord[] | undefined>;

/** Maximum number of words of a page: a densely printed newspaper page has half of them. */
export const MAX_PAGE_WORDS = 20_000;

/** Maximum length of a word, in characters. */
export const MAX_WORD_LENGTH = 200;

const MAX_READING_BYTES = 64_000_000;

/** Returns what was read on a scan, in the form that `addText` takes. */
export async function readScan(
  found: ScanToRead,
  path: string,
  languages: string,
  read: ReadWords,
): Promise<PageReading> {
  if (!('scan' in found)) return { unread: found.unread ?? 'no-scan' };
  const { width, height } = found.scan;
  const words = await read({ ...found.scan, path, languages });
  return words === undefined ? { unread: 'limit' } : { width, height, words };
}

/** Returns the file name of the reading of the picture at an index of a plan, beside its result. */
export const readingName = (index: number | ''): string => `words-${index}`;

export async function writeReading(path: string, reading: PageReading): Promise<void> {
  await writeFile(path, JSON.stringify(reading));
}

/** Reads a file that `writeReading` wrote. @throws Error when it is missing or too long */
export async function readReading(path: string): Promise<PageReading> {
  const file = await open(path);
  try {
    if ((await file.stat()).size > MAX_READING_BYTES) throw new Error('The reading of a page is too long.');
    return JSON.parse(await file.readFile('utf8')) as PageReading;
  } finally {
    await file.close();
  }
}

/**
 * Returns the words that a page can have: with text, within the picture, at most `MAX_PAGE_WORDS`. Characters of control,
 * lone surrogates and spaces are removed from their text.
 */
export function soundWords({ width, height, words }: Exclude<PageReading, { unread: unknown }>): PageWord[] {
  return words.slice(0, MAX_PAGE_WORDS).flatMap((word) => {
    const text = soundText(word.text);
    const [left, top] = [Math.max(0, word.left), Math.max(0, word.top)];
    const [right, bottom] = [Math.min(width, word.left + word.width), Math.min(height, word.top + word.height)];
    if (![word.left, word.top, word.width, word.height].every(Number.isFinite)) return [];
    if (text === '' || !(right > left) || !(bottom > top)) return [];
    return [{ ...word, text, left, top, width: right - left, height: bottom - top }];
  });
}

function soundText(text: string): string {
  const characters = [...text.normalize('NFC').replace(/[\p{C}\p{Z}]/gu, '')];
  return characters.slice(0, MAX_WORD_LENGTH).join('');
}
