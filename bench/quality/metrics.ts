import { lumaAt } from '../../packages/engine/src/image/luma.ts';

/** Samples of RGB, 8 bits each, rows from the top. */
export interface Rgb {
  data: Uint8Array;
  /** Pixels */
  width: number;
  height: number;
}

/** Luma of Rec. 601 over the full range, 0..255. */
export function luma({ data, width, height }: Rgb): Float32Array {
  return Float32Array.from({ length: width * height }, (_, i) => lumaAt(data, 3 * i, 3));
}

/** Peak signal-to-noise ratio of luma, dB; Infinity for equal pictures. */
export function psnrY(a: Rgb, b: Rgb): number {
  const [ya, yb] = [luma(a), luma(b)];
  let sum = 0;
  for (let i = 0; i < ya.length; i += 1) sum += (ya[i]! - yb[i]!) ** 2;
  return 10 * Math.log10(255 ** 2 / (sum / ya.length));
}

const RADIUS = 5;
const WINDOW = Float64Array.from({ length: 2 * RADIUS + 1 }, (_, i) => Math.exp(-((i - RADIUS) ** 2) / (2 * 1.5 ** 2)));
const TOTAL = WINDOW.reduce((a, b) => a + b, 0);
const C1 = (0.01 * 255) ** 2;
const C2 = (0.03 * 255) ** 2;

/**
 * Mean structural similarity of luma after Wang et al., "Image quality assessment" (2004): Gaussian window of 11 × 11 with
 * sigma 1.5, at the positions with the window inside the picture. Pictures need at least 11 pixels per side.
 */
export function ssimY(a: Rgb, b: Rgb): number {
  const { width, height } = a;
  const [ya, yb] = [luma(a), luma(b)];
  const mean = (of: Float64Array): Float64Array => weighted(of, width, height);
  const product = (p: Float32Array, q: Float32Array): Float64Array => Float64Array.from(p, (value, i) => value * q[i]!);
  const [ma, mb] = [mean(Float64Array.from(ya)), mean(Float64Array.from(yb))];
  const [saa, sbb, sab] = [mean(product(ya, ya)), mean(product(yb, yb)), mean(product(ya, yb))];
  let sum = 0;
  for (let i = 0; i < ma.length; i += 1) {
    const [va, vb, cov] = [saa[i]! - ma[i]! ** 2, sbb[i]! - mb[i]! ** 2, sab[i]! - ma[i]! * mb[i]!];
    sum += ((2 * ma[i]! * mb[i]! + C1) * (2 * cov + C2)) / ((ma[i]! ** 2 + mb[i]! ** 2 + C1) * (va + vb + C2));
  }
  return sum / ma.length;
}

/** Gaussian means, of the inner part of the plane only. */
function weighted(plane: Float64Array, width: number, height: number): Float64Array {
  const w = width - 2 * RADIUS;
  const h = height - 2 * RADIUS;
  const rows = new Float64Array(w * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < w; x += 1) {
      let sum = 0;
      for (let k = 0; k <= 2 * RADIUS; k += 1) sum += WINDOW[k]! * plane[y * width + x + k]!;
      rows[y * w + x] = sum / TOTAL;
    }
  }
  const result = new Float64Array(w * h);
  for (let y = 0; y < h; y += 1) {
    for (let x = 0; x < w; x += 1) {
      let sum = 0;
      for (let k = 0; k <= 2 * RADIUS; k += 1) sum += WINDOW[k]! * rows[(y + k) * w + x]!;
      result[y * w + x] = sum / TOTAL;
    }
  }
  return result;
}

/** Mean distance of colours, ΔE*ab of CIE 1976, for sRGB under D65. */
export function colourError(a: Rgb, b: Rgb): number {
  let sum = 0;
  for (let i = 0; i < a.data.length; i += 3) {
    const [p, q] = [lab(a.data, i), lab(b.data, i)];
    sum += Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
  }
  return (3 * sum) / a.data.length;
}

const LINEAR = Float64Array.from({ length: 256 }, (_, i) =>
  i / 255 <= 0.04045 ? i / 255 / 12.92 : ((i / 255 + 0.055) / 1.055) ** 2.4,
);

/** CIE L*a*b* of one sRGB pixel (IEC 61966-2-1; CIE 15). */
const lab = (data: Uint8Array, i: number): [number, number, number] =>
  labOf(LINEAR[data[i]!]!, LINEAR[data[i + 1]!]!, LINEAR[data[i + 2]!]!);

/** CIE L*a*b* of linear light of sRGB's primaries, 0..1, under D65. */
export function labOf(r: number, g: number, b: number): [number, number, number] {
  const f = (t: number): number => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
  const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
  const z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
