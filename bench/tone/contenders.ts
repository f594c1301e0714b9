import { improveTone } from '../../packages/engine/src/image/steps/tone.ts';
import type { Look } from '../../packages/engine/src/image/steps/looks.ts';
import { image } from '../quality/cases.ts';
import { pixels } from '../quality/contenders.ts';
import type { Rgb } from '../quality/metrics.ts';
import { shadesOfGrey } from './shades-of-grey.ts';

export type Correct = (picture: Rgb) => Promise<Rgb>;

const engine =
  (look: Look): Correct =>
  async (picture) => {
    const copy = { ...picture, data: picture.data.slice(), channels: 3, space: 'rgb', hasAlpha: false } as const;
    await improveTone(copy, look);
    return copy;
  };

/** What is compared, by name. */
export const CONTENDERS: Record<string, Correct> = {
  'as it is': (picture) => Promise.resolve(picture),
  normalise: async (picture) => pixels(await image(picture).normalise().png({ compressionLevel: 1 }).toBuffer()),
  'shades of grey': (picture) => Promise.resolve(shadesOfGrey(picture)),
  NATURAL: engine('NATURAL'),
  ENHANCE: engine('ENHANCE'),
  VIVID: engine('VIVID'),
};
