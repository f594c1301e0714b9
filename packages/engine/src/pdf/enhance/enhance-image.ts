import type { ColorConfig, PdfParameters, SkewReason, UncleanedReason } from '@burnish/contract/engine';
import { enhancePixels, type EnhancePixelsOptions } from '../../image/enhance-pixels.ts';
import { cleanPage } from '../../image/document/clean-page.ts';
import { findFold } from '../../image/document/find-fold.ts';
import { inFewColours, type CleanSurface } from '../../image/document/few-colours.ts';
import { paintTwoTones } from '../../image/document/two-tones.ts';
import { colourChannels, maxSample, type Picture } from '../../image/picture.ts';
import { NO_MODELS, type ModelSet } from '../../neural/model-set.ts';
import type { PdfDocument } from '@burnish/pdf';
import { EDGE_STEPS, coarsenEdges } from '../images/coarse-edges.ts';
import { isOpaque, maskOfSize, withFringe, withOpacity, withoutOpacity } from '../images/opacity.ts';
import { section, type OnPart } from '../../image/progress.ts';
import { quarterTurned, type QuarterTurns } from '../../image/quarter-turn.ts';
import { loadPicture, type PagePicture } from '../pages/page-picture.ts';
import type { ImageWork } from '../analyze/work.ts';
import { findShownPicture, type ShownPicture } from '../turn/shown-picture.ts';
import { enlargedLess } from './enlarge-less.ts';
import { coarserCodings, encodeObjects, fitObjects, hasFineJpeg, type NewSamples } from './encode-picture.ts';
import { bytesOf, OBJECT_BYTES, type EncodedObject } from './encoded-object.ts';

/** A step that kept a picture within its share of the growth: a lower JPEG quality, or a smaller enlargement. */
export type SizeStep = 'coarser' | 'smaller';

/** A change that would do nothing, or would harm: the reason to keep a picture as it is. */
export type NeedlessReason = 'needs-nothing' | UncleanedReason;
/** The fold of a spread. */
export interface FoldOfPicture {
  /** Share of the width of the picture, once turned by the quarters */
  at: number;
  quarters: QuarterTurns;
}

/** What became of a page that the order cleans. */
export interface Cleaning {
  /** Degrees of skew that were undone; the page turns with the picture */
  turn?: number;
  /** The pages of a spread were turned by themselves; nothing else is on the page */
  sides?: [left: number, right: number];
  fold?: FoldOfPicture;
  /** The pages of a spread differ in direction, and did not turn by themselves */
  together?: true;
  /** The dark surround of the paper became white */
  trimmed?: true;
  /** Why it stays skewed by more than one degree */
  skewed?: SkewReason;
  /** The result deserves a look: the light of the page alone changed, or it stays skewed */
  uncertain?: true;
  /** Why it was not cleaned */
  uncleaned?: UncleanedReason;
}

export interface EnhancedObjects extends Cleaning {
  objects: EncodedObject[];
  /** Absent where the picture needed none */
  step?: SizeStep;
  /** The largest JPEG quality with which the picture stays within its share of `maxBytes`; absent where its usual one does */
  quality?: number;
}

/** A picture that stays as it is. */
export interface KeptPicture extends Pick<Cleaning, 'skewed'> {
  kept: NeedlessReason | 'max-growth';
}

export interface ImageRun {
  /** Networks available for its enlargement */
  models?: ModelSet | undefined;
  /** Reports the progress within the picture, 0 to 1 */
  onPart?: OnPart;
  /** Gets the new samples of a picture that changes, in the colour space of its image */
  onPicture?: (picture: Picture) => void;
  /** Quarter turns clockwise that the page of the picture needs; absent where nothing shows them */
  direction?: QuarterTurns | undefined;
  /** The decoded picture, which may change in place; absent where nothing has decoded it yet */
  page?: PagePicture | undefined;
}

/** Progress when the samples are decoded, when they and the mask are enlarged; coding follows. */
const [LOADED, COLOURED, ENHANCED] = [0.1, 0.6, 0.7];
/** Progress within the samples when those of a picture with opacity are enlarged; the hidden ones are filled then. */
const ENLARGED = 0.7;
/** Progress within the samples when a page is clean; its enlargement follows. */
const CLEANED = 0.4;
/** Attempts to enlarge a picture less, until it stays within its share. */
const SMALLER_ATTEMPTS = 2;
/** Part of the share that a smaller picture aims for: its bytes are not exactly proportional to its pixels. */
const AIM = 0.93;

/**
 * Enhances a picture within its share of the growth of the file: with a lower JPEG quality, then at a lower scale.
 * @returns the reason to keep it: a change is needless, or no step keeps it small enough
 * @throws DamagedImage when its data does not decode
 */
export async function enhancePictureObjects(
  pdf: PdfDocument,
  work: ImageWork,
  parameters: PdfParameters,
  { models = NO_MODELS, onPart, onPicture, direction, page }: ImageRun = {},
): Promise<EnhancedObjects | KeptPicture> {
  const { most = Infinity } = work;
  if (most < OBJECT_BYTES) return { kept: 'max-growth' };
  let attempt = work;
  for (let tries = 0; tries <= SMALLER_ATTEMPTS; tries += 1) {
    const run = { models, onPart, direction, page: tries === 0 ? page : undefined };
    const enhanced = await enhanceSamples(pdf, attempt, parameters, run);
    onPart?.(ENHANCED);
    if ('kept' in enhanced) return enhanced;
    const usual = { quality: parameters.pdfQuality };
    const coding = section(onPart, ENHANCED, 1);
    let objects = await encodeObjects(pdf, attempt, enhanced, { ...usual, palettes: true }, coding);
    if (enhanced.reduced && bytesOf(objects) > most) objects = await encodeObjects(pdf, attempt, enhanced, usual);
    let isCoarser = false;
    const isTooLarge = bytesOf(objects) > most;
    const fitted = work.fits && isTooLarge ? await fitObjects(pdf, attempt, enhanced, { objects, most }) : undefined;
    if (fitted) ({ objects } = fitted);
    const isFree = parameters.pdfQuality === undefined && !work.fits;
    for (const coarser of isFree ? coarserCodings(work) : []) {
      if (bytesOf(objects) <= most || !hasFineJpeg(objects, coarser)) continue;
      objects = await encodeObjects(pdf, attempt, enhanced, coarser);
      isCoarser = true;
    }
    if (bytesOf(objects) <= most) {
      if (enhanced.picture) onPicture?.(enhanced.picture);
      const step = attempt === work ? isCoarser && 'coarser' : 'smaller';
      const quality = fitted && { quality: fitted.quality };
      return { objects, ...(step && { step }), ...quality, ...enhanced.cleaning };
    }
    const smaller = enlargedLess(attempt, enhanced.page, AIM * Math.sqrt(most / bytesOf(objects)), parameters);
    if (smaller === undefined) break;
    attempt = smaller;
  }
  return { kept: 'max-growth' };
}

interface PictureRun extends ImageRun {
  shown: ShownPicture;
}

interface EnhancedSamples extends NewSamples {
  cleaning: Cleaning;
}

/** @returns the reason to keep a picture when neither samples nor mask change */
async function enhanceSamples(
  pdf: PdfDocument,
  work: ImageWork,
  parameters: PdfParameters,
  { models = NO_MODELS, onPart, direction, page: decoded }: ImageRun,
): Promise<EnhancedSamples | KeptPicture> {
  const page = decoded ?? (await loadPicture(pdf, work.number, work.parts));
  onPart?.(LOADED);
  const shown = findShownPicture(pdf, work);
  const colours = section(onPart, LOADED, COLOURED);
  const enhanced = await enhanceColours(page, work, parameters, { models, onPart: colours, shown, direction });
  const isSame = 'kept' in enhanced;
  const isMaskSame = work.mask?.width === page.mask?.width && work.mask?.height === page.mask?.height;
  if (isSame && isMaskSame) return enhanced;
  const mask = await enhanceMask(page, work, models, section(onPart, COLOURED, ENHANCED));
  if (isSame && mask === undefined) return enhanced;
  if (isSame) return { page, picture: undefined, mask, cleaning: {} };
  return { page, mask, ...enhanced };
}

/** @returns the reason to keep a picture when its samples do not change */
async function enhanceColours(
  page: PagePicture,
  work: ImageWork,
  parameters: PdfParameters,
  run: PictureRun,
): Promise<(Pick<EnhancedSamples, 'cleaning' | 'reduced'> & { picture: Picture }) | KeptPicture> {
  const isResized = work.width !== page.width || work.height !== page.height;
  if (!work.color && !isResized) return { kept: 'needs-nothing' };
  const seen = page.seen && !isOpaque(page.seen) ? maskOfSize(page.seen, page.width, page.height) : undefined;
  const source = seen ? withOpacity(page.picture, seen) : page.picture;
  const inverted = work.color && page.parts[0]?.image.decode === 'inverted';
  if (inverted) invert(source);
  const { customColorConfig } = parameters;
  const { onPart } = run;
  const enlarging = { ...run, onPart: section(onPart, 0, source.hasAlpha ? ENLARGED : 1) };
  const { steps, cleaning = {}, clean, ...made } = await enhancePicture(source, work, customColorConfig, enlarging);
  if (steps.length === 0) {
    const { uncleaned: kept = 'needs-nothing', skewed } = cleaning;
    return { kept, ...(skewed && { skewed }) };
  }
  // A palette has the visible colours: it replaces the `Decode` array.
  const upright = clean && reducedPage(made.picture, clean, work.dpi);
  const back = (turned: Picture): Picture => quarterTurned(turned, ((4 - made.quarters) % 4) as QuarterTurns);
  const [picture, reduced] = [back(made.picture), upright && back(upright)];
  if (inverted) invert(picture);
  const opaque = isResized ? withFringe(picture, section(onPart, ENLARGED, 1)) : withoutOpacity(picture);
  return { picture: opaque, cleaning, reduced };
}

/** Returns a clean page in two tones, or else in few colours. */
function reducedPage(picture: Picture, surface: CleanSurface, dpi = 0): Picture | undefined {
  const few = inFewColours(picture, surface);
  if (few !== undefined) paintTwoTones(few, dpi, surface);
  return few;
}

/**
 * Resizes the mask as a separate picture, since often the mask alone defines the visible shape. A mask is also written
 * again with the samples when it was stored with them or when they were preblended with it.
 */
async function enhanceMask(
  page: PagePicture,
  { mask: size }: ImageWork,
  models: ModelSet,
  onPart: (part: number) => void,
): Promise<Picture | undefined> {
  if (page.mask === undefined || size === undefined) return undefined;
  const options = { ...size, mode: 'OFF', models, onPart: section(onPart, 0, 0.7) } as const;
  const { picture } = await enhancePixels(page.mask, options);
  const isSame = size.width === page.mask.width && size.height === page.mask.height;
  if (!isSame) coarsenEdges(picture, EDGE_STEPS.mask, section(onPart, 0.7, 1));
  return picture;
}

/**
 * An inverting `Decode` array stays. The samples are inverted for judging the tone of the visible colours, and inverted
 * back.
 */
function invert(picture: Picture): void {
  const { data, channels } = picture;
  const colours = colourChannels(picture);
  const max = maxSample(picture);
  for (let at = 0; at < data.length; at += channels)
    for (let c = at; c < at + colours; c += 1) data[c] = max - data[c]!;
}

/**
 * Enhances decoded samples with the pipeline of the image engine, so that an image in a PDF gets the same result as a
 * single one.
 * @returns the result and the steps that changed it; none when the image needs nothing
 */
async function enhancePicture(
  given: Picture,
  { width, height, color, clean }: ImageWork,
  config: ColorConfig,
  { models = NO_MODELS, onPart, shown, direction }: PictureRun,
): Promise<{
  picture: Picture;
  /** By which the picture is turned */
  quarters: QuarterTurns;
  steps: string[];
  cleaning?: Cleaning;
  clean?: CleanSurface;
}> {
  if (clean !== undefined) {
    const { upright, quarters } = turnToRows(given, shown, direction);
    const isResized = width !== given.width || height !== given.height;
    const part = isResized ? CLEANED : 1;
    const cleaned = cleanPage(upright, {
      turning: shown.turning,
      onlyPages: clean === 'proved',
      onPart: section(onPart, 0, part),
    });
    const size = {
      ...(quarters % 2 === 0 ? { width, height } : { width: height, height: width }),
      mode: 'OFF',
      models,
      onPart: section(onPart, part, 1),
    } as const;
    const { picture, steps } = await enhancePixels(cleaned.picture, size);
    const { changed, clean: surface, reason, turn, sides, fold, together, trimmed, skewed, uncertain } = cleaned;
    const cleaning: Cleaning = {
      ...(turn !== undefined && { turn }),
      ...(sides && { sides }),
      ...(fold !== undefined && { fold: { at: fold, quarters } }),
      ...(together && { together }),
      ...(trimmed && { trimmed }),
      ...(skewed && { skewed }),
      ...(uncertain && { uncertain }),
      ...(reason && { uncleaned: reason }),
    };
    const done = changed ? ['document', ...steps] : steps;
    return { picture, quarters, steps: done, cleaning, ...(surface && { clean: surface }) };
  }
  const mode = color && config.auto ? 'ENHANCE' : 'OFF';
  const options: EnhancePixelsOptions = { width, height, models, mode, ...(onPart && { onPart }) };
  if (color) options.colour = config;
  return { ...(await enhancePixels(given, options)), quarters: 0 };
}

/**
 * Turns a picture that lies on its side, so that its lines are rows. Where nothing shows its direction, it is turned only if
 * it is a spread as its page shows it.
 */
function turnToRows(
  given: Picture,
  shown: ShownPicture,
  direction: QuarterTurns | undefined,
): { upright: Picture; quarters: QuarterTurns } {
  const quarters = ((shown.quarters + (direction ?? 0)) % 4) as QuarterTurns;
  if (quarters % 2 === 1) {
    const upright = quarterTurned(given, quarters);
    if (direction !== undefined || findFold(upright) !== undefined) return { upright, quarters };
  }
  return { upright: given, quarters: 0 };
}
