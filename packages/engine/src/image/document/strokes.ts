import { inPicture, LIGHTEST_INK, lightOfPaper, strongInk, type InkLevels } from './ink.ts';
import type { Marks } from './marks.ts';
import type { PagePlanes } from './page-planes.ts';
import { liesOnTable, shareOfPictures, type PaperSurface } from './paper-surface.ts';

/** Thickest stroke: pixels, and as a share of the shorter side of the page. */
const STROKE = { pixels: 6, share: 1 / 80 } as const;
/**
 * Least share of dark pixels in strokes: of a picture that is paper for the most part, and of one with more other cells than the
 * given share. What lies beside a page counts among the other cells, and so do the densest lines of print.
 */
const IN_STROKES = { onPaper: 0.5, onTable: 0.7, otherwise: 0.9, others: 0.15 } as const;
/**
 * Greatest share of other cells: of a page on a table or with paper as bright as on a scanner, levels of 255, and of others. The sky
 * of a photograph is darker, or has more beside it.
 */
const OTHERS = { most: 0.5, usual: 0.3, bright: 240 } as const;
/** Least level of paper, of 255: a darker ground is that of a drawing. */
const DARKEST_PAPER = 80;
/** Width of the margin, where the lid of a scanner or a table may show, as a share of the shorter side. */
const MARGIN = 1 / 20;
/**
 * Least number of marks with the height of letters, in pixels and as a share of the longer side, and the part of its box that the
 * middle one of them fills at most.
 */
const MARKS = { least: 20, height: 4, share: 1 / 200, fill: 0.65 } as const;

/**
 * Whether a picture shows ink on paper: handwriting, notes, line drawings and print in large or few letters. Most of it is paper,
 * and its dark parts are thin. The objects of a photograph are thick, and cells or dots fill their boxes.
 * @param marks marks of ink
 */
export function showsStrokes(planes: PagePlanes, levels: InkLevels, surface: PaperSurface, marks: Marks): boolean {
  // The level is a bound: nothing on the page is as dark as ink.
  if (levels.ink >= LIGHTEST_INK) return false;
  const paper = lightOfPaper(surface, 0.5);
  if (paper < DARKEST_PAPER) return false;
  const others = shareOfPictures(surface);
  const onTable = liesOnTable(surface);
  if (others > (onTable || paper >= OTHERS.bright ? OTHERS.most : OTHERS.usual)) return false;
  const withOthers = onTable ? IN_STROKES.onTable : IN_STROKES.otherwise;
  const least = others > IN_STROKES.others ? withOthers : IN_STROKES.onPaper;
  return areOpen(marks, planes) && shareInStrokes(planes, levels, surface) >= least;
}

/**
 * Whether the middle one of the marks leaves much of its box open, as letters do: of all, or without the crumbs of what shows
 * through.
 */
function areOpen({ starts, ends, component, count, width, height }: Marks, page: PagePlanes): boolean {
  const areas = new Int32Array(count);
  component.forEach((part, run) => (areas[part]! += ends[run]! - starts[run]!));
  const leastOfPage = Math.round(MARKS.share * Math.max(page.width, page.height));
  return [MARKS.height, leastOfPage].some((least) => {
    const fills = [...areas.keys()]
      .filter((part) => height[part]! >= least)
      .map((part) => areas[part]! / (width[part]! * height[part]!))
      .sort((one, two) => one - two);
    return fills.length >= MARKS.least && fills[fills.length >> 1]! <= MARKS.fill;
  });
}

/**
 * Share of the dark pixels that lie in a row or a column of few dark ones; 0 without any. Pictures and the margin do not count.
 */
function shareInStrokes({ luma, width, height }: PagePlanes, levels: InkLevels, surface: PaperSurface): number {
  const dark = strongInk(levels);
  const most = Math.max(STROKE.pixels, Math.round(STROKE.share * Math.min(width, height)));
  const thin = new Uint8Array(luma.length);
  const markLine = (from: number, step: number, length: number): void => {
    for (let i = 0; i < length; i += 1) {
      const start = i;
      while (i < length && luma[from + i * step]! < dark) i += 1;
      if (i - start <= most) for (let k = start; k < i; k += 1) thin[from + k * step] = 1;
    }
  };
  for (let y = 0; y < height; y += 1) markLine(y * width, 1, width);
  for (let x = 0; x < width; x += 1) markLine(x, width, height);
  const margin = Math.round(MARGIN * Math.min(width, height));
  let [darks, thins] = [0, 0];
  for (let y = margin; y < height - margin; y += 1) {
    for (let x = margin, at = y * width + x; x < width - margin; x += 1, at += 1) {
      if (luma[at]! >= dark || inPicture(surface, x, y)) continue;
      darks += 1;
      thins += thin[at]!;
    }
  }
  return thins / Math.max(1, darks);
}
