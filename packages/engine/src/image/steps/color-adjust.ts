import type { ColorConfig } from '@burnish/contract/engine';
import { applyColourChange } from './curves.ts';
import { colourChannels, isLight, type Picture } from '../picture.ts';

export type ManualColour = Omit<ColorConfig, 'auto'>;

/** Effect of a setting of 1.0. */
const BRIGHTNESS = 0.25;
const CONTRAST = 2;
const GAMMA = 2;
const TEMPERATURE = 0.18;

/**
 * Applies manual colour, in place; each setting is -1 to 1, and 0 has no effect. Brightness adds up to a quarter of the
 * range. Contrast halves to doubles the slope around the middle. Gamma brightens (positive) or darkens midtones by an
 * exponent of 1/2 to 2. Temperature shifts the balance between blue and red (positive is warmer). Saturation ranges
 * from grey to double.
 * @returns whether the picture changed; CMYK and settings of 0 change nothing
 */
export function adjustColour(picture: Picture, manual: ManualColour): boolean {
  const { brightness, contrast, saturation, gamma, temperature } = manual;
  if (!isLight(picture)) return false;
  const grey = colourChannels(picture) === 1;
  const used = grey ? [brightness, contrast, gamma] : [brightness, contrast, gamma, saturation, temperature];
  if (used.every((value) => value === 0)) return false;
  const slope = CONTRAST ** contrast;
  const exponent = GAMMA ** -gamma;
  const curve = (gain: number) => (value: number) => {
    const lit = Math.min(1, Math.max(0, ((value * gain) ** exponent - 0.5) * slope + 0.5 + brightness * BRIGHTNESS));
    return lit;
  };
  const gains = [1 + temperature * TEMPERATURE, 1, 1 - temperature * TEMPERATURE];
  const curves = grey ? [curve(1)] : gains.map(curve);
  applyColourChange(picture, { curves, saturation: 1 + saturation });
  return true;
}
