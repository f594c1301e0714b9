import type { Picture } from '../picture.ts';
import type { PageContent } from './page-content.ts';

/** Steps between greys, which leave 16 of them, and between the levels of other colours, of 255. */
const STEPS = { grey: 17, colour: 8 } as const;
/** Largest difference between the channels of a grey pixel, of 255. */
const GREY = 20;

/** A clean page, whose colours can be reduced. */
export interface CleanSurface {
  content: PageContent;
  /** Pixels of the page */
  width: number;
  height: number;
}

/**
 * Reduces a clean page to few colours: greys differ by at most 8 of 255, and other colours by at most 4. Pictures on the page
 * keep theirs.
 * @param picture grey or RGB, at the size of the page or larger
 * @returns undefined for samples of 16 bits
 */
export function inFewColours(picture: Picture, { content, ...page }: CleanSurface): Picture | undefined {
  const { data, width, height, channels } = picture;
  if (data instanceof Uint16Array) return undefined;
  const stepped = new Uint8Array(data.length);
  const [acrossPage, downPage] = [page.width / width, page.height / height];
  const second = channels === 3 ? 1 : 0;
  for (let y = 0, at = 0; y < height; y += 1) {
    const row = Math.min(page.height - 1, Math.floor(y * downPage));
    const blocks = Math.floor(row / content.block) * content.across;
    for (let x = 0; x < width; x += 1, at += channels) {
      const [red, green, blue] = [data[at]!, data[at + second]!, data[at + channels - 1]!];
      const place = blocks + Math.floor(Math.min(page.width - 1, Math.floor(x * acrossPage)) / content.block);
      const keepsTone = content.pictures[place] === 1 || content.tinted[place]! > 0;
      const isGrey = Math.max(red, green, blue) - Math.min(red, green, blue) <= GREY;
      const grey = rounded((red + 2 * green + blue) / 4, STEPS.grey);
      for (let c = at; c < at + channels; c += 1)
        stepped[c] = keepsTone ? data[c]! : isGrey ? grey : rounded(data[c]!, STEPS.colour);
    }
  }
  return { ...picture, data: stepped };
}

const rounded = (value: number, step: number): number => Math.min(255, Math.round(value / step) * step);
