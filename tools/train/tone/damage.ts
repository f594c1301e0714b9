import { ramp } from '../../../packages/engine/src/image/ramps.ts';
import { codedLight, LUMA, linearLight } from '../../../packages/engine/src/image/steps/curves.ts';
import { PIXELS, SIDE } from '../../../packages/engine/src/image/steps/tone-square.ts';
import type { Random } from './random.ts';

/** Another light of a photograph. */
export interface Light {
  stops: number;
  /** Logarithms of red over blue, and of green over both */
  warm: number;
  tint: number;
}

/** Returns a photograph in another light: 8 bits, with clipping. */
export function inLight(planes: Float32Array, light: Light): Float32Array {
  const gains = gainsOf(light);
  return planes.map((value, i) => rounded(codedLight(linearLight(value) * gains[(i / PIXELS) | 0]!)));
}

/** Another version of a good photograph: exposure, cast, haze, curve, noise, and 8 bits with clipping. */
export function damaged(planes: Float32Array, random: Random): Float32Array {
  const stops = random.next() < 0.75 ? random.between(-2.5, 1.6) : 0;
  const [warm, tint] = random.next() < 0.6 ? [random.normal(0.45), random.normal(0.12)] : [0, 0];
  const gains = gainsOf({ stops, warm, tint });
  const k = Math.exp(random.next() < 0.4 ? random.normal(0.5) : 0);
  const isHazy = random.next() < 0.35;
  const [veil, top] = isHazy ? [random.between(0, 0.2), random.between(0.75, 1)] : [0, 1];
  const noise = [0, 0.004, 0.01][Math.floor(random.next() * 3)]!;
  return planes.map((value, i) => {
    const level = (linearLight(value) * gains[(i / PIXELS) | 0]!) ** (1 / 2.2);
    const curved = level >= 1 ? 1 + (level - 1) / k : (k * level) / (1 + (k - 1) * level);
    return rounded(codedLight((veil + (top - veil) * curved) ** 2.2) + (noise === 0 ? 0 : random.normal(noise)));
  });
}

/** An object on white, cut out of a photograph. */
export function onWhite(planes: Float32Array, random: Random): Float32Array {
  const [wide, high] = [random.between(0.4, 0.9), random.between(0.4, 0.9)];
  const white = random.next() < 2 / 3 ? 1 : random.between(0.93, 1);
  return planes.map((value, i) => {
    const [x, y] = [i % SIDE, ((i % PIXELS) / SIDE) | 0].map((at) => (2 * at) / (SIDE - 1) - 1) as [number, number];
    const part = ramp(1 - Math.hypot(x / wide, y / high), [0, 0.06]);
    return value * part + white * (1 - part);
  });
}

export const mirrored = (planes: Float32Array): Float32Array =>
  planes.map((_, i) => planes[i - (i % SIDE) + SIDE - 1 - (i % SIDE)]!);

/** Gains of the channels that keep the luma of a grey at the same exposure. */
function gainsOf({ stops, warm, tint }: Light): number[] {
  const gains = [warm / 2 - tint / 3, (2 * tint) / 3, -warm / 2 - tint / 3].map(Math.exp);
  const luma = gains.reduce((sum, gain, c) => sum + gain * LUMA[c]!, 0);
  return gains.map((gain) => (gain / luma) * 2 ** stops);
}

const rounded = (coded: number): number => Math.round(Math.min(1, Math.max(0, coded)) * 255) / 255;
