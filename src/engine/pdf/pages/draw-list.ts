import { limitExceeded, PDF_LIMITS } from '../limits.ts';
import { multiply, type Matrix } from './matrix.ts';
import type { InlineImage } from '../images/inline-image.ts';

/** An image drawn at a size, so many times. */
export interface Draw {
  /** Object number, or an inline image */
  image: number | InlineImage;
  /** Maps the unit square to the space of the content that draws it, where it is drawn first */
  matrix: Matrix;
  count: number;
  /** Reached through a tiling pattern */
  inPattern: boolean;
  /** In a layer that is off when the document is opened */
  hidden: boolean;
  /** Drawn at this size in more places than one */
  scattered: boolean;
}

export type DrawContext = Pick<Draw, 'inPattern' | 'hidden'>;

/** Draws of one content stream; equal ones are counted, not repeated. */
export interface DrawList {
  readonly draws: readonly Draw[];
  add(draw: Draw): void;
  /** Adds what a form or pattern draws, through the matrix it is drawn with. */
  addAll(draws: readonly Draw[], matrix: Matrix, context?: Partial<DrawContext>): void;
}

/** Points by which two positions may differ and still be the same place. */
const SAME_PLACE = 0.01;

export function createDrawList(): DrawList {
  const draws: Draw[] = [];
  const known = new Map<string, Draw>();
  let last: Draw | undefined;

  function add(draw: Draw): void {
    const equal = last !== undefined && isSame(last, draw) ? last : known.get(keyOf(draw) ?? '');
    if (equal !== undefined) {
      equal.count += draw.count;
      equal.scattered ||= draw.scattered || isElsewhere(equal, draw);
      last = equal;
      return;
    }
    if (draws.length >= PDF_LIMITS.draws.max) throw limitExceeded('draws');
    last = { ...draw };
    const key = keyOf(draw);
    if (key !== undefined) known.set(key, last);
    draws.push(last);
  }

  return {
    draws,
    add,
    addAll(others, matrix, { inPattern = false, hidden = false } = {}) {
      for (const other of others) {
        add({
          ...other,
          matrix: multiply(other.matrix, matrix),
          inPattern: inPattern || other.inPattern,
          hidden: hidden || other.hidden,
        });
      }
    },
  };
}

/** The key of equal draws; inline images are compared by identity, so only the last of them can be the same. */
function keyOf({ image, matrix: [a, b, c, d], inPattern, hidden }: Draw): string | undefined {
  return typeof image === 'number' ? `${image} ${a} ${b} ${c} ${d} ${inPattern} ${hidden}` : undefined;
}

function isSame(one: Draw, other: Draw): boolean {
  return (
    one.image === other.image &&
    one.inPattern === other.inPattern &&
    one.hidden === other.hidden &&
    [0, 1, 2, 3].every((i) => one.matrix[i] === other.matrix[i])
  );
}

function isElsewhere({ matrix: one }: Draw, { matrix: other }: Draw): boolean {
  return Math.abs(one[4] - other[4]) > SAME_PLACE || Math.abs(one[5] - other[5]) > SAME_PLACE;
}
