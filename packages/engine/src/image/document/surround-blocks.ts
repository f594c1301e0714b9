/** A reduced page, in which the dark surround of its paper is sought. */
export interface Blocks {
  columns: number;
  rows: number;
  /** Pixels a side */
  step: number;
  /** Light as a share of the paper's */
  light: Float32Array;
}

/** Marks the largest connected area of a kind of blocks. */
export function largestArea({ columns, light }: Blocks, belongs: (at: number) => boolean): Uint8Array {
  const areas = new Int32Array(light.length);
  let [largest, most] = [0, 0];
  for (let start = 0, area = 0; start < light.length; start += 1) {
    if (areas[start] !== 0 || !belongs(start)) continue;
    area += 1;
    areas[start] = area;
    const stack = [start];
    let size = 0;
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      size += 1;
      const column = at % columns;
      for (const near of [
        ...(column > 0 ? [at - 1] : []),
        ...(column < columns - 1 ? [at + 1] : []),
        at - columns,
        at + columns,
      ]) {
        if (near < 0 || near >= light.length || areas[near] !== 0 || !belongs(near)) continue;
        areas[near] = area;
        stack.push(near);
      }
    }
    if (size > most) [largest, most] = [area, size];
  }
  return Uint8Array.from(areas, (area) => (area === largest ? 1 : 0));
}

/** Adds the blocks around the marked ones: the edge is soft. */
export function widened(marks: Uint8Array, columns: number): Uint8Array {
  return marks.map((is, at) => {
    const column = at % columns;
    return (
      is |
      (column > 0 ? marks[at - 1]! : 0) |
      (column < columns - 1 ? marks[at + 1]! : 0) |
      (marks[at - columns] ?? 0) |
      (marks[at + columns] ?? 0)
    );
  });
}
