import { isId } from '../ids.ts';
import { uploadPrefix } from './object-keys.ts';

/** What a record says about who owns its files. */
export interface FileOwner {
  accountId: string;
  uploadId: string;
}

/** One part of a key below an upload's prefix. */
const SEGMENT = /^[a-z0-9][a-z0-9_-]{0,99}$/;

/**
 * Checks that a key from outside, such as one that a workflow's input names, lies below the prefix of the upload that it is used for.
 * @throws Error for a key of another upload, a prefix itself, or a key of another form; a fault of the program, or an attack
 */
export function assertKeyOf({ accountId, uploadId }: FileOwner, key: string): void {
  const prefix = `${uploadPrefix(accountId, uploadId)}/`;
  const owned = isId('acc', accountId) && isId('upl', uploadId) && key.startsWith(prefix);
  if (
    owned &&
    key
      .slice(prefix.length)
      .split('/')
      .every((segment) => SEGMENT.test(segment))
  )
    return;
  throw new Error(
    `Expected an object key of upload ${JSON.stringify(uploadId.slice(0, 40))} of account ` +
      `${JSON.stringify(accountId.slice(0, 40))} but received ${JSON.stringify(key.slice(0, 120))}.`,
  );
}

/**
 * The owner that a key itself names, for activities whose input has a key and no record.
 * @throws Error when the key does not begin with an account and an upload
 */
export function ownerOfKey(key: string): FileOwner {
  const [accountId = '', uploadId = ''] = key.split('/', 2);
  const owner = { accountId, uploadId };
  assertKeyOf(owner, key);
  return owner;
}
