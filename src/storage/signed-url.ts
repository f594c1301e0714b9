import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

const MIN_SECRET_BYTES = 16;
const MAX_TOKEN_LENGTH = 2048;
/** Goes into every signature, so that the secret may sign other things elsewhere. */
const PURPOSE = 'burnish signed url 1';

/** What a signature vouches for besides the path, such as an upload's size and type. Any holder of the URL can read it. */
export type SignedClaims = Record<string, string | number>;

export type SignedUrlVerdict =
  | { ok: true; path: string; claims: SignedClaims; expiresAtMs: number }
  | { ok: false; reason: 'malformed' | 'altered' | 'expired' };

export interface UrlSigner {
  /**
   * Signs a path (no query) with claims, until `expiresAtMs` (epoch milliseconds, not included).
   * @returns the path with its query, to be put behind the public address
   * @throws Error when the path has a query or the token would be longer than `verify` takes, or when a number is not finite
   */
  sign(path: string, claims: SignedClaims, expiresAtMs: number): string;
  /** Checks path and query as they arrived, byte for byte. One altered, missing or added bit is refused. */
  verify(pathAndQuery: string): SignedUrlVerdict;
}

const payloadSchema = z.strictObject({
  claims: z.record(z.string(), z.union([z.string(), z.number()])),
  expiresAtMs: z.number(),
});

/**
 * Signs short-lived URLs with HMAC-SHA256.
 * @param deps.secret at least 16 bytes
 * @param deps.now epoch milliseconds
 */
export function createUrlSigner(deps: { secret: string | Uint8Array; now: () => number }): UrlSigner {
  if (Buffer.byteLength(deps.secret) < MIN_SECRET_BYTES) {
    throw new Error(`Expected a secret of at least ${MIN_SECRET_BYTES} bytes for signed URLs.`);
  }

  function signatureOf(path: string, payload: string): string {
    return createHmac('sha256', deps.secret).update(`${PURPOSE}\n${path}\n${payload}`).digest('base64url');
  }

  return {
    sign(path, claims, expiresAtMs) {
      const payload = Buffer.from(JSON.stringify(payloadSchema.parse({ claims, expiresAtMs }))).toString('base64url');
      const token = `${payload}.${signatureOf(path, payload)}`;
      if (!/^\/[^?#\n]*$/.test(path) || token.length > MAX_TOKEN_LENGTH) {
        throw new Error('Expected a path without a query and short claims to sign.');
      }
      return `${path}?token=${token}`;
    },

    verify(pathAndQuery) {
      const [, path, payload, signature] = /^(\/[^?#\n]*)\?token=([\w-]+)\.([\w-]+)$/.exec(pathAndQuery) ?? [];
      if (path === undefined || payload === undefined || signature === undefined) return refused('malformed');
      if (payload.length + signature.length > MAX_TOKEN_LENGTH) return refused('malformed');
      // Compared as text: two texts of one base64url may decode to the same bytes.
      if (!equalInConstantTime(signature, signatureOf(path, payload))) return refused('altered');
      const { claims, expiresAtMs } = payloadSchema.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
      return deps.now() < expiresAtMs ? { ok: true, path, claims, expiresAtMs } : refused('expired');
    },
  };
}

function refused(reason: 'malformed' | 'altered' | 'expired'): SignedUrlVerdict {
  return { ok: false, reason };
}

function equalInConstantTime(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}
