import { formatNumber, EngineError, type EngineErrorCode } from '@burnish/contract/engine';

/**
 * Limits on the work that a PDF causes, by name, each with the failure code for exceeding it; the reader has its own. An
 * honest file of the contract's size reaches none of them.
 */
export const WORK_LIMITS = {
  /** Operators and operands in all content streams of the document; each form counts once. */
  tokens: { max: 100_000_000, code: 'PROCESSING_LIMIT', what: 'operators and operands in its content' },
  /** The same on one page, where each form counts at each use: it takes a viewer that long. */
  pageTokens: {
    max: 20_000_000,
    code: 'PROCESSING_LIMIT',
    what: 'operators and operands on one page, with its forms at each use',
  },
  /** Uses of forms, patterns and soft-mask groups on one page, nested uses included. */
  pageForms: { max: 500_000, code: 'PROCESSING_LIMIT', what: 'uses of forms on one page' },
  /** Graphics states on the stack at one time. */
  graphicsStates: { max: 100_000, code: 'PROCESSING_LIMIT', what: 'saved graphics states' },
  /** Nesting depth of forms, patterns and soft-mask groups. */
  formDepth: { max: 32, code: 'PROCESSING_LIMIT', what: 'levels of nested forms' },
  /** Image draws on one page that differ in image or size. */
  draws: { max: 200_000, code: 'PROCESSING_LIMIT', what: 'different draws of images on one page' },
  /** Distinct image objects. */
  images: { max: 100_000, code: 'PROCESSING_LIMIT', what: 'images' },
  /** Total pixels of all images that the analysis decodes. */
  sourcePixels: { max: 50_000_000_000, code: 'TOO_MANY_PIXELS', what: 'pixels in its images' },
  /** Total pixels of all images of one enhancement, before and after it. */
  workPixels: { max: 250_000_000_000, code: 'TOO_MANY_PIXELS', what: 'pixels in its images, before and after,' },
  /** Bytes of an enhanced PDF. A classic cross-reference table stores offsets of ten digits. */
  resultBytes: { max: 8_000_000_000, code: 'PROCESSING_LIMIT', what: 'bytes once it is enhanced' },
} as const satisfies Record<string, { max: number; code: EngineErrorCode; what: string }>;

export type WorkLimit = keyof typeof WORK_LIMITS;

export function workLimitExceeded(limit: WorkLimit): EngineError {
  const { max, code, what } = WORK_LIMITS[limit];
  return new EngineError(code, { detail: `The PDF has more than ${formatNumber(max)} ${what}.` });
}

/** @throws EngineError with the limit's code when `value` exceeds it */
export function assertWorkWithin(limit: WorkLimit, value: number): void {
  if (value > WORK_LIMITS[limit].max) throw workLimitExceeded(limit);
}
