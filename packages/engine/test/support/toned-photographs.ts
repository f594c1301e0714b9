import { codedLight, linearLight } from '../../src/image/steps/curves.ts';
import type { Picture } from '../../src/image/picture.ts';
import { randomNumbers, syntheticPhotograph } from './photograph.ts';

/** What somebody gives to a photograph. */
export interface Taste {
  /** Stops of red over blue */
  warm?: number;
  /** Stops of light */
  stops?: number;
}

/** Different made photographs, each with its own light and its own part of the scene. @param taste of each, by its index */
export function tonedPhotographs(count: number, taste: (index: number) => Taste): Picture[] {
  return Array.from({ length: count }, (_, index) => {
    const random = randomNumbers(index + 1);
    const [width, height] = [240 + Math.floor(random() * 80), 200];
    const picture = syntheticPhotograph(width, height, index + 1);
    const [light, tinted] = [0.4 * (random() - 0.5), 0.1 * (random() - 0.5)];
    return toned(picture, { stops: light + (taste(index).stops ?? 0), warm: tinted + (taste(index).warm ?? 0) });
  });
}

/** A copy with a taste. */
export function toned(picture: Picture, { warm = 0, stops = 0 }: Taste): Picture {
  const gains = [stops + warm / 2, stops, stops - warm / 2].map((stop) => 2 ** stop);
  const data = Uint8Array.from(picture.data, (value, i) =>
    Math.round(255 * codedLight(Math.min(1, linearLight(value / 255) * gains[i % 3]!))),
  );
  return { ...picture, data };
}
