/** A key that signs addresses of files. */
export interface SigningKey {
  /** Stands in each token: 1 to 16 lower-case letters and digits */
  id: string;
  /** At least 16 bytes */
  secret: Uint8Array;
  /** Milliseconds since the epoch. Each process reads a new key before the first token of it can reach that process. */
  signsFromMs: number;
}

/** Time in which every process of an instance reads a new key, milliseconds. */
export const KEY_LEAD_MS = 60_000;
/** No address is signed for longer, milliseconds. */
export const LONGEST_ADDRESS_MS = 24 * 3_600_000;

/** Id of the first key of an instance, which also signed the tokens from before keys had ids. */
export const FIRST_KEY_ID = '0';

/** The key that signs: the newest whose time has come. @param keys one or more */
export function signingKeyAt(keys: readonly SigningKey[], nowMs: number): SigningKey {
  const newestFirst = keys.toSorted((a, b) => b.signsFromMs - a.signsFromMs);
  // Where no key's time has come, the oldest is the only one that every process knows.
  return newestFirst.find(({ signsFromMs }) => signsFromMs <= nowMs) ?? newestFirst.at(-1)!;
}

/** The keys whose tokens are good. A replaced key is until the last address that it signed has expired. */
export function goodKeysAt(keys: readonly SigningKey[], nowMs: number): SigningKey[] {
  const replacedLongAgo = (key: SigningKey): boolean =>
    keys.some(({ signsFromMs }) => signsFromMs > key.signsFromMs && nowMs >= signsFromMs + LONGEST_ADDRESS_MS);
  return keys.filter((key) => !replacedLongAgo(key));
}
