/** Where an account's files lie in storage: everything of an upload under one prefix, so that one deletion removes all. */
export const uploadPrefix = (accountId: string, uploadId: string): string => `${accountId}/${uploadId}`;

export const originalKey = (accountId: string, uploadId: string): string =>
  `${uploadPrefix(accountId, uploadId)}/original`;

export const resultKey = (accountId: string, uploadId: string, enhancementId: string): string =>
  `${uploadPrefix(accountId, uploadId)}/${enhancementId}`;
