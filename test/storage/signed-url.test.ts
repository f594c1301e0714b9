import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createUrlSigner } from '../../src/storage/signed-url.ts';

const NOW = Date.UTC(2030, 0, 1);
const HOUR = 60 * 60 * 1000;
const secret = 'a secret of enough bytes';
const signer = createUrlSigner({ secret, now: () => NOW });
const signed = signer.sign('/files/enh_1', { purpose: 'download', size: 42 }, NOW + HOUR);

describe('signed URL', () => {
  it('gives back path and claims of what it signed', () => {
    expect(signer.verify(signed)).toEqual({
      ok: true,
      path: '/files/enh_1',
      claims: { purpose: 'download', size: 42 },
      expiresAtMs: NOW + HOUR,
    });
    expect(signed).toMatch(/^\/files\/enh_1\?token=[\w.-]+$/);
  });

  it.each([
    ['one millisecond before it expires', NOW + HOUR - 1, true],
    ['when it expires', NOW + HOUR, false],
    ['long after', NOW + 1000 * HOUR, false],
  ])('is judged by the time: %s', (_, now, ok) => {
    expect(createUrlSigner({ secret, now: () => now }).verify(signed)).toMatchObject(
      ok ? { ok } : { ok, reason: 'expired' },
    );
  });

  it.each([
    ['another path', signed.replace('enh_1', 'enh_2'), 'altered'],
    [
      'another secret',
      createUrlSigner({ secret: secret.toUpperCase(), now: () => NOW }).sign('/f', {}, NOW + 1),
      'altered',
    ],
    ['the claims of another token', mixed(), 'altered'],
    ['a parameter more', `${signed}&download=1`, 'malformed'],
    ['a parameter before', signed.replace('?', '?a=b&'), 'malformed'],
    ['a fragment', `${signed}#x`, 'malformed'],
    ['no token', '/files/enh_1', 'malformed'],
    ['an empty token', '/files/enh_1?token=', 'malformed'],
    ['no signature', signed.slice(0, signed.indexOf('.')), 'malformed'],
    ['half a signature', signed.slice(0, -20), 'altered'],
    ['a line feed at the end', `${signed}\n`, 'malformed'],
    ['an address in front', `http://127.0.0.1${signed}`, 'malformed'],
    ['nothing', '', 'malformed'],
    ['a huge token', `/f?token=${'a'.repeat(5000)}.b`, 'malformed'],
  ])('refuses %s', (_, url, reason) => {
    expect(signer.verify(url)).toEqual({ ok: false, reason });
  });

  function mixed(): string {
    const other = signer.sign('/files/enh_1', { purpose: 'download', size: 43 }, NOW + HOUR);
    return `${other.slice(0, other.indexOf('.'))}${signed.slice(signed.indexOf('.'))}`;
  }

  it('refuses every single bit altered anywhere in the URL', () => {
    const bytes = Buffer.from(signed);
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const altered = Buffer.from(bytes);
      altered[bit >> 3]! ^= 1 << (bit & 7);
      expect(signer.verify(altered.toString('latin1')).ok, `bit ${bit}`).toBe(false);
    }
  });

  it('refuses any other text, whatever its path and claims', () => {
    const path = fc.webPath().map((text) => `/${text.replace(/^\/+/, '')}`);
    const claims = fc.dictionary(
      fc.stringMatching(/^[a-z]{1,8}$/),
      fc.oneof(fc.string({ maxLength: 20 }), fc.integer()),
      {
        maxKeys: 5,
        noNullPrototype: true,
      },
    );
    fc.assert(
      fc.property(path, claims, fc.nat(), fc.nat(), (at, given, position, replacement) => {
        const url = signer.sign(at, given, NOW + 1);
        expect(signer.verify(url)).toEqual({ ok: true, path: at, claims: given, expiresAtMs: NOW + 1 });
        const characters = [...url];
        const place = position % characters.length;
        const character = String.fromCharCode(33 + (replacement % 94));
        fc.pre(characters[place] !== character);
        characters[place] = character;
        expect(signer.verify(characters.join('')).ok).toBe(false);
      }),
    );
  });

  it.each(['no-slash', '/a?b=c', '/a#b', '/a\nb', ''])('does not sign path %j', (path) => {
    expect(() => signer.sign(path, {}, NOW)).toThrow('Expected a path');
  });

  it('does not sign what it would not take back', () => {
    expect(() => signer.sign('/a', { long: 'x'.repeat(2000) }, NOW)).toThrow('short claims');
    expect(() => signer.sign('/a', { size: Number.NaN }, NOW)).toThrow();
    expect(() => signer.sign('/a', {}, Number.POSITIVE_INFINITY)).toThrow();
  });

  it('asks for a secret that cannot be guessed', () => {
    expect(() => createUrlSigner({ secret: 'short', now: () => NOW })).toThrow('at least 16 bytes');
  });
});
