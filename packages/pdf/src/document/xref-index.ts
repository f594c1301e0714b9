import { assertWithin } from '../pdf-error.ts';

/** Location of an object: in the file at `offset`, or as the `index`-th object of the object stream `container`. */
export type XrefEntry =
  { type: 'offset'; offset: number; generation: number } | { type: 'compressed'; container: number; index: number };

const FREE = 1;
const OFFSET = 2;
const COMPRESSED = 3;

/**
 * All cross-reference entries of a file in typed arrays, 13 bytes per object. The first entry set for a number wins.
 */
export interface XrefIndex {
  size(): number;
  get(number: number): XrefEntry | undefined;
  setFree(number: number): void;
  setOffset(number: number, offset: number, generation: number, replace?: boolean): void;
  setCompressed(number: number, container: number, index: number, replace?: boolean): void;
}

export function createXrefIndex(): XrefIndex {
  let types = new Uint8Array(1024);
  let first = new Float64Array(1024);
  let second = new Uint32Array(1024);
  let size = 0;

  /** Returns whether the entry may be written; grows the arrays as needed. */
  function claim(number: number, replace: boolean): boolean {
    assertWithin('objectNumber', number);
    if (number >= types.length) {
      const length = Math.max(number + 1, types.length * 2);
      types = grown(types, new Uint8Array(length));
      first = grown(first, new Float64Array(length));
      second = grown(second, new Uint32Array(length));
    }
    if (number >= size) size = number + 1;
    return replace || types[number] === 0;
  }
  function set(number: number, type: number, a: number, b: number, replace: boolean): void {
    if (!claim(number, replace)) return;
    types[number] = type;
    first[number] = a;
    second[number] = b;
  }

  return {
    size: () => size,
    get(number) {
      const [a, b] = [first[number] ?? 0, second[number] ?? 0];
      if (types[number] === OFFSET) return { type: 'offset', offset: a, generation: b };
      if (types[number] === COMPRESSED) return { type: 'compressed', container: a, index: b };
      return undefined;
    },
    setFree: (number) => set(number, FREE, 0, 0, false),
    setOffset: (number, offset, generation, replace = false) => set(number, OFFSET, offset, generation, replace),
    setCompressed: (number, container, index, replace = false) => set(number, COMPRESSED, container, index, replace),
  };
}

function grown<T extends Uint8Array | Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
