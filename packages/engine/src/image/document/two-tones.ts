import { colourChannels, type Picture } from '../picture.ts';
import { contrastToPaper, coreContrast, inkLevels, isInk } from './ink-mask.ts';
import { findComponents } from './marks.ts';
import { mostAround } from './page-planes.ts';
import type { CleanSurface } from './few-colours.ts';

/**
 * Resolutions, pixels an inch: the least one at which one bit shows the shape of letters without the greys of their edges, and one beyond
 * which edges and strokes count as no wider, since a file may claim any.
 */
const [LEAST_DPI, MOST_DPI] = [200, 600];
/**
 * Contrasts to white paper, of 255: paper up to the first, and ink from the second on. Others are greys. Ink that nowhere around is as
 * dark as the last one is pencil.
 */
const CONTRAST = { paper: 17, ink: 120, dark: 159 } as const;
/** Widest edge of ink, and distance within which ink of print is dark, inches. */
const [EDGE, AROUND] = [0.012, 0.05];
/** Largest share of the pixels of ink that are greys beside its edges, or coloured; and of the page in ink and other tones. */
const MOST = { greys: 0.01, coloured: 0.002, tones: 0.5 } as const;
/** Largest difference between the channels of a grey pixel, of 255. */
const GREY = 20;

/**
 * Paints a page in place, in one level of ink on white, where its greys are nothing but edges of ink: one bit a pixel shows it.
 * Photographs, tints, pencil and coloured ink keep their tones.
 * @param picture a clean page of 8 bits, grey or RGB
 * @param fileDpi pixels of the page an inch
 * @returns false for a page with other tones, and where a mark of ink would be lost: such a page stays as it is
 */
export function paintTwoTones(picture: Picture, fileDpi: number, { content, ...page }: CleanSurface): boolean {
  const { data, width, height, channels } = picture;
  if (colourChannels(picture) !== channels || data instanceof Uint16Array) return false;
  const dpi = Math.min(MOST_DPI, fileDpi);
  const contrast = contrastToPaper(picture);
  const ink = countInk(picture, contrast);
  if (ink === undefined) return false;
  const around = mostAround(contrast, width, Math.max(1, Math.round(AROUND * dpi)));
  const isEdge = dpi < LEAST_DPI ? () => false : edgeFinder(contrast, { width, height }, dpi);
  const [acrossPage, downPage] = [page.width / width, page.height / height];
  let greys = 0;
  for (let y = 0, pixel = 0; y < height; y += 1) {
    const blocks = Math.floor(Math.min(page.height - 1, Math.floor(y * downPage)) / content.block) * content.across;
    for (let x = 0; x < width; x += 1, pixel += 1) {
      const each = contrast[pixel]!;
      if (each <= CONTRAST.paper) continue;
      const place = blocks + Math.floor(Math.min(page.width - 1, Math.floor(x * acrossPage)) / content.block);
      const keepsTone = each < CONTRAST.dark && (content.pictures[place] === 1 || content.tinted[place]! > 0);
      if (keepsTone || around[pixel]! < CONTRAST.dark || (each < CONTRAST.ink && !isEdge(x, y))) greys += 1;
    }
    if (greys > MOST.greys * ink) return false;
  }
  const levels = inkLevels(contrast, coreContrast(contrast, width, dpi));
  if (losesMark(contrast, levels, { width, height })) return false;
  paint(picture, levels);
  return true;
}

/** Counts the pixels of ink. @returns undefined for a page without ink, of colours, or with more tones than paper */
function countInk({ data, channels }: Picture, contrast: Uint8Array): number | undefined {
  let [ink, tones, coloured] = [0, 0, 0];
  for (let pixel = 0, at = 0; pixel < contrast.length; pixel += 1, at += channels) {
    if (contrast[pixel]! <= CONTRAST.paper) continue;
    tones += 1;
    if (contrast[pixel]! >= CONTRAST.ink) ink += 1;
    const [red, green, blue] = [data[at]!, data[at + (channels >> 1)]!, data[at + channels - 1]!];
    if (Math.max(red, green, blue) - Math.min(red, green, blue) > GREY) coloured += 1;
  }
  const isOther = ink === 0 || coloured > MOST.coloured * ink || tones > MOST.tones * contrast.length;
  return isOther ? undefined : ink;
}

interface Size {
  width: number;
  height: number;
}

/** Finds greys that have ink as well as paper near them. */
function edgeFinder(contrast: Uint8Array, { width, height }: Size, dpi: number): (x: number, y: number) => boolean {
  const reach = Math.max(1, Math.round(EDGE * dpi));
  return (x, y) => {
    let [nearInk, nearPaper] = [false, false];
    for (let row = Math.max(0, y - reach); row <= Math.min(height - 1, y + reach); row += 1)
      for (let at = row * width + Math.max(0, x - reach); at <= row * width + Math.min(width - 1, x + reach); at += 1) {
        nearInk ||= contrast[at]! >= CONTRAST.ink;
        nearPaper ||= contrast[at]! <= CONTRAST.paper;
        if (nearInk && nearPaper) return true;
      }
    return false;
  };
}

/** Whether some mark that is darker than paper has no pixel of ink. */
function losesMark(contrast: Uint8Array, levels: Uint8Array, { width, height }: Size): boolean {
  const { rows, starts, ends, component, count } = findComponents(
    width,
    height,
    (at) => contrast[at]! > CONTRAST.paper,
  );
  const kept = new Uint8Array(count);
  for (let run = 0; run < rows.length; run += 1) {
    const row = rows[run]! * width;
    if (levels.subarray(row + starts[run]!, row + ends[run]!).some(isInk)) kept[component[run]!] = 1;
  }
  return kept.includes(0);
}

/** Paints ink in its mean level where it is darkest, on white. */
function paint({ data, channels }: Picture, levels: Uint8Array): void {
  let [sum, count] = [0, 0];
  for (let pixel = 0, at = 0; pixel < levels.length; pixel += 1, at += channels) {
    if (levels[pixel]! < 200) continue;
    sum += data[at + (channels >> 1)]!;
    count += 1;
  }
  const level = count === 0 ? 0 : Math.round(sum / count);
  for (let pixel = 0, at = 0; pixel < levels.length; pixel += 1, at += channels)
    data.fill(isInk(levels[pixel]!) ? level : 255, at, at + channels);
}
