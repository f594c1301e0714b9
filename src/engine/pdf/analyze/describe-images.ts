import { kindInWords } from '../../contract/image-kinds.ts';
import { formatNumber } from '../../contract/counted.ts';
import {
  changesColor,
  CHARGED_MASK_SIDE,
  NO_TARGET,
  type PdfParameters,
  type PdfWork,
} from '../../contract/parameters.ts';
import { keptPages } from '../../contract/page-choices.ts';
import { MAX_REPORTED_IMAGES, type ReportedImage, type ReportedImageList } from '../../contract/report.ts';
import type { PdfDocument } from '@burnish/pdf';
import { mostBytes } from '../enhance/growth.ts';
import { readImageFacts } from '../images/image-facts.ts';
import { hasPreview, reasonToLeave, type LeftAloneReason } from './eligibility.ts';
import { FACTS_FORMAT } from '../../contract/facts-format.ts';
import { readFacts, type BilevelPicture, type EligibleImage, type PdfFacts } from './facts.ts';
import { inspectPdf } from './inspect.ts';
import { allImages, findChange } from './list-images.ts';
import { findShortfall } from './shortfall.ts';
import { drawnOnOneOf } from './left-out.ts';
import {
  MAX_SCALE,
  countWork,
  findChoice,
  findCoarseScans,
  isColorChosen,
  isWhole,
  listWork,
  type ImageWork,
} from './work.ts';
import type { Run } from '../run.ts';
import { withPdf } from '../with-pdf.ts';

export interface DescribePdfImagesInput {
  inputPath: string;
  password?: string;
  factsPath?: string;
  /** Local path of a result; absent: describes the effect of a future enhancement */
  resultPath?: string;
  parameters: PdfParameters;
}

/**
 * Lists every image of a PDF in page order, with the actual or expected effect of an enhancement, and the reason for
 * none.
 * @throws EngineError as opening a PDF; PROCESSING_LIMIT
 */
export function describePdfImages(input: DescribePdfImagesInput & Run): Promise<ReportedImageList> {
  const { inputPath, password, resultPath } = input;
  return withPdf({ inputPath, password }, (pdf) =>
    resultPath === undefined
      ? describeImages(input, pdf)
      : withPdf({ inputPath: resultPath, password }, (result) => describeImages(input, pdf, result)),
  );
}

async function describeImages(
  input: DescribePdfImagesInput & Run,
  pdf: PdfDocument,
  result?: PdfDocument,
): Promise<ReportedImageList> {
  const { factsPath, parameters } = input;
  const facts = await loadFacts(pdf, factsPath, input);
  const asked = parameters.bilevel === 'SMOOTH' ? byNumber(facts.bilevel) : new Map<number, BilevelPicture>();
  const coarse = byNumber(findCoarseScans(facts, parameters));
  const eligible = byNumber(facts.eligible);
  const plan = listWork(facts, parameters);
  const works = byNumber(plan);
  const growth = mostBytes({ facts, parameters }) - facts.fileBytes;
  const images = await allImages(pdf, input);
  const described = images.slice(0, MAX_REPORTED_IMAGES).map((image): ReportedImage => {
    const before = readImageFacts(pdf, image.number)!;
    const after = result && readImageFacts(result, image.number);
    const reason = reasonToLeave(before);
    const planned = works.get(image.number);
    const shared = {
      ...image,
      shown: hasPreview(before),
      work: planned ? workOfPart(planned, image.number) : NOTHING,
    };
    if (planned === undefined) {
      const smooth = asked.get(image.number);
      const outcome = coarse.has(image.number)
        ? `Unchanged: ${REASONS.letters}.`
        : smooth
          ? whyNotSmooth(smooth, parameters)
          : whyNot(reason, eligible.get(image.number), parameters);
      return { ...shared, after: null, outcome };
    }
    if (result === undefined)
      return {
        ...shared,
        after: null,
        outcome: `Planned: ${deeds(planned)}.${describeKept(planned, eligible, parameters)}`,
      };
    const change = after && findChange(pdf, before, result, after);
    if (after === undefined || change === undefined)
      return { ...shared, work: NOTHING, after: null, outcome: whyKept(planned, pdf.rawLength(before.stream), growth) };
    if (change === 'mask')
      return { ...shared, after: null, outcome: `${capital(describeMask(planned))}. Its own pixels stay.` };
    const resolution = image.resolution && Math.round((image.resolution * after.width) / before.width);
    const size = { width: after.width, height: after.height, resolution };
    return {
      ...shared,
      after: size,
      outcome: `${capital(deedsDone(planned))}.${describeKept(planned, eligible, parameters)}${describeShortfall(resolution, parameters, after.width < planned.width)}`,
    };
  });
  const { targetResolution } = parameters;
  const shortfall = findShortfall(facts, parameters);
  return {
    total: images.length,
    below: images.filter(({ resolution }) => resolution !== null && resolution < targetResolution).length,
    work: countWork(plan),
    shortfall: shortfall && { images: shortfall.images, lowest: Math.floor(shortfall.lowest) },
    images: described,
  };
}

const NOTHING: PdfWork = { colorOnly: 0, resizeOnly: 0, both: 0 };

/** The first part of a picture counts for all of it. */
const workOfPart = (work: ImageWork, number: number): PdfWork | null =>
  number === work.number ? countWork([work]) : null;

/** Says why a planned change did not happen. @param growth bytes that the file may grow by */
function whyKept({ resize, clean, bilevel }: ImageWork, bytes: number, growth: number): string {
  if (bilevel) return `Kept: ${REASONS.letters}, or the PDF would grow beyond its limit. See the notes.`;
  if (clean !== undefined) return 'Kept: it is clean, shows no page with ink, or would grow. See the notes.';
  return resize || growth < bytes
    ? 'Kept: the PDF would grow beyond its limit. See the notes.'
    : 'Kept: its tone and colour need no change.';
}

/** Returns the stored facts, or inspects the PDF again when they are missing or of another version. */
async function loadFacts(pdf: PdfDocument, path: string | undefined, run: Run): Promise<PdfFacts> {
  const known = path === undefined ? undefined : await readFacts(path);
  return known?.format === FACTS_FORMAT ? known : inspectPdf(pdf, run);
}

function byNumber<Item extends EligibleImage | BilevelPicture | ImageWork>(items: readonly Item[]): Map<number, Item> {
  return new Map(items.flatMap((item) => (item.parts ?? [item]).map(({ number }): [number, Item] => [number, item])));
}

/** Says what happens to a picture whose mask alone is enlarged, with its price where it is free. */
function describeMask({ mask, maskOnly }: ImageWork): string {
  const size = mask === undefined ? '' : ` to ${formatNumber(mask.width)} × ${formatNumber(mask.height)} pixels`;
  const price = maskOnly === 'free' ? `, free below ${CHARGED_MASK_SIDE} pixels` : '';
  return `its mask alone enlarged${size}${price}`;
}

function deeds(work: ImageWork): string {
  const { resize, color, clean, maskOnly } = work;
  if (maskOnly !== undefined) return describeMask(work);
  const change = clean === undefined ? 'corrected in tone and colour' : 'cleaned';
  return [...(resize ? ['enlarged'] : []), ...(color ? [change] : [])].join(' and ');
}

/** As `deeds`, after them: an enlarged page may have been refused or clean, which its data does not show. */
const deedsDone = (work: ImageWork): string =>
  work.resize && work.clean !== undefined ? 'enlarged, and cleaned unless the notes say that it was not' : deeds(work);

/** Says why an enlarged image keeps its colours. */
function describeKept(
  { number, color }: ImageWork,
  eligible: ReadonlyMap<number, EligibleImage>,
  parameters: PdfParameters,
): string {
  const image = eligible.get(number);
  if (color || image === undefined || !changesColor(parameters)) return '';
  return ` ${capital(whyColorsStay(image, parameters))}.`;
}

/** Says why a picture keeps its colours, as a clause. */
function whyColorsStay(image: EligibleImage, parameters: PdfParameters): string {
  if (!changesColor(parameters)) return 'colour correction was not requested';
  if (findChoice(image, parameters.images)?.color === false) return 'its colours stay, as the order asks';
  if (parameters.mode === 'DOCUMENT' && image.color)
    return isWhole(image)
      ? `it is not cleaned: ${kindInWords(image.shows)}, and fills no page`
      : 'it is not cleaned: its mask hides a part of it';
  if (!isColorChosen(image, parameters)) return `its colours stay: ${kindInWords(image.shows)}`;
  return 'its colours stay: they are inks, or define the opacity of other content';
}

function describeShortfall(resolution: number | null, { targetResolution }: PdfParameters, isReduced: boolean): string {
  if (resolution === null || resolution >= targetResolution - 1) return '';
  if (isReduced) return ' It is enlarged less, so that the PDF stays within its limit.';
  return ` It stays below ${formatNumber(targetResolution)} DPI: an image is enlarged at most ${MAX_SCALE} times.`;
}

function whyNot(
  reason: LeftAloneReason | undefined,
  image: EligibleImage | undefined,
  parameters: PdfParameters,
): string {
  const { hiddenLayers } = parameters;
  if (reason !== undefined) return `Unchanged: ${REASONS[reason]}.`;
  if (image !== undefined && isOnKeptPage(image, parameters)) return KEPT;
  if (image === undefined) return 'Unchanged: it is of one colour or of even blocks, cannot be seen, or is damaged.';
  if (image.hidden && !hiddenLayers) return HIDDEN;
  const colour = whyColorsStay(image, parameters);
  const { resolution } = image;
  if (resolution === null) return `Unchanged: it is drawn without extent, and ${colour}.`;
  return `Unchanged: ${whySizeStays(resolution, parameters)}, and ${colour}.`;
}

function whyNotSmooth(picture: BilevelPicture, parameters: PdfParameters): string {
  const { resolution, hidden } = picture;
  if (isOnKeptPage(picture, parameters)) return KEPT;
  if (hidden && !parameters.hiddenLayers) return HIDDEN;
  if (resolution === null) return 'Unchanged: it is drawn without extent.';
  return `Unchanged: ${whySizeStays(resolution, parameters)}.`;
}

/** Says why a picture keeps its size, as a clause. */
function whySizeStays(resolution: number, { targetResolution, upscalingThreshold }: PdfParameters): string {
  if (targetResolution === NO_TARGET) return 'the order asks for no enlargement';
  const [dpi, target] = [Math.floor(resolution), targetResolution].map(formatNumber);
  if (resolution >= targetResolution) return `its ${dpi} DPI are enough, as the order asks for ${target} DPI`;
  const times = (Math.floor((targetResolution / resolution) * 100) / 100).toFixed(2);
  return `for ${target} DPI it would grow only ${times} times, and the order asks for more than ${formatNumber(upscalingThreshold)} times`;
}

const isOnKeptPage = (image: Pick<EligibleImage, 'drawnOn'>, { pages }: PdfParameters): boolean =>
  drawnOnOneOf(keptPages(pages))(image);

const HIDDEN = 'Unchanged: its layer is hidden.';
const KEPT = 'Unchanged: the order keeps its page.';

const REASONS: Record<LeftAloneReason, string> = {
  inline: 'it lies inside the page description',
  glyph: 'it is part of a font',
  'stencil-mask': 'it is a stencil of one bit',
  'one-bit': 'it has one bit per pixel',
  jbig2: 'it has one bit per pixel (JBIG2)',
  ccitt: 'it has one bit per pixel (fax)',
  letters: 'letters of this size read no better in one bit once enlarged',
  tiny: 'a side has fewer than 16 pixels',
  'too-large': 'it is larger than the limit',
  'max-growth': 'the PDF would grow too much',
  separation: 'it contains a spot colour',
  devicen: 'it contains spot colours',
  'color-table': 'its profile maps neighbouring values to unrelated colours',
  'unknown-color-space': 'its colour space is not supported',
  'color-key-mask': 'its mask depends on exact colours',
  'single-color': 'it is of one colour',
  blocks: 'it consists of even blocks of a few colours',
  invisible: 'its mask hides it',
  'unknown-encoding': 'its coding is not supported',
  damaged: 'its data is damaged',
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
