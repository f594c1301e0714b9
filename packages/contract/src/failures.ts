/** All failures that Burnish reports. REST, GraphQL, the command line, the dashboard, workflows and the engine use these codes. */
export const FAILURES = {
  UNAUTHENTICATED: {
    httpStatus: 401,
    retryable: false,
    sentence: 'The API key is missing or not valid.',
    remedy: 'Send a valid key in the header x-api-key.',
  },
  FORBIDDEN: {
    httpStatus: 403,
    retryable: false,
    sentence: 'The API key does not permit this operation.',
    remedy: 'Use a key with the required scope.',
  },
  ACCOUNT_SUSPENDED: {
    httpStatus: 403,
    retryable: false,
    sentence: 'The operator of this instance has suspended the account.',
    remedy: 'Ask the operator to resume the account. Uploads and results remain until their retention ends.',
  },
  NOT_FOUND: {
    httpStatus: 404,
    retryable: false,
    sentence: 'No record has this id. It may have been deleted, or belongs to another account.',
    remedy: 'Check the id and the account of the key.',
  },
  BAD_USER_INPUT: {
    httpStatus: 400,
    retryable: false,
    sentence: 'The request is not valid.',
    remedy: 'Correct the input, and try again.',
  },
  CONFLICT: {
    httpStatus: 409,
    retryable: false,
    sentence: 'The state of the record does not allow this operation.',
    remedy: 'Read the record, and choose an operation that its state allows.',
  },
  REQUEST_TIMEOUT: {
    httpStatus: 408,
    retryable: true,
    sentence: 'The request stopped arriving, or arrived too slowly.',
    remedy: 'Send the request again without pauses, over another connection if yours is slow.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    httpStatus: 422,
    retryable: false,
    sentence: 'This Idempotency-Key has been used for a different request.',
    remedy: 'Send the same request with this key, or another request with a new key.',
  },
  IDEMPOTENCY_KEY_IN_FLIGHT: {
    httpStatus: 409,
    retryable: true,
    sentence: 'A request with this Idempotency-Key is still being processed.',
    remedy: 'Send the same request with this key again, after the seconds in Retry-After.',
  },
  FILE_TOO_SMALL: {
    httpStatus: 422,
    retryable: false,
    sentence: 'The file is smaller than the minimum size.',
    remedy: 'Send a larger version of the file.',
  },
  FILE_TOO_LARGE: {
    httpStatus: 413,
    retryable: false,
    sentence: 'The file is larger than the maximum size.',
    remedy: 'Send a smaller version of the file, or split the PDF.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    httpStatus: 415,
    retryable: false,
    sentence: 'The type of the file or of the body is not supported.',
    remedy: 'Save the file as JPEG, PNG, TIFF, HEIC, WebP, AVIF, GIF, BMP or PDF, and send it again.',
  },
  UPLOAD_MISMATCH: {
    httpStatus: 422,
    retryable: false,
    sentence: 'The file does not match its declaration.',
    remedy: 'Declare the real size and type of the file, and send it again.',
  },
  SIGNED_URL_EXPIRED: {
    httpStatus: 403,
    retryable: false,
    sentence: 'The signed URL has expired.',
    remedy: 'Ask for a new signed URL and send the file again.',
  },
  SIGNED_URL_USED: {
    httpStatus: 403,
    retryable: false,
    sentence: 'The signed URL has been used.',
    remedy: 'Ask for a new signed URL and send the file again.',
  },
  UPLOAD_EXPIRED: {
    httpStatus: 410,
    retryable: false,
    sentence: 'The file was not complete before the deadline of the upload.',
    remedy: 'Send the file again with a new upload.',
  },
  URL_NOT_ALLOWED: {
    httpStatus: 422,
    retryable: false,
    sentence: 'The URL is not allowed.',
    remedy: 'Use a public URL, or ask the operator to allow this host.',
  },
  URL_FETCH_FAILED: {
    httpStatus: 422,
    retryable: true,
    sentence: 'The download from the URL failed.',
    remedy: 'Check that the URL opens without a login, or send the file itself.',
  },
  SOURCE_MISSING: {
    httpStatus: 422,
    retryable: false,
    sentence: 'The bucket has no object with this key.',
    remedy: 'Check the key, and order again.',
  },
  BUCKET_REFUSED: {
    httpStatus: 422,
    retryable: false,
    sentence: 'The bucket refuses access.',
    remedy: 'Check the name, the keys and the rights of the bucket, or ask the operator to register it again.',
  },
  DESTINATION_REFUSED: {
    httpStatus: 422,
    retryable: false,
    sentence: 'The destination refused the result.',
    remedy: 'Enhance the file again with a new destination; the result is reused at no charge.',
  },
  DESTINATION_UNAVAILABLE: {
    httpStatus: 503,
    retryable: true,
    sentence: 'The destination does not answer.',
    remedy: 'Check the destination, and enhance the file again; the result is reused at no charge.',
  },
  DESTINATION_CANCELLED: {
    httpStatus: 409,
    retryable: false,
    sentence: 'Nothing was written to the destination: the order failed or was cancelled, or the upload was deleted.',
    remedy: 'Enhance the file again.',
  },
  CORRUPT_FILE: {
    httpStatus: 422,
    retryable: false,
    sentence: 'The file is damaged and cannot be read.',
    remedy: 'Open the file in another program, save it again, and send the new file.',
  },
  ENCRYPTED_PDF: {
    httpStatus: 422,
    retryable: false,
    sentence: 'The PDF needs a password.',
    remedy: 'Send the password with a new analysis, or send a copy without a password.',
  },
  WRONG_PASSWORD: {
    httpStatus: 422,
    retryable: false,
    sentence: 'The password does not open the PDF.',
    remedy: 'Send the correct password with a new analysis.',
  },
  SIGNED_PDF: {
    httpStatus: 422,
    retryable: false,
    sentence: 'The PDF is signed, and a change would break its signature.',
    remedy: 'Allow breaking signatures with pdf.allowBreakingSignatures, or send an unsigned copy.',
  },
  NOT_ARCHIVABLE: {
    httpStatus: 422,
    retryable: false,
    sentence: 'The PDF cannot become PDF/A-2b.',
    remedy: 'Remove what the error names from the file, or order without pdf.archive.',
  },
  RESULT_TOO_LARGE: {
    httpStatus: 422,
    retryable: false,
    sentence: 'The result is larger than maxBytes allows.',
    remedy: 'Set a greater maxBytes, or choose a smaller size for the result.',
  },
  TOO_MANY_PIXELS: {
    httpStatus: 422,
    retryable: false,
    sentence: 'The image has more pixels than the limit.',
    remedy: 'Send a smaller version, or choose a smaller size for the result.',
  },
  PROCESSING_LIMIT: {
    httpStatus: 422,
    retryable: false,
    sentence: 'The file needs more CPU time or memory than the limit.',
    remedy: 'Send a smaller version, or split the PDF.',
  },
  PDF_NOT_ANALYZED: {
    httpStatus: 409,
    retryable: true,
    sentence: 'The PDF has not been analyzed.',
    remedy: 'Order again after METADATA_ANALYZED_SUCCESSFULLY, or analyze it again after METADATA_ANALYZED_FAILED.',
  },
  TARGET_RESOLUTION_EXCEEDS_PLAN: {
    httpStatus: 422,
    retryable: false,
    sentence: 'The target resolution exceeds the cap of the plan.',
    remedy: 'Choose a lower resolution, or move the account to a larger plan.',
  },
  INSUFFICIENT_CREDITS: {
    httpStatus: 402,
    retryable: true,
    sentence: 'The account has too few credits.',
    remedy: 'Wait for the next period, or ask the operator for credits.',
  },
  APPROVAL_REJECTED: {
    httpStatus: 409,
    retryable: false,
    sentence: 'The enhancement was not approved, so nothing was charged.',
    remedy: 'Enhance the file again with other settings, or a higher maxCredits.',
  },
  RATE_LIMITED: {
    httpStatus: 429,
    retryable: true,
    sentence: 'The account sends too many requests.',
    remedy: 'Wait for the seconds in Retry-After, and try again.',
  },
  STORAGE_LIMIT: {
    // Not 507: clients and load balancers take a 5xx for an outage, and repeat the request.
    httpStatus: 403,
    retryable: false,
    sentence: 'The account stores as many bytes as its plan allows.',
    remedy: 'Delete uploads, shorten the retention, or ask the operator for a larger plan.',
  },
  PROVIDER_UNAVAILABLE: {
    httpStatus: 503,
    retryable: true,
    sentence: 'The enhancement service cannot be reached.',
    remedy: 'Try again in a few minutes.',
  },
  PROVIDER_REJECTED: {
    httpStatus: 502,
    retryable: false,
    sentence: 'The enhancement service refused the request.',
    remedy: 'Try other settings.',
  },
  ORIGINAL_MISSING: {
    httpStatus: 410,
    retryable: false,
    sentence: 'The original is no longer in storage.',
    remedy: 'Send the file again.',
  },
  ORIGINAL_DAMAGED: {
    httpStatus: 500,
    retryable: false,
    sentence: 'The stored original is damaged: its bytes no longer match their SHA-256. Nothing is charged.',
    remedy: 'Send the file again, and tell the operator of this instance.',
  },
  RESULT_DAMAGED: {
    httpStatus: 500,
    retryable: false,
    sentence: 'The stored result is damaged: its bytes no longer match their SHA-256.',
    remedy: 'Enhance the file again with the same parameters. Burnish repeats the work at no charge.',
  },
  UNAVAILABLE: {
    httpStatus: 503,
    retryable: true,
    sentence: 'A part of the service is unavailable.',
    remedy: 'Try again in a few seconds.',
  },
  INTERNAL: {
    httpStatus: 500,
    retryable: true,
    sentence: 'An internal error occurred.',
    remedy: 'Try again. If it happens again, give the operator of this instance the request id.',
  },
} as const satisfies Record<string, { httpStatus: number; retryable: boolean; sentence: string; remedy: string }>;

export type FailureCode = keyof typeof FAILURES;

export const FAILURE_CODES = Object.keys(FAILURES) as [FailureCode, ...FailureCode[]];

export function isFailureCode(value: unknown): value is FailureCode {
  return typeof value === 'string' && Object.hasOwn(FAILURES, value);
}
