import type { PdfValue } from './objects.ts';

/**
 * The linear part [a b c d] of a transformation matrix (ISO 32000-1 section 8.3.3). Where an image lies does not matter for its
 * resolution, so the translation is left out; the product of linear parts does not depend on it.
 */
export type Linear = readonly [a: number, b: number, c: number, d: number];

export const IDENTITY: Linear = [1, 0, 0, 1];

/** What `inner` followed by `outer` does. */
export function multiply([a, b, c, d]: Linear, [A, B, C, D]: Linear): Linear {
  return [a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D];
}

/** The linear part of a `Matrix` array, or the identity when it is none. */
export function linearOf(value: PdfValue): Linear {
  if (!Array.isArray(value)) return IDENTITY;
  const [a, b, c, d] = value;
  return typeof a === 'number' && typeof b === 'number' && typeof c === 'number' && typeof d === 'number'
    ? [a, b, c, d]
    : IDENTITY;
}

/**
 * Resolution of an image drawn in the unit square that `matrix` maps to points.
 * @returns pixels an inch along the image's rows and columns; Infinity where it is drawn without extent
 */
export function resolutionOf([a, b, c, d]: Linear, width: number, height: number): { x: number; y: number } {
  return { x: (72 * width) / Math.hypot(a, b), y: (72 * height) / Math.hypot(c, d) };
}
