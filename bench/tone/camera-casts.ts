import type { Rgb } from '../quality/metrics.ts';

type Vector = readonly [number, number, number];
/** From CIE XYZ to a camera's own colours, as in dcraw's table `adobe_coeff`. */
export type Camera = readonly [Vector, Vector, Vector];
type Matrix = Camera;

/** Canon EOS 5D Mark II and Nikon D90. */
export const CAMERAS: readonly Camera[] = [
  [
    [0.4716, 0.0603, -0.083],
    [-0.7798, 1.5474, 0.248],
    [-0.1496, 0.1937, 0.6651],
  ],
  [
    [0.7309, -0.1403, -0.0519],
    [-0.8474, 1.6008, 0.2622],
    [-0.2434, 0.2826, 0.8064],
  ],
];
/** From linear sRGB to CIE XYZ (IEC 61966-2-1). */
const SRGB: Matrix = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
];
/** Curvature of the camera's tone curve, and its gain of saturation. */
const [SHOULDER, SATURATION] = [2, 1.15];

/** A light source as a CIE 1931 chromaticity. */
export type Light = readonly [x: number, y: number];

/** The actual light of the scene, and the camera's setting. */
export interface WrongBalance {
  light: Light;
  setTo: Light;
}

const DAYLIGHT = daylight(5200);
export const WRONG_BALANCES: readonly (WrongBalance & { name: string })[] = [
  { name: 'tungsten preset', light: DAYLIGHT, setTo: lamp(3200) },
  { name: 'lamp at night', light: lamp(2900), setTo: daylight(4600) },
  { name: 'shade', light: daylight(8000), setTo: DAYLIGHT },
  { name: 'cloudy preset', light: lamp(3900), setTo: daylight(5600) },
  { name: 'fluorescent', light: [0.355, 0.395], setTo: DAYLIGHT },
  { name: 'fluorescent preset', light: daylight(5600), setTo: [0.365, 0.395] },
  { name: 'blue light', light: [0.262, 0.262], setTo: daylight(6000) },
  { name: 'magenta light', light: [0.345, 0.3], setTo: daylight(5600) },
];

/** Chromaticity of daylight of a temperature from 4000 to 25000 K (CIE 15). */
export function daylight(kelvin: number): Light {
  const [a, b, c, d] =
    kelvin <= 7000 ? [-4.607e9, 2.9678e6, 0.09911e3, 0.244063] : [-2.0064e9, 1.9018e6, 0.24748e3, 0.23704];
  const x = a / kelvin ** 3 + b / kelvin ** 2 + c / kelvin + d;
  return [x, -3 * x ** 2 + 2.87 * x - 0.275];
}

/** Chromaticity of a lamp as a black body of 2222 to 4000 K (Kim et al., US patent 7024034). */
export function lamp(kelvin: number): Light {
  const x = -0.2661239e9 / kelvin ** 3 - 0.2343589e6 / kelvin ** 2 + 0.8776956e3 / kelvin + 0.17991;
  return [x, -0.9549476 * x ** 3 - 1.37418593 * x ** 2 + 2.09137015 * x - 0.16748867];
}

/**
 * Simulates a camera with a wrong white balance on the same scene: the gains act on the sensor's colours, before its matrix,
 * its saturation and its tone curve. With the right balance, the photograph stays unchanged.
 */
export function underWrongBalance(photograph: Rgb, { light, setTo }: WrongBalance, camera: Camera): Rgb {
  const toCamera = product(camera, SRGB);
  const white = applied(toCamera, [1, 1, 1]);
  const balanced = toCamera.map((row, i) => row.map((value) => value / white[i]!)) as unknown as Matrix;
  const back = inverse(balanced);
  const neutral = (of: Light): Vector => applied(camera, [of[0] / of[1], 1, (1 - of[0] - of[1]) / of[1]]);
  const [lit, set] = [neutral(light), neutral(setTo)];
  const ratio = lit.map((value, i) => value / set[i]!);
  const gains = ratio.map((value) => value / ratio[1]!);
  const data = new Uint8Array(photograph.data.length);
  for (let i = 0; i < data.length; i += 3) {
    const scene = saturated([0, 1, 2].map((c) => SCENE[photograph.data[i + c]!]!) as never, 1 / SATURATION);
    const sensor = applied(balanced, scene).map((value, c) => clamped(value * gains[c]!)) as never;
    const seen = saturated(applied(back, sensor), SATURATION);
    for (let c = 0; c < 3; c += 1) data[i + c] = Math.round(255 * developed(seen[c]!));
  }
  return { ...photograph, data };
}

const clamped = (value: number): number => Math.min(1, Math.max(0, value));

/** Inverse of `developed`: the scene's light for each coded value. */
const SCENE = Float64Array.from({ length: 256 }, (_, v) => {
  const coded = v / 255;
  const linear = coded <= 0.04045 ? coded / 12.92 : ((coded + 0.055) / 1.055) ** 2.4;
  return -Math.log(1 - linear * (1 - Math.exp(-SHOULDER))) / SHOULDER;
});

/** A curve with a shoulder, then the coding of sRGB. */
function developed(light: number): number {
  const linear = clamped((1 - Math.exp(-SHOULDER * clamped(light))) / (1 - Math.exp(-SHOULDER)));
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
}

function saturated([r, g, b]: Vector, factor: number): Vector {
  const grey = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return [grey + (r - grey) * factor, grey + (g - grey) * factor, grey + (b - grey) * factor];
}

function applied(matrix: Matrix, [a, b, c]: Vector): Vector {
  return matrix.map((row) => row[0] * a + row[1] * b + row[2] * c) as unknown as Vector;
}

function product(a: Matrix, b: Matrix): Matrix {
  return a.map((row) => [0, 1, 2].map((j) => row.reduce((sum, value, k) => sum + value * b[k]![j]!, 0))) as never;
}

function inverse([[a, b, c], [d, e, f], [g, h, i]]: Matrix): Matrix {
  const determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
  return [
    [e * i - f * h, c * h - b * i, b * f - c * e],
    [f * g - d * i, a * i - c * g, c * d - a * f],
    [d * h - e * g, b * g - a * h, a * e - b * d],
  ].map((row) => row.map((value) => value / determinant)) as unknown as Matrix;
}
