import { defineSearchAttributeKey } from '@temporalio/common';
import { WAITING_FOR, type WaitingFor } from '@burnish/contract';

export const SEARCH_ATTRIBUTES = {
  BurnishAccountId: 'KEYWORD',
  BurnishUploadId: 'KEYWORD',
  BurnishStatus: 'KEYWORD',
  BurnishType: 'KEYWORD',
  BurnishEnhancementId: 'KEYWORD_LIST',
  BurnishEnhancementStatus: 'KEYWORD_LIST',
  BurnishReference: 'KEYWORD_LIST',
  BurnishWaitingFor: 'KEYWORD',
  BurnishErrorCode: 'KEYWORD',
  BurnishFileName: 'KEYWORD',
} as const;

export const SEARCH_ATTRIBUTE_NAMES = Object.keys(SEARCH_ATTRIBUTES) as readonly (keyof typeof SEARCH_ATTRIBUTES)[];

export const accountIdAttribute = defineSearchAttributeKey('BurnishAccountId', 'KEYWORD');
export const uploadIdAttribute = defineSearchAttributeKey('BurnishUploadId', 'KEYWORD');
/** Status of the upload, or of the analysis of a received PDF. For a delivery: `PENDING`, `DELIVERED` or `FAILED` */
export const statusAttribute = defineSearchAttributeKey('BurnishStatus', 'KEYWORD');
/** `image`, `pdf` or `unknown` for uploads; `delivery` for webhooks */
export const typeAttribute = defineSearchAttributeKey('BurnishType', 'KEYWORD');
/** The newest enhancements of the upload, at most `MAX_LISTED_ENHANCEMENTS` */
export const enhancementIdAttribute = defineSearchAttributeKey('BurnishEnhancementId', 'KEYWORD_LIST');
/** Statuses of enhancements that wait for credits or a decision, failed, or were cancelled */
export const enhancementStatusAttribute = defineSearchAttributeKey('BurnishEnhancementStatus', 'KEYWORD_LIST');
/** The caller's references of the upload and of its enhancements */
export const referenceAttribute = defineSearchAttributeKey('BurnishReference', 'KEYWORD_LIST');
/** What the upload or one of its enhancements waits for at present, or `nothing`. Absent for workflows of earlier releases */
export const waitingForAttribute = defineSearchAttributeKey('BurnishWaitingFor', 'KEYWORD');
/** The newest error code of the upload or of one of its enhancements */
export const errorCodeAttribute = defineSearchAttributeKey('BurnishErrorCode', 'KEYWORD');
/** The original file name; only with `BURNISH_SEARCH_NAMES=on` */
export const fileNameAttribute = defineSearchAttributeKey('BurnishFileName', 'KEYWORD');

/** The server accepts at most 2 kB per attribute. */
export const MAX_LISTED_ENHANCEMENTS = 40;
const MAX_LISTED_REFERENCE_BYTES = 1_900;
/** Extra bytes of a value: quotes, comma and escapes. */
const REFERENCE_FRAME_BYTES = 3;

/**
 * Selects references for the search attribute: the first one, which belongs to the upload if it has one, and as many of the
 * newest as fit.
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

/** A file name as the search attribute holds it: a column of a server on SQL has 255 characters. */
export const listedFileName = (name: string): string => [...name].slice(0, 255).join('');

/** The present wait of an upload for the search attribute, where machinery precedes people. */
export function listedWait(waits: Iterable<WaitingFor | null>): string {
  const present = new Set(waits);
  return WAITING_FOR.find((each) => present.has(each)) ?? 'nothing';
}

/** Upper bound: three bytes per UTF-16 unit beyond ASCII, two per other character, as JSON may escape it. */
function referenceBytes(reference: string): number {
  let bytes = REFERENCE_FRAME_BYTES;
  for (let at = 0; at < reference.length; at += 1) bytes += reference.charCodeAt(at) > 0x7f ? 3 : 2;
  return bytes;
}
