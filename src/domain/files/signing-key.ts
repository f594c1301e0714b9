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
export const LONGEST_ADDRESS_MS = 24 * 3_600_000;

/** Id of the first key of an instance. It also signed the tokens from before keys had ids. */
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
