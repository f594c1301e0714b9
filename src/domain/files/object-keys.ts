import { FACTS_FORMAT, isId } from '@burnish/contract';

const SEGMENT = /^[a-z0-9][a-z0-9_-]{0,99}$/;
const MAX_KEY_LENGTH = 400;
const MAX_SEGMENTS = 8;

/**
 * Checks a key such as `acc_x/upl_y/original`: one to eight segments of lower-case letters, digits, `_` and `-`. Dots are
 * forbidden, so that no key leaves its root or matches a store's own files. Upper case is forbidden, so that two keys never
 * collide on a file system that ignores case.
 * @throws Error, because Burnish creates all keys, and an invalid one is a bug
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

/** Prefix of an upload's files in storage. All files of an upload share it, so that one deletion removes them all. */
export const uploadPrefix = (accountId: string, uploadId: string): string => `${accountId}/${uploadId}`;

export const originalKey = (accountId: string, uploadId: string): string =>
  `${uploadPrefix(accountId, uploadId)}/original`;

export const isOriginal = (key: string): boolean => key.endsWith('/original');

/** Key under which a caller may put the original directly into storage. The upload uses the file once it is moved from there. */
export const incomingKey = (accountId: string, uploadId: string): string =>
  `${uploadPrefix(accountId, uploadId)}/incoming`;

/** Key of the analysis facts of an original, for later work on it. */
export const factsKey = (objectKey: string): string => `${objectKey}/facts-${FACTS_FORMAT}`;

/** Prefix of the intermediate files of a result, and of the parts of an original that arrives in parts. */
export const workPrefix = (key: string): string => `${key}/work`;

/** Key of a part of a resumable upload. The part starts at a byte of the original, and each attempt to store it has another name. */
export const partKey = (accountId: string, uploadId: string, start: number, attempt: string): string =>
  `${workPrefix(originalKey(accountId, uploadId))}/part-${start}-${attempt}`;

/** Key of the plan and the results of a large PDF. It names the format of the facts in the plan, and the plan's digest. */
export const workKey = (resultKey: string, planDigest: string): string =>
  `${workPrefix(resultKey)}/${FACTS_FORMAT}-${planDigest.slice(0, 16)}`;

/** Returns the format of the facts in a plan; 0 for the key of a version that did not name it. */
export const factsFormatIn = (key: string): number => Number(/\/(\d+)-[0-9a-f]+$/.exec(key)?.[1] ?? 0);

/** First digits of the SHA-256 of a plan, from its key; undefined for any other key. */
export const planDigestIn = (key: string): string | undefined => /\/\d+-([0-9a-f]{16})\/plan$/.exec(key)?.[1];

export const resultKey = (accountId: string, uploadId: string, enhancementId: string): string =>
  `${uploadPrefix(accountId, uploadId)}/${enhancementId}`;

/** Key of a preview: a small copy of a picture, or a list of pictures. It is deleted with its upload. */
export const previewKey = (accountId: string, uploadId: string, name: string): string =>
  `${uploadPrefix(accountId, uploadId)}/previews/${name}`;

export interface FileOwner {
  accountId: string;
  uploadId: string;
}

/** Whether a key is below the prefix of an upload. False for keys of another upload, for the prefix itself, and for malformed keys. */
export function ownsKey({ accountId, uploadId }: FileOwner, key: string): boolean {
  const prefix = `${uploadPrefix(accountId, uploadId)}/`;
  if (!isId('acc', accountId) || !isId('upl', uploadId) || !key.startsWith(prefix)) return false;
  const segments = key.slice(prefix.length).split('/');
  return segments.every((segment) => SEGMENT.test(segment));
}

/** Returns the account that a key belongs to. */
export const accountIn = (key: string): string => key.split('/', 1)[0]!;

/** Extracts the owner from a key; undefined for a text that is no valid key. */
export function ownerIn(key: string): FileOwner | undefined {
  const [accountId = '', uploadId = ''] = key.split('/', 2);
  const owner = { accountId, uploadId };
  return ownsKey(owner, key) ? owner : undefined;
}
