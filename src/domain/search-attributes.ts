import { defineSearchAttributeKey } from '@temporalio/common';

/** What a person finds workflows by in the Temporal Web UI. All are of type Keyword. */
export const SEARCH_ATTRIBUTE_NAMES = ['BurnishAccountId', 'BurnishUploadId', 'BurnishStatus', 'BurnishType'] as const;

export const accountIdAttribute = defineSearchAttributeKey('BurnishAccountId', 'KEYWORD');
export const uploadIdAttribute = defineSearchAttributeKey('BurnishUploadId', 'KEYWORD');
export const statusAttribute = defineSearchAttributeKey('BurnishStatus', 'KEYWORD');
/** `image`, `pdf` or `unknown` for uploads; `delivery` for webhooks */
export const typeAttribute = defineSearchAttributeKey('BurnishType', 'KEYWORD');
