/** cos(k π / 16) / 2, and 1 / √8: the constants of the orthonormal 8-point DCT-II. */
export const [C1, C2, C3, C5, C6, C7] = [1, 2, 3, 5, 6, 7].map((k) => Math.cos((k * Math.PI) / 16) / 2) as [
  number,
  number,
  number,
  number,
  number,
  number,
];
export const C4 = Math.SQRT1_2 / 2;

/** Orthonormal 8×8 DCT in place; coefficients in rows of vertical frequency. */
export function forwardDct(block: Float32Array): void {
  for (let i = 0; i < 64; i += 8) forwardLine(block, i, 1);
  for (let i = 0; i < 8; i += 1) forwardLine(block, i, 8);
}

/** Orthonormal 8-point DCT in place, of the samples at `at`, `at + step` and so on. */
export function forwardLine(b: Float32Array, at: number, step: number): void {
  const [i1, i2, i3, i4] = [at + step, at + 2 * step, at + 3 * step, at + 4 * step];
  const [i5, i6, i7] = [at + 5 * step, at + 6 * step, at + 7 * step];
  const s0 = b[at]! + b[i7]!;
  const d0 = b[at]! - b[i7]!;
  const s1 = b[i1]! + b[i6]!;
  const d1 = b[i1]! - b[i6]!;
  const s2 = b[i2]! + b[i5]!;
  const d2 = b[i2]! - b[i5]!;
  const s3 = b[i3]! + b[i4]!;
  const d3 = b[i3]! - b[i4]!;
  const e0 = s0 + s3;
  const e1 = s1 + s2;
  const e2 = s0 - s3;
  const e3 = s1 - s2;
  b[at] = (e0 + e1) * C4;
  b[i4] = (e0 - e1) * C4;
  b[i2] = e2 * C2 + e3 * C6;
  b[i6] = e2 * C6 - e3 * C2;
  b[i1] = d0 * C1 + d1 * C3 + d2 * C5 + d3 * C7;
  b[i3] = d0 * C3 - d1 * C7 - d2 * C1 - d3 * C5;
  b[i5] = d0 * C5 - d1 * C1 + d2 * C7 + d3 * C3;
  b[i7] = d0 * C7 - d1 * C5 + d2 * C3 - d3 * C1;
}
