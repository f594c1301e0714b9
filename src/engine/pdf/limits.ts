import { formatNumber } from '../../domain/counted.ts';
import { Failure, type FailureCode } from '../../domain/failures.ts';

/**
 * Every bound on an untrusted PDF, by name, with the code that crossing it gives. None may be met by an honest file of
 * the contract's size; together they keep a hostile one within seconds and a few hundred megabytes.
 */
export const PDF_LIMITS = {
  /** Bytes of one object without its stream data; the longest string or array that is read. */
  objectBytes: { max: 32_000_000, code: 'PROCESSING_LIMIT' },
  /** Highest object number (ISO 32000-1 Annex C.2 names 8,388,607 indirect objects). */
  objectNumber: { max: 8_388_607, code: 'PROCESSING_LIMIT' },
  /** Cross-reference sections, one for each time the file was saved incrementally. */
  xrefSections: { max: 5_000, code: 'PROCESSING_LIMIT' },
  /** Bytes that one object or cross-reference stream inflates to. */
  objectStreamBytes: { max: 128_000_000, code: 'PROCESSING_LIMIT' },
  /** Bytes that the content of one page or form inflates to. */
  contentBytes: { max: 128_000_000, code: 'PROCESSING_LIMIT' },
  /** Bytes that the data of one image inflates to, when its own size allows no less. */
  imageBytes: { max: 1_000_000_000, code: 'PROCESSING_LIMIT' },
  /** Bytes that all object streams and contents inflate to. */
  inflatedBytes: { max: 2_000_000_000, code: 'PROCESSING_LIMIT' },
  /** Filters on one stream. */
  filters: { max: 8, code: 'PROCESSING_LIMIT' },
  pages: { max: 50_000, code: 'PROCESSING_LIMIT' },
  /** Nodes visited in the page tree, leaves included. */
  pageTreeNodes: { max: 200_000, code: 'PROCESSING_LIMIT' },
  /** Operators and operands that the content of the document has, forms counted once. */
  tokens: { max: 100_000_000, code: 'PROCESSING_LIMIT' },
  /** Saved graphics states at one time. */
  graphicsStates: { max: 100_000, code: 'PROCESSING_LIMIT' },
  /** Forms, patterns and soft-mask groups inside one another. */
  formDepth: { max: 32, code: 'PROCESSING_LIMIT' },
  /** Draws of images on one page that differ in image or size. */
  draws: { max: 200_000, code: 'PROCESSING_LIMIT' },
  /** Distinct image objects. */
  images: { max: 100_000, code: 'PROCESSING_LIMIT' },
  /** Pixels of all images that are decoded to be judged, together. */
  sourcePixels: { max: 50_000_000_000, code: 'TOO_MANY_PIXELS' },
  /** Pixels of all images of one enhancement before and after it, together. */
  workPixels: { max: 250_000_000_000, code: 'TOO_MANY_PIXELS' },
  /** Bytes of an enhanced PDF. A classic cross-reference table holds offsets of ten digits. */
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
  graphicsStates: 'saved graphics states',
  formDepth: 'levels of nested forms',
  draws: 'different draws of images on one page',
  images: 'images',
  sourcePixels: 'pixels in its images',
  workPixels: 'pixels in its images, before and after,',
  resultBytes: 'bytes once it is enhanced',
};

/** The failure for crossing a limit; its message names the bound. */
export function limitExceeded(limit: PdfLimit): Failure {
  const { max, code } = PDF_LIMITS[limit];
  return new Failure(code, {
    detail: `The PDF has more than ${formatNumber(max)} ${WORDS[limit]}.`,
    cause: limit,
  });
}

/** Whether an error is the failure for crossing this limit. */
export function isLimit(error: unknown, limit: PdfLimit): boolean {
  return error instanceof Failure && error.cause === limit;
}

/** @throws Failure with the limit's code when `value` is over it */
export function assertWithin(limit: PdfLimit, value: number): void {
  if (value > PDF_LIMITS[limit].max) throw limitExceeded(limit);
}
