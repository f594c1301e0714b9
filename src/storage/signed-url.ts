import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { FIRST_KEY_ID, goodKeysAt, KEY_LEAD_MS, signingKeyAt, type SigningKey } from '../domain/files/signing-key.ts';

const MAX_TOKEN_LENGTH = 2048;
/** Part of every signature, so that the secret can also sign for other purposes. */
const PURPOSE = 'burnish signed url 2';
/** The purpose in tokens without a key id, signed by the first key of an instance */
const FIRST_PURPOSE = 'burnish signed url 1';

/** Additional signed values, such as an upload's size and type. Any holder of the URL can read them. */
export type SignedClaims = Record<string, string | number>;

export type SignedUrlVerdict =
  { ok: true; path: string; claims: SignedClaims; expiresAtMs: number } | { ok: false; reason: RefusalReason };
type RefusalReason = 'malformed' | 'unknown-key' | 'altered' | 'expired';

export interface UrlSigner {
  /**
   * Signs a path (no query) with claims, until `expiresAtMs` (epoch milliseconds, exclusive).
   * @returns the path with its query, to append to the public address
   * @throws Error for a path with a query, a token longer than `verify` accepts, or a number that is not finite
   */
  sign(path: string, claims: SignedClaims, expiresAtMs: number): string;
  /** Verifies path and query as received, byte for byte. Any altered, missing or added bit is refused. */
  verify(pathAndQuery: string): SignedUrlVerdict;
}

/** Path, id of the key (absent in older tokens), payload and signature */
const TOKEN_FORM = /^(\/[^?#\n]*)\?token=(?:([0-9a-z]{1,16})\.)?([\w-]+)\.([\w-]+)$/;

const payloadSchema = z.strictObject({
  claims: z.record(z.string(), z.union([z.string(), z.number()])),
  expiresAtMs: z.number(),
});

/**
 * Signs short-lived URLs with HMAC-SHA256. A token contains the id of its key.
 * @param deps.keys the current keys of the instance, one or more
 * @param deps.now epoch milliseconds
 */
export function createUrlSigner(deps: { keys: () => readonly SigningKey[]; now: () => number }): UrlSigner {
  return {
    sign(path, claims, expiresAtMs) {
      const payload = Buffer.from(JSON.stringify(payloadSchema.parse({ claims, expiresAtMs }))).toString('base64url');
      const key = signingKeyAt(deps.keys(), deps.now());
      const token = `${key.id}.${payload}.${computeSignature(key, path, payload)}`;
      if (!/^\/[^?#\n]*$/.test(path) || token.length > MAX_TOKEN_LENGTH) {
        throw new Error('Expected a path without a query and short claims to sign.');
      }
      return `${path}?token=${token}`;
    },

    verify(pathAndQuery) {
      const [, path, keyId, payload, signature] = TOKEN_FORM.exec(pathAndQuery) ?? [];
      if (path === undefined || payload === undefined || signature === undefined) return refused('malformed');
      if (payload.length + signature.length > MAX_TOKEN_LENGTH) return refused('malformed');
      const key = goodKeysAt(deps.keys(), deps.now()).find(({ id }) => id === (keyId ?? FIRST_KEY_ID));
      if (key === undefined) return refused('unknown-key');
      const expected = computeSignature(key, path, payload, keyId === undefined ? FIRST_PURPOSE : undefined);
      if (!equalInConstantTime(signature, expected)) return refused('altered');
      const { claims, expiresAtMs } = payloadSchema.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
      return deps.now() < expiresAtMs ? { ok: true, path, claims, expiresAtMs } : refused('expired');
    },
  };
}

/** Interval between reads, milliseconds: four reads before a new key signs its first token. */
const READ_MS = KEY_LEAD_MS / 4;

export interface KnownSigningKeys {
  keys(): readonly SigningKey[];
  close(): void;
}

/** Polls the keys of a signer, because another process of the instance may replace them. */
export async function knowSigningKeys(
  signingKeys: { list(): Promise<SigningKey[]> },
  log: { warn(facts: object, message: string): void },
): Promise<KnownSigningKeys> {
  let keys = await signingKeys.list();
  const readAgain = (): Promise<void> =>
    signingKeys.list().then(
      (read) => void (keys = read),
      (error: unknown) => log.warn({ err: error }, 'the keys that sign addresses could not be read again'),
    );
  const timer = setInterval(() => void readAgain(), READ_MS).unref();
  return { keys: () => keys, close: () => clearInterval(timer) };
}

function computeSignature(
  { id, secret }: SigningKey,
  path: string,
  payload: string,
  purpose = `${PURPOSE} ${id}`,
): string {
  return createHmac('sha256', secret).update(`${purpose}\n${path}\n${payload}`).digest('base64url');
}

function refused(reason: RefusalReason): SignedUrlVerdict {
  return { ok: false, reason };
}

function equalInConstantTime(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}
