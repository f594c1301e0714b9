import type { Marks } from './marks.ts';

/** Height of letters, pixels, and width of letters and joined words as a multiple of it. */
const LETTER = { least: 4, most: 200, wide: 12, narrow: 1 / 6 } as const;
/** Gaps to the next letter, as multiples of the height. The slanted strokes of a hatching overlap more. */
const GAP = { least: -0.2, most: 2 } as const;
/** Share of the smaller letter that the next one has beside it, and ratio of their heights. */
const NEXT = { beside: 0.5, heights: 2.5 } as const;
/** Distance of the edges of two letters on one line, as a share of their height. */
const ON_LINE = 0.2;
/** Share of neighbours whose edges meet the same line. Marks without order have about a quarter. */
const ALIGNED = 0.5;
/** Least letters in a line, lines on a page, letters in these lines, and their share of all marks of such a size. */
const TEXT = { inLine: 5, lines: 5, letters: 30, share: 0.2 } as const;
/** Least space between two lines, as a share of the height of their letters. */
const APART = 0.3;
/** Side of a field in which neighbours are searched, pixels. */
const FIELD = 64;

/** A mark by its box: along the line, and across it. */
interface Letter {
  start: number;
  end: number;
  low: number;
  high: number;
}

/**
 * Returns whether a page shows lines of text: marks outside of pictures, at least 30 in five lines, most of them with an edge
 * on their line. Rules, frames, bars and dark headings do not count, so they may have most of the ink. The page may lie on its
 * side.
 * @param inPicture whether a pixel belongs to a picture
 */
export function showsTextLines(marks: Marks, inPicture: (x: number, y: number) => boolean): boolean {
  const letters: Letter[] = [];
  for (let part = 0; part < marks.count; part += 1) {
    const [left, top, width, height] = [marks.left[part]!, marks.top[part]!, marks.width[part]!, marks.height[part]!];
    if (inPicture(left + (width >> 1), top + (height >> 1))) continue;
    letters.push({ start: left, end: left + width, low: top, high: top + height });
  }
  const onSide = letters.map(({ start, end, low, high }) => ({ start: low, end: high, low: start, high: end }));
  return standInLines(letters) || standInLines(onSide);
}

function standInLines(marks: readonly Letter[]): boolean {
  const sized = marks.filter(isLetter);
  const lines = findLines(sized).filter(({ length }) => length >= TEXT.inLine);
  return (['high', 'low'] as const).some((edge) => {
    const aligned = lines.map((line) => countAligned(line, edge));
    const pairs = lines.reduce((sum, { length }) => sum + length - 1, 0);
    if (aligned.reduce((sum, each) => sum + each, 0) < ALIGNED * pairs) return false;
    const straight = lines.filter(({ length }, k) => aligned[k]! >= ALIGNED * (length - 1));
    const count = straight.flat().length;
    return count >= Math.max(TEXT.letters, TEXT.share * sized.length) && countRows(straight) >= TEXT.lines;
  });
}

function isLetter({ start, end, low, high }: Letter): boolean {
  const [width, height] = [end - start, high - low];
  const isTall = height >= LETTER.least && height <= LETTER.most;
  return isTall && width <= LETTER.wide * height && width + 1 >= LETTER.narrow * height;
}

/** Neighbours in a line whose edges differ by at most a pixel or a fifth of their height. */
function countAligned(line: readonly Letter[], edge: 'low' | 'high'): number {
  return line.filter((letter, k) => {
    const last = line[k - 1];
    if (last === undefined) return false;
    const height = Math.min(letter.high - letter.low, last.high - last.low);
    return Math.abs(letter[edge] - last[edge]) <= Math.max(1, ON_LINE * height);
  }).length;
}

/** Counts lines below one another: words far apart in one row are one. */
function countRows(lines: readonly Letter[][]): number {
  let [rows, until] = [0, -Infinity];
  for (const { low, high } of lines.map(([first]) => first!).sort((one, two) => one.low - two.low)) {
    if (low < until) continue;
    rows += 1;
    until = high + APART * (high - low);
  }
  return rows;
}

/** Joins each letter with the nearest one behind it, unless that one has another before it. */
function findLines(letters: Letter[]): Letter[][] {
  letters.sort((one, two) => one.start - two.start || one.low - two.low);
  const fields = new Map<string, Letter[]>();
  for (const letter of letters) {
    const across = Math.floor(letter.start / FIELD);
    for (let down = Math.floor(letter.low / FIELD); down <= Math.floor(letter.high / FIELD); down += 1) {
      const field = fields.get(`${across} ${down}`);
      if (field === undefined) fields.set(`${across} ${down}`, [letter]);
      else field.push(letter);
    }
  }
  const next = new Map<Letter, Letter>();
  const followers = new Set<Letter>();
  for (const letter of letters) {
    const follower = findNext(letter, fields);
    if (follower === undefined || followers.has(follower)) continue;
    next.set(letter, follower);
    followers.add(follower);
  }
  return letters.flatMap((first) => {
    if (followers.has(first)) return [];
    const line = [first];
    for (let letter = next.get(first); letter !== undefined; letter = next.get(letter)) line.push(letter);
    return [line];
  });
}

function findNext(letter: Letter, fields: ReadonlyMap<string, Letter[]>): Letter | undefined {
  const height = letter.high - letter.low;
  const reach = letter.end + GAP.most * height;
  let nearest: Letter | undefined;
  for (let across = Math.floor(letter.start / FIELD); across <= Math.floor(reach / FIELD); across += 1) {
    for (let down = Math.floor(letter.low / FIELD); down <= Math.floor(letter.high / FIELD); down += 1) {
      for (const other of fields.get(`${across} ${down}`) ?? []) {
        if (other.start <= letter.start || other.start > reach || other.start >= (nearest?.start ?? Infinity)) continue;
        const [small, tall] = [height, other.high - other.low].sort((a, b) => a - b);
        const beside = Math.min(letter.high, other.high) - Math.max(letter.low, other.low);
        if (beside >= NEXT.beside * small! && tall! <= NEXT.heights * small!) nearest = other;
      }
    }
  }
  return nearest !== undefined && nearest.start - letter.end >= GAP.least * height ? nearest : undefined;
}
