import {
  counted,
  formatNumber,
  MAX_SPLIT_PAGES,
  type ArchiveRemoval,
  type ImageKind,
  type NotedNumbers,
  type PageImageReason,
  type PdfNote,
  type SkewReason,
  type UndroppedReason,
  type UnreadReason,
  type UnsplitReason,
  NAMES_OF_KINDS,
  type EngineNote,
} from '@burnish/contract';

/** A function for the sentence of each code: one that is missing does not compile. */
export type Sentences<Note extends EngineNote> = {
  [Code in Note['code']]: (note: Extract<Note, { code: Code }>) => string;
};

/** The sentences on the result of a PDF, by the code of the engine's note. */
export const PDF_NOTES: Sentences<PdfNote> = {
  BELOW_TARGET: ({ images, lowest, highest, target, mostTimes, mostSide }) => {
    const [low, high] = [formatNumber(lowest), formatNumber(highest)];
    const reached = `${images === 1 ? 'reaches' : 'reach'} ${low === high ? low : `${low} to ${high}`}`;
    const most = `an image is enlarged at most ${mostTimes} times, and to at most ${formatNumber(mostSide)} pixels a side`;
    return `${counted(images, 'image')} ${reached} of ${formatNumber(target)} DPI: ${most}.`;
  },
  COLORS_CANNOT_CHANGE: ({ images }) =>
    `The order names images in \`images\` whose colours cannot change: ${joined(images)}. The list of images has the numbers of those that can.`,
  PAGES_KEPT: ({ pages }) =>
    `The order keeps ${counted(pages.count, 'page')} as in the original: ${joined(pages)}. Images of these pages stay wherever they are drawn.`,
  PAGES_DROPPED: ({ pages, of }) =>
    `The result is without ${counted(pages.count, 'page')} of ${formatNumber(of)}, as approved: ${joined(pages)}. The original has all pages.`,
  PAGES_NOT_DROPPED: ({ pages, because }) =>
    `${pages.count === 1 ? 'Page' : 'Pages'} ${joined(pages)} ${pages.count === 1 ? 'stays' : 'stay'} in the result: ${NOT_DROPPED[because]}.`,
  STRUCTURE_REPAIRED: () => 'The structure of the PDF was damaged. The result has a repaired structure.',
  ARCHIVED: ({ removed }) =>
    `The result is PDF/A-2b.${removed.length === 0 ? '' : ` It is without ${removed.map((each) => REMOVED[each]).join(', ')}.`}`,
  LINEARIZATION_LOST: () =>
    'The original is linearized for fast web view, and the result is not. Use `qpdf --linearize` on it.',
  PAGES_TURNED: ({ pages }) =>
    `${counted(pages.count, 'page')} stood on ${pages.count === 1 ? 'its head or its side, and is' : 'their heads or their sides, and are'} upright now: ${joined(pages)}.`,
  PAGES_STRAIGHTENED: ({ pages }) =>
    `${counted(pages, 'skewed page')} ${pages === 1 ? 'is' : 'are'} straight now, with text, links and marks.`,
  SURROUNDS_WHITENED: ({ pages }) =>
    `${counted(pages.count, 'page')} ${pages.count === 1 ? 'has' : 'have'} white instead of the dark surround of the paper: ${joined(pages)}.`,
  PAGES_SKEWED: ({ pages, because }) =>
    `${pages.count === 1 ? 'Page' : 'Pages'} ${joined(pages)} ${pages.count === 1 ? 'stays' : 'stay'} skewed by more than one degree: ${STAYS_SKEWED[because]}.`,
  SPREADS_TURNED_TOGETHER: ({ pages }) =>
    `${counted(pages.count, 'scan')} ${pages.count === 1 ? 'shows' : 'show'} two book pages at different angles: ${joined(pages)}. They turn by themselves only without text, drawings or marks over the scan.`,
  PAGES_SPLIT: ({ pages, of }) =>
    `${counted(pages, 'page')} of ${formatNumber(of)} ${pages === 1 ? 'is two pages' : 'are two pages each'} of the result, cut at the fold.`,
  SPREADS_NOT_SPLIT: ({ pages, because }) =>
    `${pages.count === 1 ? 'Page' : 'Pages'} ${joined(pages)} ${pages.count === 1 ? 'shows a fold and stays' : 'show a fold and stay'} whole: ${NOT_SPLIT[because]}.`,
  QUALITY_REDUCED: ({ images, mostBytes, quality }) =>
    ofSize(images, mostBytes, {
      does: `${images.count === 1 ? 'has' : 'have'} a JPEG quality of at most ${quality}`,
      remedy: 'a greater maxGrowth',
    }),
  QUALITIES_FITTED: ({ images, mostBytes, quality }) =>
    `${counted(images.count, 'image')} ${images.count === 1 ? `has a JPEG quality of ${quality}` : `have a JPEG quality of at least ${quality}`}, so that the result has at most ${formatNumber(mostBytes)} bytes: ${joined(images)}. Set a greater maxBytes for a better one.`,
  ENLARGED_LESS: ({ images, mostBytes }) =>
    ofSize(images, mostBytes, {
      does: `${images.count === 1 ? 'is' : 'are'} enlarged less than asked`,
      remedy: 'a greater maxGrowth or a lower pdfQuality',
    }),
  KEPT_FOR_SIZE: ({ images, mostBytes }) =>
    ofSize(images, mostBytes, {
      does: images.count === 1 ? 'stays as it is' : 'stay as they are',
      remedy: 'a greater maxGrowth, a lower pdfQuality or a lower targetResolution',
    }),
  PAGES_NOT_CLEANED: ({ pages, enlarged, because }) => {
    const [one, several] = enlarged ? ENLARGED : KEPT;
    const isOne = pages.count === 1;
    return `${isOne ? 'Page' : 'Pages'} ${joined(pages)} ${isOne ? one : several}: ${whyNotCleaned(because)}.`;
  },
  TEXT_ADDED: ({ pages, of }) =>
    `${counted(pages, 'page')} of ${formatNumber(of)} ${pages === 1 ? 'has' : 'have'} a new layer of invisible text, at no charge.`,
  TEXT_NOT_ADDED: ({ pages, because }) =>
    `${pages.count === 1 ? 'Page' : 'Pages'} ${joined(pages)} ${pages.count === 1 ? 'gets' : 'get'} no text: ${NOT_READ[because]}.`,
  NEED_NOTHING: ({ images }) =>
    `Images whose tone and colour need nothing, and which were kept as they are at no charge: ${formatNumber(images)}.`,
  NO_IMAGE_CHANGED: ({ because }) =>
    because === 'no-page' ? 'No image of the PDF can be cleaned.' : 'No image of the PDF needs this enhancement.',
};

/** Says which images the maximum size of a PDF limits, how, and what to ask for instead. */
const ofSize = (images: NotedNumbers, most: number, { does, remedy }: Record<'does' | 'remedy', string>): string =>
  `${counted(images.count, 'image')} ${does}: ${joined(images)}. The PDF would grow beyond ${formatNumber(most)} bytes. Ask for ${remedy}.`;

const joined = ({ first, count }: NotedNumbers): string =>
  `${first.join(', ')}${count > first.length ? ' and others' : ''}`;

/** What pages have, for one and for several. */
const KEPT = ['keeps an image as it is, at no charge', 'keep images as they are, at no charge'] as const;
const ENLARGED = [
  'has an image that is enlarged but not cleaned',
  'have images that are enlarged but not cleaned',
] as const;

/** What PDF/A does not allow, as words after "without". */
const REMOVED: Record<ArchiveRemoval, string> = {
  actions: 'scripts and programs',
  xfa: 'the XFA copy of its form',
  metadata: 'metadata beyond the document information',
  printing: 'hints for printers',
};

/** Why a page stays skewed, as words after a colon. */
export const STAYS_SKEWED: Record<SkewReason, string> = {
  cut: 'a turn would cut off ink',
  content: 'something on the page could not turn with its scan',
  slanted: 'its lines may be slanted by design',
};

/** Why a scanned page gets no text, as words after a colon. */
const NOT_READ: Record<UnreadReason, string> = {
  'own-text': 'a page that has text already',
  'no-scan': 'a page whose scan cannot be read alone',
  limit: 'a page that Tesseract could not read within its limits',
  direction: 'nothing shows whether it is upright',
};

/** Why a page is not dropped, as words after a colon. */
const NOT_DROPPED: Record<UndroppedReason, string> = {
  shared: 'the document shows the same page twice, or stores it inside another object',
  fields: 'it has fields of a form',
};

/** Why a page with a fold is not split, as words after a colon. */
const NOT_SPLIT: Record<UnsplitReason, string> = {
  'not-alone': 'more than one scan, or more than a scan, lies on the page',
  limit: `a file has at most ${formatNumber(MAX_SPLIT_PAGES)} split pages`,
};

/** Why an image of a page is not cleaned, as words after a colon. */
const NOT_CLEANED: Record<Exclude<PageImageReason, ImageKind>, string> = {
  'needs-nothing': 'a page without anything to clean',
  clean: 'a clean page',
  'no-paper': 'a picture with too little paper',
  'no-ink': 'paper without ink',
  'no-page': 'a picture with neither text nor strokes of ink on paper',
  inks: 'a picture in CMYK',
  damaged: 'damaged data',
  'single-color': 'a picture of one colour',
  'one-bit': 'a picture of one bit per pixel',
  'fixed-colors': 'a picture whose colours cannot change',
  masked: 'a picture that a mask hides in part',
};

const whyNotCleaned = (reason: PageImageReason): string =>
  reason in NAMES_OF_KINDS
    ? `${NAMES_OF_KINDS[reason as ImageKind]} that fills no page`
    : NOT_CLEANED[reason as keyof typeof NOT_CLEANED];
