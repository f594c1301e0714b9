import { defineSearchAttributeKey } from '@temporalio/common';

/** The attributes by which a person finds workflows in the Temporal Web UI, with their types there. */
export const SEARCH_ATTRIBUTES = {
  BurnishAccountId: 'KEYWORD',
  BurnishUploadId: 'KEYWORD',
  BurnishStatus: 'KEYWORD',
  BurnishType: 'KEYWORD',
  BurnishEnhancementId: 'KEYWORD_LIST',
  BurnishEnhancementStatus: 'KEYWORD_LIST',
  BurnishReference: 'KEYWORD_LIST',
} as const;

export const SEARCH_ATTRIBUTE_NAMES = Object.keys(SEARCH_ATTRIBUTES) as readonly (keyof typeof SEARCH_ATTRIBUTES)[];

export const accountIdAttribute = defineSearchAttributeKey('BurnishAccountId', 'KEYWORD');
export const uploadIdAttribute = defineSearchAttributeKey('BurnishUploadId', 'KEYWORD');
/** Of the upload; once a PDF is received, of its analysis. Of a delivery: `PENDING`, `DELIVERED` or `FAILED` */
export const statusAttribute = defineSearchAttributeKey('BurnishStatus', 'KEYWORD');
/** `image`, `pdf` or `unknown` for uploads; `delivery` for webhooks */
export const typeAttribute = defineSearchAttributeKey('BurnishType', 'KEYWORD');
/** The newest enhancements of the upload, at most `MAX_LISTED_ENHANCEMENTS` */
export const enhancementIdAttribute = defineSearchAttributeKey('BurnishEnhancementId', 'KEYWORD_LIST');
/** Statuses that somebody looks for: of enhancements that wait for credits or a decision, failed, or were cancelled */
export const enhancementStatusAttribute = defineSearchAttributeKey('BurnishEnhancementStatus', 'KEYWORD_LIST');
/** References that the caller gave to the upload and to its enhancements */
export const referenceAttribute = defineSearchAttributeKey('BurnishReference', 'KEYWORD_LIST');

/** The server takes at most 2 kB for one attribute. */
export const MAX_LISTED_ENHANCEMENTS = 40;
const MAX_LISTED_REFERENCE_BYTES = 1_900;
/** Bytes that a value takes beside its text: quotes and comma, and escapes of signs. */
const REFERENCE_FRAME_BYTES = 3;

/**
 * The references for the search attribute: the first, which is that of the upload where it has one, and the newest as far as
 * they fit.
 * @param references oldest first
 */
export function listedReferences(references: readonly string[]): string[] {
  const [first, ...others] = new Set(references);
  if (first === undefined) return [];
  let left = MAX_LISTED_REFERENCE_BYTES - referenceBytes(first);
  const newest: string[] = [];
  for (const reference of others.reverse()) {
    left -= referenceBytes(reference);
    if (left < 0) break;
    newest.unshift(reference);
  }
  return [first, ...newest];
}

/** At most: three bytes for a UTF-16 unit beyond ASCII, two for a sign that JSON escapes. */
function referenceBytes(reference: string): number {
  let bytes = REFERENCE_FRAME_BYTES;
  for (let at = 0; at < reference.length; at += 1) bytes += reference.charCodeAt(at) > 0x7f ? 3 : 2;
  return bytes;
}
