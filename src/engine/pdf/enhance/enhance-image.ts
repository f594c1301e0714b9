import type { PdfParameters, ColorConfig } from '../../../domain/enhancement/parameters.ts';
import { enhancePixels, type EnhancePixelsOptions } from '../../image/enhance-pixels.ts';
import { cleanPage, type UncleanedReason } from '../../image/document/clean-page.ts';
import { readJpegTables } from '../../image/codecs/jpeg.ts';
import { colourChannels, maxSample, type Picture } from '../../image/picture.ts';
import { NO_MODELS, type ModelSet } from '../../neural/model-set.ts';
import { imageData } from '../images/image-decoder.ts';
import { encodeImage, encodeMask } from '../images/image-encoder.ts';
import type { PdfDocument } from '../document/pdf-document.ts';
import { withCoarseEdges } from '../images/coarse-edges.ts';
import { isOpaque, maskOfSize, withFringe, withOpacity, withoutOpacity } from '../images/opacity.ts';
import { loadPicture, cropShare, type LoadedPart, type PagePicture } from '../pages/page-picture.ts';
import { isPdfA } from '../document/signature.ts';
import { leastScale, type ImageWork } from '../analyze/work.ts';
import { mayTurn } from '../turn/scan-of-page.ts';
import { bytesOf, OBJECT_BYTES, type EncodedObject } from './encoded-object.ts';

/** A step that kept a picture within its share of the growth: a lower JPEG quality, or a smaller enlargement. */
export type SizeStep = 'coarser' | 'smaller';

/** A change that would do nothing, or would harm: the reason to keep a picture as it is. */
export type NeedlessReason = 'needs-nothing' | UncleanedReason;

/** What became of a page that the order cleans. */
export interface Cleaning {
  /** Degrees of skew that were undone; the page turns with the picture */
  turn?: number;
  /** Why it was not cleaned */
  uncleaned?: UncleanedReason;
}

export interface EnhancedObjects extends Cleaning {
  objects: EncodedObject[];
  /** Absent where the picture needed none */
  step?: SizeStep;
}

export interface ImageRun {
  /** Networks available for its enlargement */
  models?: ModelSet | undefined;
  /** Reports the progress within the picture, 0 to 1 */
  onPart?: ((part: number) => void) | undefined;
}

/** Progress when the samples are decoded, and when they are enlarged; coding follows. */
const [LOADED, ENHANCED] = [0.1, 0.7];

/** Progress within the samples when a page is clean; its enlargement follows. */
const CLEANED = 0.4;

/** Quality of a JPEG that would exceed its share of the growth of the file. */
export const REDUCED_QUALITY = 80;
/**
 * Codings to try for a clean page, whose hard edges on white need more bytes than the soft ones of a scan. Its chroma
 * stays at full size until the last.
 */
const CLEANED_CODINGS = [
  { quality: REDUCED_QUALITY, halved: false },
  { quality: 70, halved: false },
  { quality: 60, halved: false },
  { quality: 60, halved: true },
];
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
  { models = NO_MODELS, onPart }: ImageRun = {},
): Promise<EnhancedObjects | NeedlessReason | 'max-growth'> {
  const { most = Infinity } = work;
  if (most < OBJECT_BYTES) return 'max-growth';
  let attempt = work;
  for (let tries = 0; tries <= SMALLER_ATTEMPTS; tries += 1) {
    const enhanced = await enhanceSamples(pdf, attempt, parameters, { models, onPart });
    onPart?.(ENHANCED);
    if (typeof enhanced === 'string') return enhanced;
    let objects = await encodeObjects(pdf, attempt, enhanced, { quality: parameters.pdfQuality });
    let isCoarser = false;
    for (const coding of parameters.pdfQuality === undefined ? coarserCodings(work) : []) {
      if (bytesOf(objects) <= most || !hasFineJpeg(objects, coding)) continue;
      objects = await encodeObjects(pdf, attempt, enhanced, coding);
      isCoarser = true;
    }
    if (bytesOf(objects) <= most) {
      const step = attempt === work ? isCoarser && 'coarser' : 'smaller';
      return { objects, ...(step && { step }), ...enhanced.cleaning };
    }
    const smaller = enlargedLess(attempt, enhanced.page, AIM * Math.sqrt(most / bytesOf(objects)), parameters);
    if (smaller === undefined) return 'max-growth';
    attempt = smaller;
  }
  return 'max-growth';
}

interface Coding {
  /** JPEG quality; absent: chosen by the source and the picture */
  quality: number | undefined;
  /** Chroma of a clean page is stored as in the source, mostly at half the size */
  halved?: boolean;
}

const coarserCodings = ({ clean }: ImageWork): readonly (Coding & { quality: number })[] =>
  clean === undefined ? [{ quality: REDUCED_QUALITY }] : CLEANED_CODINGS;

const hasFineJpeg = (objects: readonly EncodedObject[], than: Coding & { quality: number }): boolean =>
  objects.some(({ image }) => {
    const tables = image?.filter === 'DCTDecode' ? readJpegTables(image.data) : undefined;
    return tables !== undefined && (tables.quality > than.quality || (than.halved === true && !tables.subsampled));
  });

/** @returns undefined when the picture would hardly be larger than it is */
function enlargedLess(
  work: ImageWork,
  page: PagePicture,
  factor: number,
  parameters: PdfParameters,
): ImageWork | undefined {
  const side = (length: number, before: number): number => Math.max(before, Math.floor(length * factor));
  const [width, height] = [side(work.width, page.width), side(work.height, page.height)];
  if (!work.resize || Math.min(width / page.width, height / page.height) <= leastScale(parameters)) return undefined;
  const { mask } = page;
  const maskSize = mask &&
    work.mask && { width: side(work.mask.width, mask.width), height: side(work.mask.height, mask.height) };
  return { ...work, width, height, ...(maskSize && { mask: maskSize }) };
}

interface TurningRun extends ImageRun {
  /** A skewed page is turned with its scan */
  turns: boolean;
}

interface EnhancedSamples {
  page: PagePicture;
  picture: Picture | undefined;
  mask: Picture | undefined;
  cleaning: Cleaning;
}

/** @returns the reason when neither samples nor mask change */
async function enhanceSamples(
  pdf: PdfDocument,
  work: ImageWork,
  parameters: PdfParameters,
  { models = NO_MODELS, onPart }: ImageRun,
): Promise<EnhancedSamples | NeedlessReason> {
  const page = await loadPicture(pdf, work.number, work.parts);
  onPart?.(LOADED);
  const tell = (part: number): void => onPart?.(LOADED + part * (ENHANCED - LOADED));
  const turns = mayTurn(pdf, work);
  const enhanced = await enhanceColours(page, work, parameters, { models, onPart: tell, turns });
  const isSame = typeof enhanced === 'string';
  const isMaskSame = work.mask?.width === page.mask?.width && work.mask?.height === page.mask?.height;
  if (isSame && isMaskSame) return enhanced;
  const mask = await enhanceMask(page, work, models);
  if (isSame && mask === undefined) return enhanced;
  if (isSame) return { page, picture: undefined, mask, cleaning: {} };
  const { picture, cleaning } = enhanced;
  return { page, picture, mask, cleaning };
}

async function encodeObjects(
  pdf: PdfDocument,
  work: ImageWork,
  { page, picture, mask }: EnhancedSamples,
  { quality, halved = false }: Coding,
): Promise<EncodedObject[]> {
  const [stencils, palettes] = [isPdfA(pdf), pdf.encryption === undefined];
  const scale = Math.min(work.width / page.width, work.height / page.height);
  const objects: EncodedObject[] = [];
  for (const part of page.parts) {
    const object: EncodedObject = { number: part.number };
    if (picture)
      object.image = await encodeImage(extractPart(picture, page, part), part.image, {
        source: codedData(pdf, part),
        palettes,
        scale,
        photograph: work.photograph ?? false,
        drawn: work.drawn ?? false,
        wholeChroma: work.clean !== undefined && !halved,
        ...(quality !== undefined && { quality }),
      });
    if (mask && part.mask)
      object.mask = await encodeMask(
        extractPart(mask, page, part),
        part.mask === 'stencil' && stencils ? 'stencil' : 'soft',
      );
    objects.push(object);
  }
  return objects;
}

/** @returns the reason when the samples do not change */
async function enhanceColours(
  page: PagePicture,
  work: ImageWork,
  parameters: PdfParameters,
  run: TurningRun,
): Promise<{ picture: Picture; cleaning: Cleaning } | NeedlessReason> {
  const isResized = work.width !== page.width || work.height !== page.height;
  if (!work.color && !isResized) return 'needs-nothing';
  const seen = page.seen && !isOpaque(page.seen) ? maskOfSize(page.seen, page.width, page.height) : undefined;
  const source = seen ? withOpacity(page.picture, seen) : page.picture;
  const inverted = work.color && page.parts[0]?.image.decode === 'inverted';
  if (inverted) invert(source);
  const { customColorConfig } = parameters;
  const { picture, steps, cleaning = {} } = await enhancePicture(source, work, customColorConfig, run);
  if (steps.length === 0) return cleaning.uncleaned ?? 'needs-nothing';
  if (inverted) invert(picture);
  return { picture: isResized ? withFringe(picture) : withoutOpacity(picture), cleaning };
}

/**
 * Resizes the mask as a separate picture, since often the mask alone defines the visible shape. A mask is also written
 * again with the samples when it was stored with them or when they were preblended with it.
 */
async function enhanceMask(
  page: PagePicture,
  { mask: size }: ImageWork,
  models: ModelSet,
): Promise<Picture | undefined> {
  if (page.mask === undefined || size === undefined) return undefined;
  const options = { ...size, mode: 'OFF', models } as const;
  const { picture } = await enhancePixels(page.mask, options);
  return size.width === page.mask.width && size.height === page.mask.height ? picture : withCoarseEdges(picture);
}

/** Returns the section of the result that belongs to one part. */
function extractPart(result: Picture, page: PagePicture, { x, y, width, height }: LoadedPart): Picture {
  // The mask of a single image may have another size.
  return cropShare(result, page.parts.length > 1 ? page : { width, height }, { x, y, width, height });
}

/** Returns the data that shows how a JPEG was coded. */
function codedData(pdf: PdfDocument, { image }: LoadedPart): Buffer {
  return image.encoding === 'DCTDecode' ? imageData(pdf, image).subarray(0, 65_536) : Buffer.alloc(0);
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
  { models = NO_MODELS, onPart, turns }: TurningRun,
): Promise<{ picture: Picture; steps: string[]; cleaning?: Cleaning }> {
  if (clean !== undefined) {
    const isResized = width !== given.width || height !== given.height;
    const part = isResized ? CLEANED : 1;
    const cleaned = cleanPage(given, {
      keepDirection: !turns,
      textOnly: clean === 'text',
      onPart: (done) => onPart?.(part * done),
    });
    const size = {
      width,
      height,
      mode: 'OFF',
      models,
      onPart: (done: number) => onPart?.(part + (1 - part) * done),
    } as const;
    const { picture, steps } = await enhancePixels(cleaned.picture, size);
    const { changed, reason, turn } = cleaned;
    const cleaning = { ...(turn !== undefined && { turn }), ...(reason && { uncleaned: reason }) };
    return { picture, steps: changed ? ['document', ...steps] : steps, cleaning };
  }
  const mode = color && config.auto ? 'ENHANCE' : 'OFF';
  const options: EnhancePixelsOptions = { width, height, models, mode, ...(onPart && { onPart }) };
  if (color) options.colour = config;
  return enhancePixels(given, options);
}
