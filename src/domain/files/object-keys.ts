/** Where an account's files lie in storage: everything of an upload under one prefix, so that one deletion removes all. */
export const uploadPrefix = (accountId: string, uploadId: string): string => `${accountId}/${uploadId}`;

export const originalKey = (accountId: string, uploadId: string): string =>
  `${uploadPrefix(accountId, uploadId)}/original`;

/** Where a caller may put the original straight into storage; it counts once it has been taken from there. */
export const incomingKey = (accountId: string, uploadId: string): string =>
  `${uploadPrefix(accountId, uploadId)}/incoming`;

/** Rises when the form or the meaning of facts changes: those of another format are found out again. */
export const FACTS_FORMAT = 4;

/** What the analysis found out about an original, for the work on it that follows. */
export const factsKey = (objectKey: string): string => `${objectKey}/facts-${FACTS_FORMAT}`;

/** Everything that is kept while a result is being made lies below it. */
export const workPrefix = (key: string): string => `${key}/work`;

export const resultKey = (accountId: string, uploadId: string, enhancementId: string): string =>
  `${uploadPrefix(accountId, uploadId)}/${enhancementId}`;

/** What people look at of an upload: small copies of its pictures and lists of them, which go with it. */
export const previewKey = (accountId: string, uploadId: string, name: string): string =>
  `${uploadPrefix(accountId, uploadId)}/previews/${name}`;
