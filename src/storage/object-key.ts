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
