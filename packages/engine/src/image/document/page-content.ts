import { colourChannels, type Picture } from '../picture.ts';
import { inPicture } from './ink.ts';
import { lineWidth } from './page-planes.ts';
import type { PaperSurface } from './paper-surface.ts';
import { findTintedAreas } from './tinted-areas.ts';
import { measureTints, type TintGrid } from './tint-grid.ts';

/** A block of paper: its least luma, and its largest difference of red and blue from it. */
const PAPER = { luma: 0.93, colour: 0.03 } as const;

/** What keeps its tones on a page, on a grid of square blocks of a few pixels. */
export interface PageContent {
  /** Pixels a side of a block */
  block: number;
  across: number;
  /** 1 in pictures, without the paper around them */
  pictures: Uint8Array;
  /** How sure a block lies in a tinted ground, 0 to 255; 0 on grey pages */
  tinted: Uint8Array;
  /** Share of the page in pictures and in grounds that are certainly coloured */
  share: number;
}

/** Finds the pictures and the tinted grounds of a page, whose outlines follow their edges to a few pixels. All of a doubtful page is content. */
export function findContent(picture: Picture, surface: PaperSurface): PageContent {
  const tints = measureTints(picture, surface, lineWidth(picture));
  const { block, across } = tints;
  const isPicture = (at: number): boolean => inPicture(surface, (at % across) * block, Math.floor(at / across) * block);
  const pictures = Uint8Array.from(tints.luma, (_, at) => (surface.doubtful || isPicture(at) ? 1 : 0));
  const none = new Uint8Array(pictures.length);
  if (surface.doubtful) return { block, across, pictures, tinted: none, share: 1 };
  removePaper(pictures, tints);
  const isGrey = colourChannels(picture) === 1;
  const { tinted, coloured } = isGrey
    ? { tinted: none, coloured: 0 }
    : findTintedAreas(tints, (at) => pictures[at] === 1);
  const share = coloured + pictures.reduce((sum, is) => sum + is, 0) / pictures.length;
  return { block, across, pictures, tinted, share };
}

/** Takes the paper around pictures out of them: blocks of paper that are connected with the page. */
function removePaper(pictures: Uint8Array, { across, down, red, blue, weight, luma }: TintGrid): void {
  const isPaper = (at: number): boolean =>
    luma[at]! >= PAPER.luma && Math.max(Math.abs(red[at]!), Math.abs(blue[at]!)) <= PAPER.colour * weight[at]!;
  const near = (at: number): number[] => {
    const i = at % across;
    return [i > 0 ? at - 1 : -1, i < across - 1 ? at + 1 : -1, at - across, at + across].filter(
      (next) => next >= 0 && next < across * down,
    );
  };
  const stack: number[] = [];
  const take = (at: number): void => {
    if (pictures[at] !== 1 || !isPaper(at)) return;
    pictures[at] = 0;
    stack.push(at);
  };
  const page = Uint8Array.from(pictures, (is) => 1 - is);
  for (let at = 0; at < pictures.length; at += 1)
    if (pictures[at] === 1 && near(at).some((next) => page[next] === 1)) take(at);
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) for (const next of near(at)) take(next);
}
