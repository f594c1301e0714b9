import { Failure } from '../failures.ts';
import type { ProviderName } from '../upload/upload.ts';
import type { IMAGE_PARAMETERS, ValueOf } from './parameter-table.ts';

type Value<Name extends keyof typeof IMAGE_PARAMETERS> = ValueOf<(typeof IMAGE_PARAMETERS)[Name]>;

/** Enlargement of width and height. */
export const SCALES = { X1: 1, X2: 2, X4: 4 } as const satisfies Record<Value<'upscalingFactor'>, number>;

/** Largest enlargement of width and height. */
const MAX_SCALE = 4;

/** Pixels. */
export interface Size {
  width: number;
  height: number;
}

/** How an image gets the size of its result. All sizes are in pixels. */
export interface SizePlan extends Size {
  /** Factor of the first enlargement of width and height */
  scale: 1 | 2 | 4;
  /** The picture after the final reduction, before its edges are cut off. Without a target, it is the result. */
  resized: Size;
}

/** The parameters of a request that decide over the size. */
type GivenSize = {
  [Name in 'upscalingFactor' | 'targetWidth' | 'targetHeight' | 'fit' | 'fidelity']?: Value<Name> | undefined;
};
type SizeParameters = Omit<GivenSize, 'fidelity'> & { upscalingFactor: Value<'upscalingFactor'> };

const targetField = ({ targetWidth, targetHeight }: GivenSize): string | undefined => {
  if (targetWidth !== undefined) return 'targetWidth';
  return targetHeight === undefined ? undefined : 'targetHeight';
};

/**
 * Plans the size of a result. A target is reached by the smallest sufficient enlargement, and an exact reduction.
 * @throws Failure BAD_USER_INPUT for a target beyond 4 times the image
 */
export function planSize({ width, height }: Size, parameters: SizeParameters): SizePlan {
  const { upscalingFactor, targetWidth, targetHeight, fit } = parameters;
  const field = targetField(parameters);
  if (field === undefined) {
    const scale = SCALES[upscalingFactor];
    const size = { width: width * scale, height: height * scale };
    return { scale, ...size, resized: size };
  }
  const factors = [
    ...(targetWidth === undefined ? [] : [targetWidth / width]),
    ...(targetHeight === undefined ? [] : [targetHeight / height]),
  ];
  const factor = fit === 'COVER' ? Math.max(...factors) : Math.min(...factors);
  if (factor > MAX_SCALE) {
    const detail = `The target is ${factor.toFixed(1)} times as large as the image; at most ${MAX_SCALE} times is possible. Choose at most ${width * MAX_SCALE} × ${height * MAX_SCALE} pixels.`;
    throw new Failure('BAD_USER_INPUT', { field, detail });
  }
  const resized = {
    width: Math.max(1, Math.round(width * factor)),
    height: Math.max(1, Math.round(height * factor)),
  };
  const scale = factor <= 1 ? 1 : factor <= 2 ? 2 : 4;
  if (fit !== 'COVER') return { scale, ...resized, resized };
  return { scale, width: targetWidth ?? resized.width, height: targetHeight ?? resized.height, resized };
}

/** Whether the parameters enlarge an image; undefined for a target while the size of the image is unknown. */
export function enlarges(parameters: SizeParameters, image?: Size): boolean | undefined {
  if (targetField(parameters) === undefined) return parameters.upscalingFactor !== 'X1';
  // A record without pixels has not been inspected.
  if (image === undefined || image.width === 0 || image.height === 0) return undefined;
  return planSize(image, parameters).scale > 1;
}

/**
 * Rejects a target beside another size, a crop without both sides, and a target for the hosted service.
 * @throws Failure BAD_USER_INPUT
 */
export function assertTargetAgrees(given: GivenSize, provider: ProviderName): void {
  const field = targetField(given);
  const refuse = (name: string, detail: string): never => {
    throw new Failure('BAD_USER_INPUT', { field: name, detail });
  };
  if (given.fit === 'COVER' && (given.targetWidth === undefined || given.targetHeight === undefined))
    refuse('fit', 'fit COVER cuts the image to an exact size. Set targetWidth and targetHeight.');
  if (field === undefined) {
    if (given.fit !== undefined) refuse('fit', 'fit applies to a target size. Set targetWidth or targetHeight.');
    return;
  }
  if (provider === 'hosted')
    refuse(field, `The hosted service does not support ${field}. Choose the provider LOCAL, or use upscalingFactor.`);
  if (given.fidelity === 'STRICT')
    refuse(field, `fidelity STRICT enlarges by whole factors. Replace ${field} by upscalingFactor X2 or X4.`);
  if (given.upscalingFactor !== undefined && given.upscalingFactor !== 'X1')
    refuse(field, `${field} and upscalingFactor both set the size. Remove one of them.`);
}
