import { EngineError } from './engine-error.ts';
import type { IMAGE_PARAMETERS, ValueOf } from './parameter-table.ts';

type Value<Name extends keyof typeof IMAGE_PARAMETERS> = ValueOf<(typeof IMAGE_PARAMETERS)[Name]>;

/** Enlargement of width and height. */
const SCALES = { X1: 1, X2: 2, X4: 4 } as const satisfies Record<Value<'upscalingFactor'>, number>;

/** Largest enlargement of width and height. */
const MAX_SCALE = 4;

/**
 * From this factor, an enlargement doubles twice and reduces the result. Below, doubling once and interpolating the rest takes a
 * quarter of the time, and is as close to the original (AUTO) or closer (FINE by 0.07 to 0.1 dB, FAST by 0.01 to 0.06).
 */
const TWICE_FROM = 2.8;

/** Print resolution of a size in centimetres without `targetDpi`, as of PDFs. */
export const DEFAULT_TARGET_DPI = 300;

export const CM_PER_INCH = 2.54;

/** Pixels. */
export interface Size {
  width: number;
  height: number;
}

/** How an image gets the size of its result. All sizes are in pixels. */
export interface SizePlan extends Size {
  /** Factor of the first enlargement of width and height */
  scale: 1 | 2 | 4;
  /** The picture after it was resized, before its edges are cut off. Without a target, it is the result. */
  resized: Size;
}

/** The parameters of each side of a target. */
export const SIDES = {
  width: { pixels: 'targetWidth', cm: 'targetWidthCm' },
  height: { pixels: 'targetHeight', cm: 'targetHeightCm' },
} as const;
/** The parameters of a target, in the order in which errors name them. */
export const TARGET_FIELDS = ['targetWidth', 'targetHeight', 'targetWidthCm', 'targetHeightCm'] as const;
type TargetField = (typeof TARGET_FIELDS)[number];

/** The parameters of a request that decide over the size. */
export type SizeParameters = {
  [Name in 'upscalingFactor' | TargetField | 'targetDpi' | 'fit' | 'fidelity']?: Value<Name> | undefined;
};
type ResolvedSize = Omit<SizeParameters, 'fidelity'> & {
  upscalingFactor: Value<'upscalingFactor'>;
  engineTier?: Value<'engineTier'> | undefined;
};

/** The first parameter of a target; undefined without a target. */
export const targetField = (given: SizeParameters): TargetField | undefined =>
  TARGET_FIELDS.find((name) => given[name] !== undefined);

export const isInCentimetres = ({ targetWidthCm, targetHeightCm }: SizeParameters): boolean =>
  targetWidthCm !== undefined || targetHeightCm !== undefined;

/** Pixels per inch that the result carries; undefined for a size that is not in centimetres. */
export function printResolution(given: SizeParameters): number | undefined {
  return isInCentimetres(given) ? (given.targetDpi ?? DEFAULT_TARGET_DPI) : undefined;
}

/** Whether the request sets both sides, so that `fit` decides. */
export const hasBothSides = (given: SizeParameters): boolean =>
  Object.values(SIDES).every(({ pixels, cm }) => given[pixels] !== undefined || given[cm] !== undefined);

/** Pixels of a side of the target; undefined for a side that follows the other. */
export function targetSide(
  given: SizeParameters,
  { pixels, cm }: (typeof SIDES)[keyof typeof SIDES],
): number | undefined {
  const length = given[cm];
  if (length === undefined) return given[pixels];
  return Math.round((length * (given.targetDpi ?? DEFAULT_TARGET_DPI)) / CM_PER_INCH);
}

/** Returns by how much doublings enlarge a picture before it is resized by the rest of a factor. */
export function doublingsFor(factor: number): 1 | 2 | 4 {
  if (factor <= 1) return 1;
  return factor < TWICE_FROM ? 2 : 4;
}

/**
 * Plans the size of a result. A target is reached by an enlargement of 2 or 4 times, and an exact resize.
 * @throws EngineError BAD_USER_INPUT for a target beyond 4 times the image
 */
export function planSize({ width, height }: Size, parameters: ResolvedSize): SizePlan {
  const { upscalingFactor, fit } = parameters;
  const field = targetField(parameters);
  if (field === undefined) {
    const scale = SCALES[upscalingFactor];
    const size = { width: width * scale, height: height * scale };
    return { scale, ...size, resized: size };
  }
  const [wantedWidth, wantedHeight] = [targetSide(parameters, SIDES.width), targetSide(parameters, SIDES.height)];
  const factors = [
    ...(wantedWidth === undefined ? [] : [wantedWidth / width]),
    ...(wantedHeight === undefined ? [] : [wantedHeight / height]),
  ];
  const factor = fit === 'COVER' ? Math.max(...factors) : Math.min(...factors);
  if (factor > MAX_SCALE) {
    // Rounded up, since 4.0 of at most 4 times would contradict itself.
    const times = Math.ceil(factor * 1_000) / 1_000;
    const detail = `The target is ${times} times as large as the image; at most ${MAX_SCALE} times is possible. Choose at most ${largestTarget({ width, height }, parameters)}.`;
    throw new EngineError('BAD_USER_INPUT', { field, detail });
  }
  const resized = {
    width: Math.max(1, Math.round(width * factor)),
    height: Math.max(1, Math.round(height * factor)),
  };
  // The network of DETAIL enlarges four times, for any factor.
  const scale = parameters.engineTier === 'DETAIL' && factor > 2 ? 4 : doublingsFor(factor);
  if (fit !== 'COVER') return { scale, ...resized, resized };
  return { scale, width: wantedWidth ?? resized.width, height: wantedHeight ?? resized.height, resized };
}

/** The largest size that an image can get, in the unit of the request. */
function largestTarget({ width, height }: Size, parameters: SizeParameters): string {
  const dpi = printResolution(parameters);
  if (dpi === undefined) return `${width * MAX_SCALE} × ${height * MAX_SCALE} pixels`;
  // Rounded down to millimetres, so that the size is really possible.
  const toCm = (side: number): number => Math.floor((10 * side * MAX_SCALE * CM_PER_INCH) / dpi) / 10;
  return `${toCm(width)} × ${toCm(height)} cm at ${dpi} DPI, or a lower targetDpi`;
}

/** Whether the parameters enlarge an image; undefined for a target while the size of the image is unknown. */
export function enlarges(parameters: ResolvedSize, image?: Size): boolean | undefined {
  if (targetField(parameters) === undefined) return parameters.upscalingFactor !== 'X1';
  // A record without pixels has not been inspected.
  if (image === undefined || image.width === 0 || image.height === 0) return undefined;
  return planSize(image, parameters).scale > 1;
}
