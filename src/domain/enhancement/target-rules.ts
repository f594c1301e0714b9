import {
  counted,
  hasBothSides,
  isInCentimetres,
  printResolution,
  SIDES,
  TARGET_BOUNDS,
  targetField,
  targetSide,
  type GivenSize,
} from '@burnish/engine/contract';
import { Failure } from '../failures.ts';
import type { ProviderName } from '../upload/upload.ts';

const IN_PIXELS = ['targetWidth', 'targetHeight'] as const;
const IN_CENTIMETRES = ['targetWidthCm', 'targetHeightCm', 'targetDpi'] as const;

/** Parameters without those of a size that the size of an order replaces: another unit, or a target beside a factor. */
export function withoutReplacedSize<Given extends GivenSize>(preset: Given, order: GivenSize): Given {
  const has = (names: readonly (keyof GivenSize)[]): boolean => names.some((name) => order[name] !== undefined);
  const replaced: (keyof GivenSize)[] = [
    ...(has(IN_PIXELS) ? IN_CENTIMETRES : []),
    ...(isInCentimetres(order) ? IN_PIXELS : []),
    ...(targetField(order) === undefined ? [] : (['upscalingFactor'] as const)),
    ...(has(['upscalingFactor']) ? [...IN_PIXELS, ...IN_CENTIMETRES, 'fit' as const] : []),
  ];
  return Object.fromEntries(Object.entries(preset).filter(([name]) => !(replaced as string[]).includes(name))) as Given;
}

const refuse = (field: string, detail: string): never => {
  throw new Failure('BAD_USER_INPUT', { field, detail });
};

/**
 * Rejects a target beside another size, a crop without both sides, and a target for the hosted service.
 * @throws Failure BAD_USER_INPUT
 */
export function assertTargetAgrees(given: GivenSize, provider: ProviderName): void {
  const field = targetField(given);
  if (given.fit === 'COVER' && !hasBothSides(given))
    refuse('fit', 'fit COVER cuts the image to an exact size. Set both targetWidth and targetHeight, or both in cm.');
  if (given.targetDpi !== undefined && !isInCentimetres(given))
    refuse('targetDpi', 'targetDpi applies to a size in centimetres. Set targetWidthCm or targetHeightCm.');
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
  assertPrintSize(given);
}

/** Rejects pixels beside centimetres, and centimetres whose pixels are out of bounds. */
function assertPrintSize(given: GivenSize): void {
  const inPixels = Object.values(SIDES).find(({ pixels }) => given[pixels] !== undefined)?.pixels;
  const { min, max } = TARGET_BOUNDS;
  for (const side of Object.values(SIDES).filter(({ cm }) => given[cm] !== undefined)) {
    if (inPixels !== undefined)
      refuse(side.cm, `${inPixels} is in pixels and ${side.cm} in centimetres. Use one unit for both sides.`);
    const pixels = targetSide(given, side)!;
    if (pixels >= min && pixels <= max) continue;
    const size = `${side.cm} is ${counted(pixels, 'pixel')} at ${printResolution(given)} DPI`;
    refuse(side.cm, `${size}. Choose a size and a targetDpi that give ${min} to ${max} pixels.`);
  }
}
