import { Failure } from '../failure.ts';
import { FAILURE_CODES, FAILURES, type FailureCode } from '../failures.ts';
import { MACHINERY, OUTAGES, type Machinery } from '../machinery.ts';

/** Start of the references of test accounts that cause an outcome. */
export const TEST_PREFIX = 'test:';

/** What fails with a code: the request itself, the file of an upload, an enhancement, or the destination of its result. */
type FailingPart = 'request' | 'file' | 'enhancement' | 'destination';

/** Where each code occurs. A code without an entry does not compile. */
const FAILING_PARTS: Record<FailureCode, FailingPart> = {
  UNAUTHENTICATED: 'request',
  FORBIDDEN: 'request',
  ACCOUNT_SUSPENDED: 'request',
  NOT_FOUND: 'request',
  BAD_USER_INPUT: 'request',
  CONFLICT: 'request',
  REQUEST_TIMEOUT: 'request',
  IDEMPOTENCY_KEY_REUSED: 'request',
  IDEMPOTENCY_KEY_IN_FLIGHT: 'request',
  FILE_TOO_SMALL: 'file',
  FILE_TOO_LARGE: 'file',
  UNSUPPORTED_MEDIA_TYPE: 'file',
  UPLOAD_MISMATCH: 'file',
  SIGNED_URL_EXPIRED: 'file',
  SIGNED_URL_USED: 'request',
  UPLOAD_EXPIRED: 'file',
  URL_NOT_ALLOWED: 'request',
  URL_FETCH_FAILED: 'file',
  SOURCE_MISSING: 'file',
  BUCKET_REFUSED: 'file',
  DESTINATION_REFUSED: 'destination',
  DESTINATION_UNAVAILABLE: 'destination',
  DESTINATION_CANCELLED: 'destination',
  CORRUPT_FILE: 'file',
  ENCRYPTED_PDF: 'file',
  WRONG_PASSWORD: 'file',
  RESULT_TOO_LARGE: 'enhancement',
  SIGNED_PDF: 'enhancement',
  NOT_ARCHIVABLE: 'enhancement',
  TOO_MANY_PIXELS: 'file',
  PROCESSING_LIMIT: 'enhancement',
  PDF_NOT_ANALYZED: 'request',
  TARGET_RESOLUTION_EXCEEDS_PLAN: 'request',
  INSUFFICIENT_CREDITS: 'enhancement',
  APPROVAL_REJECTED: 'enhancement',
  RATE_LIMITED: 'request',
  STORAGE_LIMIT: 'request',
  PROVIDER_UNAVAILABLE: 'enhancement',
  PROVIDER_REJECTED: 'enhancement',
  ORIGINAL_MISSING: 'enhancement',
  ORIGINAL_DAMAGED: 'enhancement',
  RESULT_DAMAGED: 'destination',
  UNAVAILABLE: 'request',
  INTERNAL: 'enhancement',
};

/** The counted outcome of an attempt to deliver an event. The receiver gets the request all the same. */
export interface TestDelivery {
  /** HTTP status; null: no answer in time. Absent: the real answer counts */
  httpStatus?: number | null;
  retryAfterMs?: number;
  /** Number of attempts with this outcome; all by default */
  attempts?: number;
  /** Time before each attempt, milliseconds */
  delayMs?: number;
}

export interface TestEffect {
  /** For the documents */
  words: string;
  fails?: { part: FailingPart; code: FailureCode };
  waitsFor?: Machinery | 'credits' | 'approval' | 'destination';
  lowersCredits?: true;
  delivery?: TestDelivery;
}

const WORDS_OF_PARTS: Record<FailingPart, (code: FailureCode) => string> = {
  request: (code) => `The request is refused with HTTP ${FAILURES[code].httpStatus}.`,
  file: () =>
    'An image ends as `UPLOAD_FAILED`, a PDF as `METADATA_ANALYZED_FAILED`. On an enhancement alone: it ends as `ERROR`.',
  enhancement: () => 'The enhancement ends as `ERROR`.',
  destination: (code) =>
    code === 'DESTINATION_UNAVAILABLE'
      ? 'With a destination in the order: the destination waits, and ends as `FAILED` after 24 hours of the clock.'
      : 'With a destination in the order: the enhancement is `FINISHED`, and its destination ends as `FAILED` without a request.',
};

const named = <T>(entries: readonly (readonly [string, T])[]): Record<string, T> =>
  Object.fromEntries(entries.map(([name, value]) => [TEST_PREFIX + name, value]));

/** All references that cause an outcome, with it. */
export const TEST_REFERENCES: Readonly<Record<string, TestEffect>> = named<TestEffect>([
  ...FAILURE_CODES.map((code) => {
    const part = FAILING_PARTS[code];
    return [code, { words: WORDS_OF_PARTS[part](code), fails: { part, code } }] as const;
  }),
  ...MACHINERY.map((machinery) => {
    const words = `The enhancement waits for ${OUTAGES[machinery].missing} for a second, then continues.`;
    return [`wait-${machinery}`, { words, waitsFor: machinery }] as const;
  }),
  [
    'wait-credits',
    {
      words: 'The enhancement is `AWAITING_CREDITS` for 15 minutes of the clock, then continues.',
      waitsFor: 'credits',
    },
  ],
  [
    'wait-approval',
    {
      words:
        'The enhancement is `AWAITING_APPROVAL`. Approve or reject it. After 7 days of the clock it ends with `APPROVAL_REJECTED`.',
      waitsFor: 'approval',
    },
  ],
  [
    'wait-destination',
    {
      words: 'The destination counts as away at the first attempt. Burnish writes the result five seconds later.',
      waitsFor: 'destination',
    },
  ],
  [
    'credits-low',
    {
      words: 'The enhancement reserves all credits above 20 % of the grant, then returns all but its price.',
      lowersCredits: true,
    },
  ],
  ['delivery-500', { words: 'Each attempt counts as answered with 500.', delivery: { httpStatus: 500 } }],
  ['delivery-redirect', { words: 'Each attempt counts as answered with 302.', delivery: { httpStatus: 302 } }],
  ['delivery-timeout', { words: 'Each attempt counts as not answered in time.', delivery: { httpStatus: null } }],
  [
    'delivery-retry',
    {
      words: 'The first attempt counts as answered with 503 and `Retry-After: 60`. The second one counts as it is.',
      delivery: { httpStatus: 503, retryAfterMs: 60_000, attempts: 1 },
    },
  ],
  [
    'delivery-410',
    { words: 'The attempt counts as answered with 410: the endpoint is disabled.', delivery: { httpStatus: 410 } },
  ],
  ['delivery-slow', { words: 'Each attempt is sent two seconds late.', delivery: { delayMs: 2_000 } }],
]);

/** The effect of a reference in a test account; undefined for any other reference. */
export function findTestEffect(reference: unknown): TestEffect | undefined {
  return typeof reference === 'string' && Object.hasOwn(TEST_REFERENCES, reference)
    ? TEST_REFERENCES[reference]
    : undefined;
}

/** The refusal of a reference that starts with `test:` and causes no outcome. */
export function unknownTestReference(reference: string): Failure {
  const detail = `No test reference has the name ${reference.slice(0, 60)}. Use a reference that docs/test-references.md lists.`;
  return new Failure('BAD_USER_INPUT', { field: 'reference', detail });
}
