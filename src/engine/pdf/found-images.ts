import type { Draw } from './draw-list.ts';
import type { InlineImage } from './inline-image.ts';
import { readImageFacts, type ImageFacts } from './image-facts.ts';
import { assertWithin } from './limits.ts';
import { resolutionOf } from './matrix.ts';
import type { ObjectStore } from './object-store.ts';

export interface FoundImage {
  number: number;
  /** The lowest resolution of any draw along any side, pixels an inch: what has to be brought to the target */
  resolution: number;
}

/** The images that draws lead to, each once. */
export interface FoundImages {
  add(draws: readonly Draw[]): void;
  objects(): FoundImage[];
  /** How many inline images there are, apart from the objects */
  inlineCount(): number;
}

export function createFoundImages(store: ObjectStore): FoundImages {
  const resolutions = new Map<number, number>();
  const sizes = new Map<number, Pick<ImageFacts, 'width' | 'height'> | undefined>();
  const inline = new Set<InlineImage>();

  function sizeOf(number: number): Pick<ImageFacts, 'width' | 'height'> | undefined {
    if (!sizes.has(number)) {
      const facts = readImageFacts(store, number);
      sizes.set(number, facts && { width: facts.width, height: facts.height });
      assertWithin('images', sizes.size);
    }
    return sizes.get(number);
  }

  return {
    add(draws) {
      for (const { image, matrix } of draws) {
        if (typeof image !== 'number') {
          inline.add(image);
          assertWithin('images', inline.size);
          continue;
        }
        const size = sizeOf(image);
        if (size === undefined) continue;
        const { x, y } = resolutionOf(matrix, size.width, size.height);
        resolutions.set(image, Math.min(resolutions.get(image) ?? Infinity, x, y));
      }
    },
    objects: () =>
      [...resolutions].map(([number, resolution]) => ({ number, resolution })).sort((a, b) => a.number - b.number),
    inlineCount: () => inline.size,
  };
}
