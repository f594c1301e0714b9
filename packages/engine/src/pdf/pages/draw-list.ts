import { workLimitExceeded, WORK_LIMITS } from '../work-limits.ts';
import { multiply, type Matrix } from './matrix.ts';
import type { InlineImage } from '../images/inline-image.ts';

export interface Draw {
  image: number | InlineImage;
  /** Maps the unit square to the space of the content stream, for the first draw */
  matrix: Matrix;
  count: number;
  inPattern: boolean;
  hidden: boolean;
  /** Drawn at this size at more than one position */
  scattered: boolean;
}

export type DrawContext = Pick<Draw, 'inPattern' | 'hidden'>;

export interface DrawList {
  readonly draws: readonly Draw[];
  add(draw: Draw): void;
  addAll(draws: readonly Draw[], matrix: Matrix, context?: Partial<DrawContext>): void;
}

/** Maximum difference between equal positions, points. */
const SAME_PLACE = 0.01;

export function createDrawList(): DrawList {
  const draws: Draw[] = [];
  const known = new Map<string, Draw>();
  let last: Draw | undefined;

  function add(draw: Draw): void {
    const equal = last !== undefined && isSame(last, draw) ? last : known.get(toKey(draw) ?? '');
    if (equal !== undefined) {
      equal.count += draw.count;
      equal.scattered ||= draw.scattered || isElsewhere(equal, draw);
      last = equal;
      return;
    }
    if (draws.length >= WORK_LIMITS.draws.max) throw workLimitExceeded('draws');
    last = { ...draw };
    const key = toKey(draw);
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

/**
 * Returns the key of equal draws. Inline images are compared by identity, so only the last draw can have the same one.
 */
function toKey({ image, matrix: [a, b, c, d], inPattern, hidden }: Draw): string | undefined {
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
