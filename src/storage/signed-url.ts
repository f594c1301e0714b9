import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { goodKeysAt, KEY_LEAD_MS, signingKeyAt, type SigningKey } from '../domain/files/signing-key.ts';
import { runAtInterval } from '../process/run-at-interval.ts';
import { createAesSiv, type AesSiv } from './aes-siv.ts';

const MAX_TOKEN_LENGTH = 2048;
/** Maximum number of URLs that a key remembers: events and polls of running work ask for the same ones. */
const MAX_REMEMBERED = 2_000;
/** Part of every derived key, so that the secret can also serve other purposes. */
const PURPOSE = 'burnish signed url 4';

/** Additional sealed values, such as an upload's size and type. A holder of the URL cannot read them. */
export type SignedClaims = Record<string, string | number>;

export type SignedUrlVerdict =
  { ok: true; path: string; claims: SignedClaims; expiresAtMs: number } | { ok: false; reason: RefusalReason };
type RefusalReason = 'malformed' | 'unknown-key' | 'altered' | 'expired';

export interface UrlSigner {
  /**
   * Signs a path (no query) with claims, until `expiresAtMs` (epoch milliseconds, exclusive). The same arguments give
   * the same URL until the signing key changes.
   * @returns the path with its query, to append to the public address
   * @throws Error for a path with a query, a token longer than `verify` accepts, or a number that is not finite
   */
  sign(path: string, claims: SignedClaims, expiresAtMs: number): string;
  /** Verifies path and query as received, byte for byte. Any altered, missing or added bit is refused. */
  verify(pathAndQuery: string): SignedUrlVerdict;
}

/** Path, id of the key, and sealed payload */
const TOKEN_FORM = /^(\/[^?#\n]*)\?token=([0-9a-z]{1,16})\.([\w-]+)$/;

const payloadSchema = z.strictObject({
  claims: z.record(z.string(), z.union([z.string(), z.number()])),
  expiresAtMs: z.number(),
});

/**
 * Signs short-lived URLs. A token contains the id of its key and the payload, encrypted by AES-SIV (RFC 5297) and bound to the path:
 * equal payloads give equal tokens, and nothing else about a payload is visible.
 * @param deps.keys the current keys of the instance, one or more
 * @param deps.now epoch milliseconds
 */
export function createUrlSigner(deps: { keys: () => readonly SigningKey[]; now: () => number }): UrlSigner {
  return {
    sign(path, claims, expiresAtMs) {
      const key = signingKeyAt(deps.keys(), deps.now());
      const { signed } = stateOf(key);
      const asked = `${path}\n${JSON.stringify([claims, expiresAtMs])}`;
      const known = signed.get(asked);
      if (known !== undefined) return known;
      const payload = JSON.stringify(payloadSchema.parse({ claims, expiresAtMs }));
      const token = `${key.id}.${seal(key, path, Buffer.from(payload)).toString('base64url')}`;
      if (!/^\/[^?#\n]*$/.test(path) || token.length > MAX_TOKEN_LENGTH) {
        throw new Error('Expected a path without a query and short claims to sign.');
      }
      const url = `${path}?token=${token}`;
      signed.set(asked, url);
      if (signed.size > MAX_REMEMBERED) signed.delete(signed.keys().next().value!);
      return url;
    },

    verify(pathAndQuery) {
      const [, path, keyId, text] = TOKEN_FORM.exec(pathAndQuery) ?? [];
      if (path === undefined || text === undefined || text.length > MAX_TOKEN_LENGTH) return refused('malformed');
      const key = goodKeysAt(deps.keys(), deps.now()).find(({ id }) => id === keyId);
      if (key === undefined) return refused('unknown-key');
      const payload = open(key, path, text);
      if (payload === undefined) return refused('altered');
      const { claims, expiresAtMs } = payloadSchema.parse(JSON.parse(payload.toString()));
      return deps.now() < expiresAtMs ? { ok: true, path, claims, expiresAtMs } : refused('expired');
    },
  };
}

/** Interval between reads, milliseconds: four reads before a new key signs its first token. */
const READ_MS = KEY_LEAD_MS / 4;

export interface SigningKeyWatch {
  keys(): readonly SigningKey[];
  close(): Promise<void>;
}

/** Polls the keys of a signer, because another process of the instance may replace them. */
export async function watchSigningKeys(
  signingKeys: { list(): Promise<SigningKey[]> },
  log: { warn(facts: object, message: string): void },
): Promise<SigningKeyWatch> {
  let keys = await signingKeys.list();
  const readAgain = (): Promise<void> =>
    signingKeys.list().then(
      (read) => void (keys = read.map((each) => keys.find((known) => isSame(known, each)) ?? each)),
      (error: unknown) => log.warn({ err: error }, 'the keys that sign addresses could not be read again'),
    );
  return { keys: () => keys, close: runAtInterval(READ_MS, readAgain, false) };
}

/** Whether a key that was read again is the same: the known one keeps what it has made. */
const isSame = (known: SigningKey, read: SigningKey): boolean =>
  known.id === read.id && known.signsFromMs === read.signsFromMs && Buffer.compare(known.secret, read.secret) === 0;

/** @returns tag and encrypted payload */
function seal(key: SigningKey, path: string, payload: Buffer): Buffer {
  return stateOf(key).cipher.seal(Buffer.from(path), payload);
}

function open(key: SigningKey, path: string, text: string): Buffer | undefined {
  const sealed = Buffer.from(text, 'base64url');
  // Base64 has several spellings of the same bytes.
  if (sealed.toString('base64url') !== text) return undefined;
  return stateOf(key).cipher.open(Buffer.from(path), sealed);
}

/** What a key in use has made. To derive its cipher takes as long as to sign with it. */
interface KeyState {
  cipher: AesSiv;
  /** URLs by what they were asked for, oldest first */
  signed: Map<string, string>;
}

const states = new WeakMap<SigningKey, KeyState>();

function stateOf(key: SigningKey): KeyState {
  const known = states.get(key);
  if (known) return known;
  const cipher = createAesSiv(createHmac('sha512', key.secret).update(`${PURPOSE} ${key.id}`).digest());
  const state = { cipher, signed: new Map<string, string>() };
  states.set(key, state);
  return state;
}

function refused(reason: RefusalReason): SignedUrlVerdict {
  return { ok: false, reason };
}
