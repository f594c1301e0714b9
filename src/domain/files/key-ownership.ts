import { isId } from '../ids.ts';
import { uploadPrefix } from './object-keys.ts';

/** The owner of files, as their record names it. */
export interface FileOwner {
  accountId: string;
  uploadId: string;
}

/** One part of a key below an upload's prefix. */
const SEGMENT = /^[a-z0-9][a-z0-9_-]{0,99}$/;

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
