import { defineSearchAttributeKey } from '@temporalio/common';

/** The attributes by which a person finds workflows in the Temporal Web UI, with their types there. */
export const SEARCH_ATTRIBUTES = {
  BurnishAccountId: 'KEYWORD',
  BurnishUploadId: 'KEYWORD',
  BurnishStatus: 'KEYWORD',
  BurnishType: 'KEYWORD',
  BurnishEnhancementId: 'KEYWORD_LIST',
  BurnishEnhancementStatus: 'KEYWORD_LIST',
} as const;

export const SEARCH_ATTRIBUTE_NAMES = Object.keys(SEARCH_ATTRIBUTES) as readonly (keyof typeof SEARCH_ATTRIBUTES)[];

export const accountIdAttribute = defineSearchAttributeKey('BurnishAccountId', 'KEYWORD');
export const uploadIdAttribute = defineSearchAttributeKey('BurnishUploadId', 'KEYWORD');
/** Of the upload; once a PDF is received, its analysis */
export const statusAttribute = defineSearchAttributeKey('BurnishStatus', 'KEYWORD');
/** `image`, `pdf` or `unknown` for uploads; `delivery` for webhooks */
export const typeAttribute = defineSearchAttributeKey('BurnishType', 'KEYWORD');
/** The newest enhancements of the upload, at most `MAX_LISTED_ENHANCEMENTS` */
export const enhancementIdAttribute = defineSearchAttributeKey('BurnishEnhancementId', 'KEYWORD_LIST');
/** Statuses that somebody looks for: of enhancements that wait for credits or a decision, failed, or were cancelled */
export const enhancementStatusAttribute = defineSearchAttributeKey('BurnishEnhancementStatus', 'KEYWORD_LIST');

/** The server takes at most 2 kB for one attribute. */
export const MAX_LISTED_ENHANCEMENTS = 40;
