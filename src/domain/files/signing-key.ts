export interface SigningKey {
  /** Part of each token: 1 to 16 lower-case letters and digits */
  id: string;
  /** At least 16 bytes */
  secret: Uint8Array;
  /** Milliseconds since the epoch. Each process reads a new key before the first token with it can reach that process. */
  signsFromMs: number;
}

/** Maximum time until every process of an instance has read a new key, milliseconds. */
export const KEY_LEAD_MS = 60_000;
/** Maximum validity of a signed URL, milliseconds. */
const LONGEST_ADDRESS_MS = 24 * 3_600_000;
/** Time for which the URL of a file stays the same, milliseconds. */
const SAME_ADDRESS_MS = 3_600_000;

/**
 * Expiry of a file's URL, milliseconds since the epoch. It advances once an hour, counted from `sinceMs`, so that a
 * cache sees one URL an hour. A URL is valid for 23 to 24 hours when it is given out.
 * @param sinceMs time of the file, which spreads the changes over the hour
 */
export function fileExpiryAt(sinceMs: number, nowMs: number): number {
  const begun = Math.floor((nowMs - sinceMs) / SAME_ADDRESS_MS) * SAME_ADDRESS_MS;
  return sinceMs + begun + LONGEST_ADDRESS_MS;
}

/** Id of the first key of an instance. */
export const FIRST_KEY_ID = '0';

/**
 * Selects the signing key: the newest one that is already active.
 * @param keys one or more
 */
export function signingKeyAt(keys: readonly SigningKey[], nowMs: number): SigningKey {
  const newestFirst = keys.toSorted((a, b) => b.signsFromMs - a.signsFromMs);
  // Without an active key, the oldest key is the only one that every process has read.
  return newestFirst.find(({ signsFromMs }) => signsFromMs <= nowMs) ?? newestFirst.at(-1)!;
}

/** Selects the keys whose tokens are valid. A replaced key remains valid until the last URL that it signed has expired. */
export function goodKeysAt(keys: readonly SigningKey[], nowMs: number): SigningKey[] {
  const replacedLongAgo = (key: SigningKey): boolean =>
    keys.some(({ signsFromMs }) => signsFromMs > key.signsFromMs && nowMs >= signsFromMs + LONGEST_ADDRESS_MS);
  return keys.filter((key) => !replacedLongAgo(key));
}
