import type { PageWord } from './page-words.ts';
import type { Mark } from './scan-marks.ts';

/** Share of a mark within the box of a word, from which it belongs to the word. */
const OWN = 0.3;
/** Marks that reach further out of a word than this share of its height are joined to others, as by a rule: they move no edge. */
const JOINED = 0.6;
/** Dots and accents above a word, and commas below it: their largest sides and distance, shares of its height. */
const APART = { width: 1, height: 0.5, distance: 0.3 } as const;
/** Smallest side of a box that the marks give, as a share of the given one. With less, ink is missing among the marks. */
const LEAST = { width: 0.4, height: 0.15 } as const;
/** Side of the cells that find the words near a mark, pixels. */
const CELL = 128;

interface Edges {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/**
 * Moves the edges of words to their ink: readers of text leave out dots and accents, and reach into the lines above and below.
 * @param marks the pieces of ink, in pixels of the same picture
 */
export function fitWords(words: readonly PageWord[], marks: readonly Mark[]): PageWord[] {
  const near = findNear(words);
  const own = words.map((): Edges[] => []);
  for (const box of marks) {
    const mark = edgesOf(box);
    let best: { index: number; score: number } | undefined;
    for (const index of near(mark)) {
      const word = edgesOf(words[index]!);
      const common = commonEdges(mark, word);
      const inside = common === undefined ? 0 : areaOf(common) / areaOf(mark);
      if (common !== undefined && isJoined(mark, word)) {
        own[index]!.push(common);
        continue;
      }
      const score = inside >= OWN ? 2 + inside - strangeness(mark, word) : scoreApart(mark, word);
      if (score > (best?.score ?? 0)) best = { index, score };
    }
    if (best !== undefined) own[best.index]!.push(mark);
  }
  return words.map((word, index) => {
    const edges = edgesOfLine(own[index]!, edgesOf(word));
    if (edges === undefined) return word;
    const [width, height] = [edges.right - edges.left, edges.bottom - edges.top];
    if (width < LEAST.width * word.width || height < LEAST.height * word.height) return word;
    return { ...word, left: edges.left, top: edges.top, width, height };
  });
}

/** The edges of the marks that stand in one line with the middle of a word, and of small ones beside that line. */
function edgesOfLine(marks: readonly Edges[], word: Edges): Edges | undefined {
  const lines: Edges[] = [];
  for (const mark of marks.toSorted((one, other) => one.top - other.top)) {
    const last = lines.at(-1);
    if (last === undefined || mark.top >= last.bottom) lines.push({ ...mark });
    else Object.assign(last, around(last, mark));
  }
  const [first, ...others] = lines.sort((one, other) => offCentre(one, word) - offCentre(other, word));
  if (first === undefined) return undefined;
  const height = first.bottom - first.top;
  const isBeside = (line: Edges): boolean =>
    line.bottom - line.top <= APART.height * height &&
    Math.max(first.top - line.bottom, line.top - first.bottom) <= APART.distance * height;
  return others.filter(isBeside).reduce(around, first);
}

/** Boxes that are too tall or too wide have marks of other lines and other words in common: the nearest and narrowest box counts. */
const strangeness = (mark: Edges, word: Edges): number =>
  offCentre(mark, word) - (0.5 * (mark.right - mark.left)) / (word.right - word.left);

/** Distance of the middles of a mark and a word, as a share of the height of the word. */
const offCentre = (mark: Edges, word: Edges): number =>
  Math.abs(mark.top + mark.bottom - word.top - word.bottom) / 2 / (word.bottom - word.top);

const around = (one: Edges, other: Edges): Edges => ({
  left: Math.min(one.left, other.left),
  top: Math.min(one.top, other.top),
  right: Math.max(one.right, other.right),
  bottom: Math.max(one.bottom, other.bottom),
});

const edgesOf = ({ left, top, width, height }: Mark | PageWord): Edges => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
});

const areaOf = ({ left, top, right, bottom }: Edges): number => (right - left) * (bottom - top);

function commonEdges(one: Edges, other: Edges): Edges | undefined {
  const common = {
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
  };
  return common.left < common.right && common.top < common.bottom ? common : undefined;
}

function isJoined(mark: Edges, word: Edges): boolean {
  const most = JOINED * (word.bottom - word.top);
  return (
    Math.max(word.left - mark.left, mark.right - word.right, word.top - mark.top, mark.bottom - word.bottom) > most
  );
}

/** How near a small mark above or below a word is to it, 0 to 1; 0 for others. */
function scoreApart(mark: Edges, word: Edges): number {
  const height = word.bottom - word.top;
  const middle = (mark.left + mark.right) / 2;
  const isSmall = mark.right - mark.left <= APART.width * height && mark.bottom - mark.top <= APART.height * height;
  if (!isSmall || middle < word.left || middle > word.right) return 0;
  const distance = Math.max(0, word.top - mark.bottom, mark.top - word.bottom);
  return Math.max(0, 1 - distance / (APART.distance * height));
}

/** Finds the words whose boxes, or the marks apart from them, may have a place in common with a mark. */
function findNear(words: readonly PageWord[]): (mark: Edges) => ReadonlySet<number> {
  const cells = new Map<string, number[]>();
  const names = ({ left, top, right, bottom }: Edges): string[] => {
    const found: string[] = [];
    for (let y = Math.floor(top / CELL); y <= bottom / CELL; y += 1)
      for (let x = Math.floor(left / CELL); x <= right / CELL; x += 1) found.push(`${x} ${y}`);
    return found;
  };
  for (const [index, word] of words.entries()) {
    const { top, bottom, ...sides } = edgesOf(word);
    const reach = APART.distance * word.height;
    for (const name of names({ ...sides, top: top - reach, bottom: bottom + reach })) {
      const cell = cells.get(name);
      if (cell === undefined) cells.set(name, [index]);
      else cell.push(index);
    }
  }
  return (mark) => new Set(names(mark).flatMap((name) => cells.get(name) ?? []));
}
