import { formatNumber } from '../../domain/counted.ts';
import { Failure, type FailureCode } from '../../domain/failures.ts';

/**
 * All limits on an untrusted PDF, by name, each with the failure code for exceeding it. An honest file of the
 * contract's size reaches none of them. Together they limit a hostile file to seconds and a few hundred megabytes.
 */
export const PDF_LIMITS = {
  /** Bytes of one object without its stream data; also the longest string or array that the parser reads. */
  objectBytes: { max: 32_000_000, code: 'PROCESSING_LIMIT' },
  /** Highest object number (ISO 32000-1 Annex C.2 names 8,388,607 indirect objects). */
  objectNumber: { max: 8_388_607, code: 'PROCESSING_LIMIT' },
  /** Cross-reference sections; each incremental save adds one. */
  xrefSections: { max: 5_000, code: 'PROCESSING_LIMIT' },
  /** Inflated bytes of one object stream or cross-reference stream. */
  objectStreamBytes: { max: 128_000_000, code: 'PROCESSING_LIMIT' },
  /** Inflated bytes of the content stream of one page or form. */
  contentBytes: { max: 128_000_000, code: 'PROCESSING_LIMIT' },
  /** Inflated bytes of one image's data, where the image's own size allows no lower limit. */
  imageBytes: { max: 1_000_000_000, code: 'PROCESSING_LIMIT' },
  /** Inflated bytes of all object streams and content streams together. */
  inflatedBytes: { max: 2_000_000_000, code: 'PROCESSING_LIMIT' },
  /** Filters of one stream. */
  filters: { max: 8, code: 'PROCESSING_LIMIT' },
  pages: { max: 50_000, code: 'PROCESSING_LIMIT' },
  /** Nodes visited in the page tree, leaves included. */
  pageTreeNodes: { max: 200_000, code: 'PROCESSING_LIMIT' },
  /** Operators and operands in all content streams of the document; each form counts once. */
  tokens: { max: 100_000_000, code: 'PROCESSING_LIMIT' },
  /** The same on one page, where each form counts at each use: it takes a viewer that long. */
  pageTokens: { max: 20_000_000, code: 'PROCESSING_LIMIT' },
  /** Uses of forms, patterns and soft-mask groups on one page, nested uses included. */
  pageForms: { max: 500_000, code: 'PROCESSING_LIMIT' },
  /** Graphics states on the stack at one time. */
  graphicsStates: { max: 100_000, code: 'PROCESSING_LIMIT' },
  /** Nesting depth of forms, patterns and soft-mask groups. */
  formDepth: { max: 32, code: 'PROCESSING_LIMIT' },
  /** Image draws on one page that differ in image or size. */
  draws: { max: 200_000, code: 'PROCESSING_LIMIT' },
  /** Distinct image objects. */
  images: { max: 100_000, code: 'PROCESSING_LIMIT' },
  /** Total pixels of all images that the analysis decodes. */
  sourcePixels: { max: 50_000_000_000, code: 'TOO_MANY_PIXELS' },
  /** Total pixels of all images of one enhancement, before and after it. */
  workPixels: { max: 250_000_000_000, code: 'TOO_MANY_PIXELS' },
  /** Bytes of an enhanced PDF. A classic cross-reference table stores offsets of ten digits. */
  resultBytes: { max: 8_000_000_000, code: 'PROCESSING_LIMIT' },
} as const satisfies Record<string, { max: number; code: FailureCode }>;

export type PdfLimit = keyof typeof PDF_LIMITS;

const WORDS: Record<PdfLimit, string> = {
  objectBytes: 'bytes in one object',
  objectNumber: 'as an object number',
  xrefSections: 'cross-reference sections',
  objectStreamBytes: 'bytes in one object stream',
  contentBytes: 'bytes of content in one page or form',
  imageBytes: 'bytes in one image',
  inflatedBytes: 'bytes of objects and content once inflated',
  filters: 'filters on one stream',
  pages: 'pages',
  pageTreeNodes: 'nodes in the page tree',
  tokens: 'operators and operands in its content',
  pageTokens: 'operators and operands on one page, with its forms at each use',
  pageForms: 'uses of forms on one page',
  graphicsStates: 'saved graphics states',
  formDepth: 'levels of nested forms',
  draws: 'different draws of images on one page',
  images: 'images',
  sourcePixels: 'pixels in its images',
  workPixels: 'pixels in its images, before and after,',
  resultBytes: 'bytes once it is enhanced',
};

export function limitExceeded(limit: PdfLimit): Failure {
  const { max, code } = PDF_LIMITS[limit];
  return new Failure(code, {
    detail: `The PDF has more than ${formatNumber(max)} ${WORDS[limit]}.`,
    cause: limit,
  });
}

export function isLimit(error: unknown, limit: PdfLimit): boolean {
  return error instanceof Failure && error.cause === limit;
}

/** @throws Failure with the limit's code when `value` exceeds it */
export function assertWithin(limit: PdfLimit, value: number): void {
  if (value > PDF_LIMITS[limit].max) throw limitExceeded(limit);
}
