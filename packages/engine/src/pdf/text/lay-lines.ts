import type { PageWord } from './page-words.ts';

/**
 * Words that stand on one baseline in one size. Readers of PDFs find lines, blocks and columns by baselines and sizes: words that
 * differ in them are mixed with those of the lines and columns beside them.
 */
export interface WordLine {
  words: readonly PageWord[];
  /** The em of its letters, pixels */
  size: number;
  /** Pixels from the top of the picture at its left edge, and what each pixel to the right adds */
  baseline: { start: number; slope: number };
}

/** Heights of letters above the baseline in common typefaces, em: with ascenders, without, and of ideographs. */
const HEIGHTS = { tall: 0.7, low: 0.47, ideograph: 0.85 } as const;
const TALL = /[\p{Lu}\p{Nd}bdfhklß]/u;
const LOW = /^[acemnorsuvwxz]+$/u;
const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const ACCENT = /\p{M}/u;
/** Characters that reach below the baseline. */
const BELOW = /[gjpqyçQJ,;()[\]{}|/\\_@§¶µ„‚]/u;
const LETTER = /[\p{L}\p{N}]/u;

/** Words that give a line a slope of its own. Shorter lines have that of their page. */
const LEAST_WORDS = 6;
/** Largest slope of a line: steeper words stand above each other. */
const MOST_SLOPE = 0.3;
/** Sizes of lines within this share are one: those of a typeface differ by the letters that a line happens to have. */
const SAME_SIZE = 0.12;
/** Shares of the tallest word of a line within which its size lies. With others, its letters are misread. */
const SOUND = { least: 0.7, most: 3 } as const;

/** Puts words on lines, in their order. A word that `continues` has the next one on its line. */
export function layLines(words: readonly PageWord[]): WordLine[] {
  const lines = splitLines(words);
  const own = lines.map((line) => slopeOf(line));
  const ofPage = median(own.flatMap((slope) => slope ?? [])) ?? 0;
  const laid = lines.map((line, k): WordLine => {
    const slope = own[k] ?? ofPage;
    const start = median(standing(line).map((word) => bottomOf(word) - slope * middleOf(word)))!;
    const baseline = { start, slope };
    return { words: line, baseline, size: sizeOf(line, baseline) };
  });
  return evenSizes(laid);
}

/** The lines of words that stand beside each other. Those that stand above each other, as on a turned line, are lines of their own. */
function splitLines(words: readonly PageWord[]): PageWord[][] {
  const lines: PageWord[][] = [];
  let line: PageWord[] | undefined;
  for (const word of words) {
    const last = line?.at(-1);
    if (last === undefined || !isBeside(last, word)) lines.push((line = []));
    line!.push(word);
    if (word.continues !== true) line = undefined;
  }
  return lines;
}

function isBeside(one: PageWord, other: PageWord): boolean {
  const across = Math.abs(middleOf(other) - middleOf(one));
  const down = Math.abs(other.top + other.height / 2 - one.top - one.height / 2);
  return down <= Math.max(MOST_SLOPE * across, (one.height + other.height) / 2);
}

const middleOf = ({ left, width }: PageWord): number => left + width / 2;
const bottomOf = ({ top, height }: PageWord): number => top + height;

/** The words of a line that end at its baseline; all where none does for sure. */
function standing(line: readonly PageWord[]): readonly PageWord[] {
  const sure = line.filter(({ text }) => LETTER.test(text) && !BELOW.test(text));
  if (sure.length > 0) return sure;
  const letters = line.filter(({ text }) => LETTER.test(text));
  return letters.length > 0 ? letters : line;
}

/** The median slope between the words of a line (Theil and Sen); undefined for a short line. */
function slopeOf(line: readonly PageWord[]): number | undefined {
  const words = standing(line);
  if (words.length < LEAST_WORDS) return undefined;
  const half = Math.floor(words.length / 2);
  const slopes = words.slice(half).flatMap((word, k) => {
    const across = middleOf(word) - middleOf(words[k]!);
    return across === 0 ? [] : [(bottomOf(word) - bottomOf(words[k]!)) / across];
  });
  const slope = median(slopes);
  return slope === undefined || Math.abs(slope) > MOST_SLOPE ? undefined : slope;
}

/** The em of a line by the heights of its letters above its baseline, pixels. */
function sizeOf(line: readonly PageWord[], { start, slope }: WordLine['baseline']): number {
  const above = (word: PageWord): number => start + slope * middleOf(word) - word.top;
  const sizes = { tall: [] as number[], low: [] as number[] };
  for (const word of line) {
    if (ACCENT.test(word.text.normalize('NFD'))) continue;
    if (TALL.test(word.text)) sizes.tall.push(above(word) / HEIGHTS.tall);
    else if (LOW.test(word.text)) sizes.low.push(above(word) / HEIGHTS.low);
    else if (IDEOGRAPH.test(word.text)) sizes.tall.push(above(word) / HEIGHTS.ideograph);
  }
  const tallest = Math.max(...line.map(({ height }) => height));
  const size = median(sizes.tall) ?? median(sizes.low) ?? Math.max(...line.map(above)) / HEIGHTS.tall;
  return size >= SOUND.least * tallest && size <= SOUND.most * tallest ? size : tallest;
}

/** Gives lines of about one size the same one: that of most words first. */
function evenSizes(lines: readonly WordLine[]): WordLine[] {
  const even = [...lines];
  const waiting = lines.map(({ size }, index) => ({ size, index })).sort((one, other) => one.size - other.size);
  while (waiting.length > 0) {
    const { from, to } = heaviest(waiting.map(({ size, index }) => ({ size, words: lines[index]!.words.length })));
    const same = waiting.splice(from, to - from);
    const size = median(same.flatMap((each) => lines[each.index]!.words.map(() => each.size)))!;
    for (const { index } of same) even[index] = { ...lines[index]!, size };
  }
  return even;
}

/** The part of sorted sizes within one share that has most words. */
function heaviest(sizes: readonly { size: number; words: number }[]): { from: number; to: number } {
  let best = { from: 0, to: 1, words: -1 };
  for (let from = 0, to = 0, words = 0; from < sizes.length; from += 1) {
    for (; to < sizes.length && sizes[to]!.size <= sizes[from]!.size * (1 + SAME_SIZE); to += 1)
      words += sizes[to]!.words;
    if (words > best.words) best = { from, to, words };
    words -= sizes[from]!.words;
  }
  return best;
}

function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)];
}
