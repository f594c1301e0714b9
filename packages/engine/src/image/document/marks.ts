import type { InkLevels } from './ink.ts';
import type { PagePlanes } from './page-planes.ts';

/** Largest side of a speck as a share of the height of small letters. A full stop has about a fifth of it. */
const SPECK = 0.12;
/** Heights that letters have, pixels. */
const LETTER = { least: 4, most: 200 } as const;
/** Side of a field, pixels, and number of its pixels for each speck: closer specks are a screen of dots or a pattern. */
const FIELD = { side: 32, pixels: 64 } as const;

/** Distance of the dots of a dotted line, as a multiple of the height of letters, and other dots that one has within it. */
const DOTS = { reach: 2.5, others: 2 } as const;
/** Connected components of ink. */
export interface Marks {
  /** Row and columns of each run of pixels, and its component */
  rows: Int32Array;
  starts: Int32Array;
  ends: Int32Array;
  component: Int32Array;
  count: number;
  /** Pixels of the box of each component */
  left: Int32Array;
  top: Int32Array;
  width: Int32Array;
  height: Int32Array;
}

/** Finds the marks of ink on a page. @param ink 1 for the pixels of ink and its edges */
export function findMarks(ink: Uint8Array, { luma, width, height }: PagePlanes, { paper }: InkLevels): Marks {
  return findComponents(width, height, (at) => ink[at] === 1 && luma[at]! < paper);
}

/**
 * Marks the dots of dotted lines, as in forms and tables: a dot with others in its row or its column.
 * @param limit side of a dot, pixels
 * @param reach largest distance of two such dots, pixels
 * @returns 1 for each such component
 */
function findDottedLines({ count, left, top, width, height }: Marks, limit: number, reach: number): Uint8Array {
  const dots = Array.from({ length: count }, (_, part) => part).filter(
    (part) => width[part]! <= 2 * limit && height[part]! <= 2 * limit,
  );
  const cells = new Map<string, number[]>();
  const cellOf = (part: number, dx = 0, dy = 0): string =>
    `${Math.floor(left[part]! / reach) + dx} ${Math.floor(top[part]! / reach) + dy}`;
  for (const part of dots) {
    const cell = cellOf(part);
    const others = cells.get(cell);
    if (others === undefined) cells.set(cell, [part]);
    else others.push(part);
  }
  /** Stops at the last dot that is needed: in a screen of dots each has thousands within its reach. */
  const isDotted = (part: number): boolean => {
    let [row, column] = [0, 0];
    for (let near = 0; near < 9; near += 1) {
      for (const other of cells.get(cellOf(part, (near % 3) - 1, Math.floor(near / 3) - 1)) ?? []) {
        const [dx, dy] = [Math.abs(left[other]! - left[part]!), Math.abs(top[other]! - top[part]!)];
        if (other === part || Math.max(dx, dy) > reach) continue;
        if (dy <= limit) row += 1;
        if (dx <= limit) column += 1;
        if (Math.max(row, column) >= DOTS.others) return true;
      }
    }
    return false;
  };
  const dotted = new Uint8Array(count);
  for (const part of dots) if (isDotted(part)) dotted[part] = 1;
  return dotted;
}

/** Removes lonely dots that are too small for a full stop from the pixels of ink, in place. @returns their number */
export function removeSpecks(ink: Uint8Array, parts: Marks, { width, height }: PagePlanes): number {
  const heights = parts.height.filter(
    (side, k) => side >= LETTER.least && side <= LETTER.most && parts.width[k]! <= 2 * side,
  );
  if (heights.length < 10) return 0;
  const letter = heights.sort()[heights.length >> 1]!;
  const limit = Math.floor(SPECK * letter);
  if (limit < 1) return 0;
  const dotted = findDottedLines(parts, limit, DOTS.reach * letter);
  const isSpeck = (part: number): boolean =>
    parts.width[part]! <= limit && parts.height[part]! <= limit && dotted[part] === 0;
  const across = Math.ceil(width / FIELD.side);
  const fields = new Int32Array(across * Math.ceil(height / FIELD.side));
  const counted = new Uint8Array(parts.count);
  const fieldOf = (run: number): number =>
    Math.floor(parts.rows[run]! / FIELD.side) * across + Math.floor(parts.starts[run]! / FIELD.side);
  for (let run = 0; run < parts.rows.length; run += 1) {
    const part = parts.component[run]!;
    if (counted[part] === 1 || !isSpeck(part)) continue;
    counted[part] = 1;
    fields[fieldOf(run)]! += 1;
  }
  const most = FIELD.side ** 2 / FIELD.pixels;
  let removed = 0;
  for (let run = 0; run < parts.rows.length; run += 1) {
    const part = parts.component[run]!;
    if (!isSpeck(part) || fields[fieldOf(run)]! > most) continue;
    ink.fill(0, parts.rows[run]! * width + parts.starts[run]!, parts.rows[run]! * width + parts.ends[run]!);
    removed += 1;
  }
  return removed;
}

/** Connected components of 8 neighbours, from runs of pixels in rows, by union and find. */
export function findComponents(width: number, height: number, belongs: (at: number) => boolean): Marks {
  const [rows, starts, ends, parent]: number[][] = [[], [], [], []];
  const root = (run: number): number => {
    let at = run;
    while (parent![at] !== at) at = parent![at] = parent![parent![at]!]!;
    return at;
  };
  let [above, row] = [0, 0];
  for (let y = 0; y < height; y += 1) {
    [above, row] = [row, rows!.length];
    let candidate = above;
    for (let x = 0; x < width; x += 1) {
      if (!belongs(y * width + x)) continue;
      const start = x;
      while (x < width && belongs(y * width + x)) x += 1;
      const run = rows!.push(y) - 1;
      starts!.push(start);
      ends!.push(x);
      parent!.push(run);
      while (candidate < row && ends![candidate]! < start) candidate += 1;
      for (let k = candidate; k < row && starts![k]! <= x; k += 1) parent![root(k)] = root(run);
    }
  }
  const label = new Int32Array(rows!.length).fill(-1);
  let count = 0;
  const component = Int32Array.from(rows!, (_, run) => {
    const top = root(run);
    if (label[top] === -1) label[top] = count++;
    return label[top]!;
  });
  const [left, right, top, bottom] = [
    new Int32Array(count).fill(width),
    new Int32Array(count),
    new Int32Array(count).fill(height),
    new Int32Array(count),
  ];
  component.forEach((part, run) => {
    left[part] = Math.min(left[part]!, starts![run]!);
    right[part] = Math.max(right[part]!, ends![run]!);
    top[part] = Math.min(top[part]!, rows![run]!);
    bottom[part] = Math.max(bottom[part]!, rows![run]! + 1);
  });
  return {
    rows: Int32Array.from(rows!),
    starts: Int32Array.from(starts!),
    ends: Int32Array.from(ends!),
    component,
    count,
    left,
    top,
    width: right.map((side, k) => side - left[k]!),
    height: bottom.map((side, k) => side - top[k]!),
  };
}
