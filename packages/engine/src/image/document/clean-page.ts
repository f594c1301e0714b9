import type { PageNote, SkewReason, UncleanedReason } from '@burnish/contract/engine';
import { ramp, smoothStep } from '../ramps.ts';
import { lumaOf } from '../luma.ts';
import { colourChannels, isLight, maxSample, type Picture } from '../picture.ts';
import { section } from '../progress.ts';
import type { CleanSurface } from './few-colours.ts';
import { findFaintStrokes, type FaintStrokes } from './faint-strokes.ts';
import { findInk, inPicture, lightOfPaper, measureLevels, PAPER_LEVEL, type InkLevels } from './ink.ts';
import { measureInkTints } from './ink-tints.ts';
import { findMarks, removeSpecks } from './marks.ts';
import { findDirections, type Turning } from './directions.ts';
import { findContent, type PageContent } from './page-content.ts';
import { dividePage, type PagePlanes } from './page-planes.ts';
import { estimatePaper, liesOnTable, paperRows, shareOfPictures, type PaperSurface } from './paper-surface.ts';
import { lightenSpine } from './spine.ts';
import { createStrokeColours } from './stroke-colours.ts';
import { liesOutside, turnBack } from './skew.ts';
import { showsLines } from './line-pitch.ts';
import { withoutSurround } from './surround.ts';
import { showsStrokes } from './strokes.ts';
import { showsTextLines } from './text-lines.ts';
import { notesOnTurns } from './turn-notes.ts';

/** Paper from this level of 255 on, ink up to this level and noise up to this one count as clean. */
const CLEAN = { paper: 250, ink: 40, noise: 0.7 } as const;
/** Saturation of a pixel, relative to its lightest channel, from which it begins to be coloured and is certainly so. */
const SATURATION = { from: 0.12, to: 0.3 } as const;

/** Share of content on a page from which its ground may be content, too. */
const MOST_CONTENT = 0.65;
/** Greatest share of pictures beside paper that a thorough search found, unless it lies on a table. */
const MOST_PICTURES = 0.4;
/** The same saturation on a tinted ground, where grey ink alone is not part of it. */
const TINT_SATURATION = { from: 0.02, to: 0.06 } as const;

export interface CleanPage {
  picture: Picture;
  changed: boolean;
  /** The paper of a changed page, for its reduction to few colours */
  clean?: CleanSurface;
  /** Whether the light alone changed, since the paper of the page is not certain */
  lightOnly?: boolean;
  /** Degrees of skew that were undone, clockwise on the screen; absent where the picture does not turn as a whole */
  turn?: number;
  /** Degrees that were undone on the left and on the right page of a spread, which turned by themselves; 0 for none */
  sides?: [left: number, right: number];
  /** The fold of a changed spread, as a share of the width of the picture */
  fold?: number;
  /** The pages of a spread differ in direction, and did not turn by themselves */
  together?: true;
  /** The dark surround of the paper became white */
  trimmed?: true;
  /** Why the page, or a page of a spread, stays skewed by more than one degree */
  skewed?: SkewReason;
  /** The page deserves a look: its light alone changed, or it stays skewed */
  uncertain?: true;
  /** Absent for a changed page */
  reason?: UncleanedReason;
  notes: PageNote[];
}

export interface CleanPageOptions {
  /** By default each page of a spread turns by itself */
  turning?: Turning;
  /** Leaves a picture as it is that shows neither lines of text nor strokes of ink, since it may be a photograph */
  onlyPages?: boolean;
  /** Reports the progress, 0 to 1 */
  onPart?: ((part: number) => void) | undefined;
}

/**
 * Cleans the scan or the photograph of a page: turns it upright within 15 degrees, each page of a spread by itself, divides
 * it by its paper, makes the paper white and the ink dark, and removes specks and what shows through from the back. Colours
 * and pictures on the page keep their tones. It may change the given picture in place.
 *
 * A picture without much even paper may be a page of coarse paper, a page on a table, or a photograph: only lines of text prove such a
 * page.
 */
export function cleanPage(
  given: Picture,
  { turning = 'sides', onlyPages = false, onPart }: CleanPageOptions = {},
): CleanPage {
  const usual = cleanPaper(given, { turning, proof: onlyPages ? 'ink' : 'none', onPart });
  if (usual.reason !== 'no-paper' && usual.reason !== 'no-page') return usual;
  const proved = cleanPaper(given, { turning, proof: 'text', onPart: section(onPart, 0.6, 1) });
  return proved.changed ? proved : usual;
}

interface PaperCleaning {
  turning: Turning;
  /** What proves that the picture is a page: strokes or lines of text, or such lines alone, with a thorough search for paper */
  proof: 'none' | 'ink' | 'text';
  /** No letters prove lines that are steep */
  unlettered?: boolean;
  /** A dark surround stays where no text proves the page: it may be the sky of a photograph */
  surround?: 'white' | 'stays';
  onPart?: ((part: number) => void) | undefined;
}

function cleanPaper(original: Picture, cleaning: PaperCleaning): CleanPage {
  const { turning, proof, unlettered = false, surround = 'white', onPart } = cleaning;
  const unchanged = (reason: UncleanedReason): CleanPage => ({
    picture: original,
    changed: false,
    reason,
    notes: [{ code: 'PAGE_NOT_CLEANED', because: reason }],
  });
  if (!isLight(original)) return unchanged('inks');
  const thorough = proof === 'text';
  let surface = estimatePaper(original, { thorough });
  const trimmed = surface && surround === 'white' ? withoutSurround(original, surface) : undefined;
  const given = trimmed ?? original;
  if (trimmed) surface = estimatePaper(trimmed, { thorough, tint: surface?.tint }) ?? surface;
  if (surface === undefined || (thorough && !liesOnTable(surface) && shareOfPictures(surface) > MOST_PICTURES))
    return unchanged('no-paper');
  onPart?.(0.1);
  let planes = dividePage(given, surface);
  const levels = measureLevels(planes, surface);
  if (levels === undefined) return unchanged('no-ink');
  const measured = { planes, levels, surface };
  const { areas, skewed, steep, together, fold } = findDirections(given, measured, turning, !unlettered);
  const turnNotes = notesOnTurns(areas, skewed);
  const stays = skewed[0] && { skewed: skewed[0].because, uncertain: true as const };
  const alreadyClean = (): CleanPage => {
    const page = unchanged('clean');
    return { ...page, ...stays, notes: [...page.notes, ...turnNotes] };
  };
  onPart?.(0.3);
  const turns = areas.some(({ angle }) => angle !== 0);
  if (!turns && trimmed === undefined && isClean(surface, levels)) return alreadyClean();
  const notes: PageNote[] = [...(trimmed ? [{ code: 'SURROUND_WHITENED' } as const] : []), ...turnNotes];
  let picture = given;
  if (turns) {
    picture = turnBack(given, areas, section(onPart, 0.3, 0.6));
    surface = estimatePaper(picture, { thorough, tint: surface.tint }) ?? surface;
    planes = dividePage(picture, surface);
  }
  const [angle, other] = areas.map((area) => area.angle) as [number, number?];
  let { ink, rules } = findInk(planes, levels, surface);
  let marks = findMarks(ink, planes, levels);
  const paper = surface;
  const showsLetters = (): boolean => showsTextLines(marks, (x, y) => inPicture(paper, x, y));
  if (steep && !showsLetters()) return cleanPaper(original, { ...cleaning, unlettered: true });
  const showsText = (): boolean => showsLetters() || showsLines(planes, levels, paper);
  const strokesProve = proof === 'ink' && trimmed === undefined;
  const isPage = proof === 'none' || showsText() || (strokesProve && showsStrokes(planes, levels, paper, marks));
  if (!isPage && trimmed) return cleanPaper(original, { ...cleaning, surround: 'stays' });
  if (!isPage) return unchanged('no-page');
  if (
    lightenSpine(
      picture,
      areas.map(({ area }) => area),
    )
  ) {
    surface = estimatePaper(picture, { thorough, tint: surface.tint }) ?? surface;
    planes = dividePage(picture, surface);
    ({ ink, rules } = findInk(planes, levels, surface));
    marks = findMarks(ink, planes, levels);
  }
  const specks = removeSpecks(ink, marks, planes);
  onPart?.(0.8);
  const outside = turns ? liesOutside(given, areas) : undefined;
  let content = findContent(picture, surface);
  if (!surface.doubtful && content.share > MOST_CONTENT) {
    surface = estimatePaper(picture, { thorough, tint: surface.tint, lightOnly: true }) ?? surface;
    content = findContent(picture, surface);
  }
  const { doubtful } = surface;
  const faint = findFaintStrokes(
    planes,
    levels,
    { ink, rules, marks },
    {
      lightness: (level) => lightness(level, levels),
      noise: (255 * surface.noise) / lightOfPaper(surface, 0.5),
    },
  );
  const differs = paint(picture, { planes, surface, levels, ink, faint, content, outside });
  if (!turns && trimmed === undefined && !differs) return alreadyClean();
  notes.push({ code: doubtful ? 'PAGE_LIGHT_EVENED' : 'PAGE_CLEANED' });
  if (specks > 0 && !doubtful) notes.push({ code: 'SPECKS_REMOVED' });
  const { width, height } = picture;
  return {
    picture,
    changed: true,
    clean: { content, width, height },
    lightOnly: doubtful,
    ...(turns && (other === undefined ? { turn: angle } : { sides: [angle, other] as [number, number] })),
    ...(fold !== undefined && { fold }),
    ...(together && { together: true as const }),
    ...(trimmed && { trimmed: true as const }),
    ...stays,
    ...((doubtful || together) && { uncertain: true as const }),
    notes,
  };
}

function isClean({ channels, noise, pictures }: PaperSurface, { ink }: InkLevels): boolean {
  const isWhite = channels.every((plane) => plane.every((level, at) => pictures[at] === 1 || level >= CLEAN.paper));
  return isWhite && noise <= CLEAN.noise && ink <= CLEAN.ink;
}

interface Painting {
  planes: PagePlanes;
  surface: PaperSurface;
  levels: InkLevels;
  /** 1 for pixels of ink and its edges */
  ink: Uint8Array;
  faint: FaintStrokes;
  content: PageContent;
  outside: ((x: number, y: number) => boolean) | undefined;
}

/**
 * Writes the clean page into the picture: white paper, stretched ink, and colours divided by the paper.
 * @returns whether a sample changed
 */
function paint(picture: Picture, { planes, surface, levels, ink, faint, content, outside }: Painting): boolean {
  const { width, height, data, channels } = picture;
  const colours = colourChannels(picture);
  const max = maxSample(picture);
  const paperAt = paperRows(surface, width);
  const stretched = Float32Array.from({ length: 256 }, (_, level) => lightness(level, levels));
  const shown = new Float32Array(colours);
  const tints = measureInkTints(picture, surface, planes);
  const hasColour = tints !== undefined || planes.coloured.some((certainty) => certainty > 0);
  const strokes = hasColour ? createStrokeColours(picture, surface) : undefined;
  let differs = false;
  for (let y = 0; y < height; y += 1) {
    const paper = paperAt(y);
    strokes?.moveTo(y);
    const contrasts = faint.contrastsOf(y);
    const blocks = Math.floor(y / planes.block) * planes.blocksAcross;
    const contents = Math.floor(y / content.block) * content.across;
    for (let x = 0, at = y * width; x < width; x += 1, at += 1) {
      const to = at * channels;
      const isWedge = outside?.(x, y) ?? false;
      const place = contents + Math.floor(x / content.block);
      const keepsTone = !isWedge && content.pictures[place] === 1;
      const tinted = isWedge ? 0 : content.tinted[place]! / 255;
      const certainty = colours === 3 ? planes.coloured[blocks + Math.floor(x / planes.block)]! / 255 : 0;
      // Most of a page is paper.
      if (isWedge || (ink[at] === 0 && certainty === 0 && tinted === 0 && !keepsTone)) {
        for (let c = 0; c < colours; c += 1) {
          differs ||= data[to + c] !== max;
          data[to + c] = max;
        }
        continue;
      }
      for (let c = 0; c < colours; c += 1) shown[c] = (data[to + c]! * 255) / (max * paper[c]![x]!);
      const tint = tints === undefined || keepsTone || tinted > 0 || ink[at] === 0 ? 0 : tints.certaintyAt(x, y, shown);
      limit(shown);
      if (strokes !== undefined && (certainty > 0 || tint > 0) && !keepsTone && tinted === 0) strokes.restore(x, shown);
      const contrast = tinted === 0 ? contrasts[x]! : 1;
      const dark = Math.max(0, 1 - contrast * (1 - stretched[planes.luma[at]!]!));
      const coloured =
        isWedge || keepsTone
          ? 0
          : Math.max(
              certainty === 0 ? 0 : certainty * saturation(shown, SATURATION),
              tint,
              tinted === 0 ? 0 : tinted * Math.max(dark, saturation(shown, TINT_SATURATION)),
            );
      const neutral = !isWedge && ink[at] === 1 ? dark : 1 - tinted * (1 - dark);
      // Black that the light has raised is lowered in neutral ink alone: others keep their colours.
      const black = keepsTone ? 0 : levels.black * (1 - tinted) * (1 - tint);
      const part =
        tint === 0 ? 1 : 1 - tint * (1 - tints!.lightKept(x, y, lumaOf(shown[0]!, shown[1]!, shown[2]!), dark));
      for (let c = 0; c < colours; c += 1) {
        const tone = part * Math.max(0, (255 * shown[c]! - black) / (255 - black));
        const value = keepsTone ? tone : neutral + coloured * (tone - neutral);
        const sample = Math.round(max * value);
        differs ||= sample !== data[to + c];
        data[to + c] = sample;
      }
    }
  }
  return differs;
}

/** The lightness of neutral ink and paper of this level in the clean page: 0 for black, and 1 for white. */
function lightness(level: number, { ink }: InkLevels): number {
  return ramp(level, [ink, PAPER_LEVEL]);
}

/** Limits a pixel to white, in place. A coloured one that is lighter than its paper becomes darker as a whole, so that it keeps its hue. */
function limit(shown: Float32Array): void {
  const high = Math.max(shown[0]!, shown[shown.length >> 1]!, shown.at(-1)!);
  if (high <= 1) return;
  const part = shown.length === 3 ? saturation(shown, SATURATION) : 0;
  for (let c = 0; c < shown.length; c += 1) shown[c] = Math.min(1, shown[c]! / (1 + part * (high - 1)));
}

/** How coloured a pixel is, 0 to 1. */
function saturation(rgb: Float32Array, { from, to }: { from: number; to: number }): number {
  const high = Math.max(rgb[0]!, rgb[1]!, rgb[2]!);
  const low = Math.min(rgb[0]!, rgb[1]!, rgb[2]!);
  return smoothStep(((high - low) / Math.max(high, 0.2) - from) / (to - from));
}
