import { open, writeFile } from 'node:fs/promises';
import type { UnreadReason } from '@burnish/contract/engine';
import type { QuarterTurns } from '../../image/quarter-turn.ts';

/** A picture of a scan in shades of grey, as readers show its page. */
export interface DrawnScan {
  /** Pixels */
  width: number;
  height: number;
  /** Pixels per inch of the page, at least 1 */
  resolution: number;
  /** Whether its letters show that it is upright. Otherwise it is as readers show its page, which may be on its head or side */
  upright: boolean;
}

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

/** The words of a page in reading order, with the size of the picture that they were read on and the marks of its ink. */
export interface ReadPage {
  width: number;
  height: number;
  words: readonly PageWord[];
  /** As `findMarks` gives them; absent where the boxes of the words stay as they are */
  marks?: string | undefined;
}

/** What was read on a page, or why nothing was. */
export type PageReading = ReadPage | { unread: UnreadReason };

/** A drawn scan whose text is to be read, with its marks; or why there is none: no text is asked for, or its page gets none. */
export type ScanToRead = { scan: DrawnScan; marks?: string | undefined } | { unread: UnreadReason | null };

/** Quarter turns clockwise that make a drawn scan upright; or that nothing shows them, so that words would be wrong. */
export interface ScanDirection {
  direction: QuarterTurns | 'unknown';
}

/**
 * Reads the words of a drawn scan, a PNG in shades of grey.
 * @returns the words; undefined where the scan exceeds the limits of the reader; or the direction of a scan that is not surely
 * upright, which is then turned and read again
 */
export type ReadWords = (
  scan: DrawnScan & { path: string; languages: string },
) => Promise<readonly PageWord[] | ScanDirection | undefined>;

/** Maximum number of words of a page: a densely printed newspaper page has half of them. */
export const MAX_PAGE_WORDS = 20_000;

/** Maximum length of a word, in characters. */
export const MAX_WORD_LENGTH = 200;

/** Maximum length of the marks of a page, in letters of base64: a page of dense print has a tenth of it. */
export const MAX_MARKS_LENGTH = 200_000;

const MAX_READING_BYTES = 64_000_000;

/**
 * Returns what was read on a scan, in the form that `addText` takes.
 * @param draw draws the scan into the file, upright by the given direction where the reader has found one
 */
export async function readScan(
  draw: (direction?: QuarterTurns) => Promise<ScanToRead>,
  path: string,
  languages: string,
  read: ReadWords,
): Promise<PageReading> {
  let found = await draw();
  let answer = 'scan' in found ? await read({ ...found.scan, path, languages }) : undefined;
  if (answer !== undefined && 'direction' in answer && answer.direction !== 'unknown') {
    found = await draw(answer.direction);
    answer = 'scan' in found ? await read({ ...found.scan, path, languages }) : undefined;
  }
  if (!('scan' in found)) return { unread: found.unread ?? 'no-scan' };
  if (answer === undefined) return { unread: 'limit' };
  if ('direction' in answer) return { unread: 'direction' };
  const { width, height } = found.scan;
  return { width, height, words: answer, marks: found.marks };
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
export function soundWords({ width, height, words }: ReadPage): PageWord[] {
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
