import { expect, test } from '@jest/globals';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway();

/** Callers rely on the status of each code, and on whether a repetition can succeed. */
const CODES: Record<string, { fails: string[]; canSucceedLater?: string[] }> = {
  '400': { fails: ['BAD_USER_INPUT'] },
  '401': { fails: ['UNAUTHENTICATED'] },
  '402': { fails: [], canSucceedLater: ['INSUFFICIENT_CREDITS'] },
  '403': { fails: ['FORBIDDEN', 'ACCOUNT_SUSPENDED', 'SIGNED_URL_EXPIRED', 'SIGNED_URL_USED', 'STORAGE_LIMIT'] },
  '404': { fails: ['NOT_FOUND'] },
  '408': { fails: [], canSucceedLater: ['REQUEST_TIMEOUT'] },
  '409': {
    fails: ['CONFLICT', 'APPROVAL_REJECTED', 'DESTINATION_CANCELLED'],
    canSucceedLater: ['IDEMPOTENCY_KEY_IN_FLIGHT', 'PDF_NOT_ANALYZED'],
  },
  '410': { fails: ['ORIGINAL_MISSING', 'UPLOAD_EXPIRED'] },
  '413': { fails: ['FILE_TOO_LARGE'] },
  '415': { fails: ['UNSUPPORTED_MEDIA_TYPE'] },
  '422': {
    fails: [
      ...['IDEMPOTENCY_KEY_REUSED', 'FILE_TOO_SMALL', 'UPLOAD_MISMATCH', 'URL_NOT_ALLOWED', 'CORRUPT_FILE'],
      ...['ENCRYPTED_PDF', 'WRONG_PASSWORD', 'SIGNED_PDF', 'NOT_ARCHIVABLE', 'RESULT_TOO_LARGE', 'TOO_MANY_PIXELS'],
      'PROCESSING_LIMIT',
      ...['TARGET_RESOLUTION_EXCEEDS_PLAN', 'SOURCE_MISSING', 'BUCKET_REFUSED', 'DESTINATION_REFUSED'],
    ],
    canSucceedLater: ['URL_FETCH_FAILED'],
  },
  '429': { fails: [], canSucceedLater: ['RATE_LIMITED'] },
  '500': { fails: ['ORIGINAL_DAMAGED', 'RESULT_DAMAGED'], canSucceedLater: ['INTERNAL'] },
  '502': { fails: ['PROVIDER_REJECTED'] },
  '503': { fails: [], canSucceedLater: ['PROVIDER_UNAVAILABLE', 'DESTINATION_UNAVAILABLE', 'UNAVAILABLE'] },
};
const ROWS = Object.entries(CODES).flatMap(([status, { fails, canSucceedLater = [] }]) => [
  ...fails.map((code) => [code, status, 'cannot'] as const),
  ...canSucceedLater.map((code) => [code, status, 'can'] as const),
]);

test('/docs/errors lists these codes and no others', async () => {
  const page = await (await gateway.fetch('/docs/errors')).text();
  const codes = new Set([...page.matchAll(/\/docs\/errors\/([A-Z_]+)/g)].map(([, code]) => code));
  expect([...codes].toSorted()).toEqual(ROWS.map(([code]) => code).toSorted());
});

test.each(ROWS)('%s has status %s, and the same request %s succeed later', async (code, status, verb) => {
  const page = await (await gateway.fetch(`/docs/errors/${code}`)).text();
  expect(page.replaceAll(/\s+/g, ' ')).toContain(`HTTP status ${status}. The same request ${verb} succeed later.`);
});
