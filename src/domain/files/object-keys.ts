import { isId } from '../ids.ts';

/** One part of a key. */
const SEGMENT = /^[a-z0-9][a-z0-9_-]{0,99}$/;
const MAX_KEY_LENGTH = 400;
const MAX_SEGMENTS = 8;

/**
 * Checks a key such as `acc_x/upl_y/original`: one to eight segments of lower-case letters, digits, `_` and `-`.
 * No dot, so that no key climbs out of its root or meets a store's own files; no upper case, so that two keys
 * never meet on a file system that ignores case.
 * @throws Error, since keys are made by us and a bad one is a fault of the program
 */
export function assertObjectKey(key: string): void {
  const segments = key.slice(0, MAX_KEY_LENGTH + 1).split('/');
  const valid =
    key.length <= MAX_KEY_LENGTH &&
    segments.length <= MAX_SEGMENTS &&
    segments.every((segment) => SEGMENT.test(segment));
  if (!valid) {
    throw new Error(
      `Expected an object key such as acc_x/upl_y/original but received ${JSON.stringify(key.slice(0, 80))}`,
    );
  }
}

/** Keys of an account's files in storage: all files of an upload have one prefix, so that one deletion removes all. */
export const uploadPrefix = (accountId: string, uploadId: string): string => `${accountId}/${uploadId}`;

export const originalKey = (accountId: string, uploadId: string): string =>
  `${uploadPrefix(accountId, uploadId)}/original`;

/** Where a caller may put the original straight into storage; it counts once it has been taken from there. */
export const incomingKey = (accountId: string, uploadId: string): string =>
  `${uploadPrefix(accountId, uploadId)}/incoming`;

/** Rises when the form or the meaning of facts changes: those of another format are found out again. */
export const FACTS_FORMAT = 5;

/** What the analysis found out about an original, for the work on it that follows. */
export const factsKey = (objectKey: string): string => `${objectKey}/facts-${FACTS_FORMAT}`;

/** Everything that is kept while a result is being made lies below it. */
export const workPrefix = (key: string): string => `${key}/work`;

export const resultKey = (accountId: string, uploadId: string, enhancementId: string): string =>
  `${uploadPrefix(accountId, uploadId)}/${enhancementId}`;

/** What people look at of an upload: small copies of its pictures and lists of them, which go with it. */
export const previewKey = (accountId: string, uploadId: string, name: string): string =>
  `${uploadPrefix(accountId, uploadId)}/previews/${name}`;

/** The owner of files, as their record names it. */
export interface FileOwner {
  accountId: string;
  uploadId: string;
}

/** Whether a key lies below the prefix of an upload: no key of another upload, no prefix itself, and none of another form. */
export function isKeyOf({ accountId, uploadId }: FileOwner, key: string): boolean {
  const prefix = `${uploadPrefix(accountId, uploadId)}/`;
  if (!isId('acc', accountId) || !isId('upl', uploadId) || !key.startsWith(prefix)) return false;
  const segments = key.slice(prefix.length).split('/');
  return segments.every((segment) => SEGMENT.test(segment));
}

/** The owner that a key itself names; undefined for a text that is no key of a file. */
export function ownerIn(key: string): FileOwner | undefined {
  const [accountId = '', uploadId = ''] = key.split('/', 2);
  const owner = { accountId, uploadId };
  return isKeyOf(owner, key) ? owner : undefined;
}

/**
 * Checks that a key from outside, such as one that a workflow's input names, belongs to the upload that it is used for.
 * @throws Error for any other key; a fault of the program, or an attack
 */
export function assertKeyOf(owner: FileOwner, key: string): void {
  if (isKeyOf(owner, key)) return;
  const { accountId, uploadId } = owner;
  throw new Error(
    `Expected an object key of upload ${JSON.stringify(uploadId.slice(0, 40))} of account ` +
      `${JSON.stringify(accountId.slice(0, 40))} but received ${JSON.stringify(key.slice(0, 120))}.`,
  );
}
