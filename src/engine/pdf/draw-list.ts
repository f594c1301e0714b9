import { limitExceeded, PDF_LIMITS } from './limits.ts';
import { multiply, type Linear } from './matrix.ts';
import type { InlineImage } from './inline-image.ts';

/** An image drawn at a size, so many times. */
export interface Draw {
  /** Object number, or an inline image */
  image: number | InlineImage;
  /** Maps the unit square to the space of the content that draws it */
  matrix: Linear;
  count: number;
  /** Reached through a tiling pattern */
  inPattern: boolean;
}

/** Draws of one content stream; equal ones are counted, not repeated. */
export interface DrawList {
  readonly draws: readonly Draw[];
  add(draw: Draw): void;
  /** Adds what a form or pattern draws, through the matrix it is drawn with. */
  addAll(draws: readonly Draw[], matrix: Linear, inPattern?: boolean): void;
}

export function createDrawList(): DrawList {
  const draws: Draw[] = [];
  const known = new Map<string, Draw>();
  let last: Draw | undefined;

  function add(draw: Draw): void {
    if (last !== undefined && isSame(last, draw)) {
      last.count += draw.count;
      return;
    }
    // Inline images are told apart by identity, so only the last can be the same.
    const key = typeof draw.image === 'number' ? `${draw.image} ${draw.matrix.join(' ')} ${draw.inPattern}` : undefined;
    const equal = key === undefined ? undefined : known.get(key);
    if (equal !== undefined) {
      equal.count += draw.count;
      last = equal;
      return;
    }
    if (draws.length >= PDF_LIMITS.draws.max) throw limitExceeded('draws');
    last = { ...draw };
    if (key !== undefined) known.set(key, last);
    draws.push(last);
  }

  return {
    draws,
    add,
    addAll(others, matrix, inPattern = false) {
      for (const other of others)
        add({ ...other, matrix: multiply(other.matrix, matrix), inPattern: inPattern || other.inPattern });
    },
  };
}

function isSame(one: Draw, other: Draw): boolean {
  return (
    one.image === other.image &&
    one.inPattern === other.inPattern &&
    one.matrix.every((value, i) => value === other.matrix[i])
  );
}
