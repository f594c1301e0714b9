import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { createUrlSigner } from '../../src/storage/signed-url.ts';
import { oneKey } from '../support/signing-keys.ts';
import { expectNamed } from '../support/expect-named.ts';

const NOW = Date.UTC(2030, 0, 1);
const HOUR = 60 * 60 * 1000;
const secret = 'a secret of enough bytes';
const signer = createUrlSigner({ keys: oneKey(secret), now: () => NOW });
const signed = signer.sign('/files/enh_1', { purpose: 'download', size: 42 }, NOW + HOUR);

describe('a signed URL', () => {
  it('returns the path and claims that it signs', () => {
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
  ])('depends on the time: %s', (_, now, ok) => {
    expect(createUrlSigner({ keys: oneKey(secret), now: () => now }).verify(signed)).toMatchObject(
      ok ? { ok } : { ok, reason: 'expired' },
    );
  });

  it.each([
    ['another path', signed.replace('enh_1', 'enh_2'), 'altered'],
    [
      'another secret',
      createUrlSigner({ keys: oneKey(secret.toUpperCase()), now: () => NOW }).sign('/f', {}, NOW + 1),
      'altered',
    ],
    ['the tag of another token', mixed(), 'altered'],
    ['a parameter more', `${signed}&download=1`, 'malformed'],
    ['a parameter before', signed.replace('?', '?a=b&'), 'malformed'],
    ['a fragment', `${signed}#x`, 'malformed'],
    ['no token', '/files/enh_1', 'malformed'],
    ['an empty token', '/files/enh_1?token=', 'malformed'],
    ['no payload', signed.slice(0, signed.indexOf('.')), 'malformed'],
    ['a part of a token', signed.slice(0, -20), 'altered'],
    ['less than a tag', signed.slice(0, signed.indexOf('.') + 10), 'altered'],
    ['a line feed at the end', `${signed}\n`, 'malformed'],
    ['an address in front', `http://127.0.0.1${signed}`, 'malformed'],
    ['nothing', '', 'malformed'],
    ['a huge token', `/f?token=${'a'.repeat(5000)}.b`, 'malformed'],
  ])('refuses %s', (_, url, reason) => {
    expect(signer.verify(url)).toEqual({ ok: false, reason });
  });

  function mixed(): string {
    const other = signer.sign('/files/enh_1', { purpose: 'download', size: 43 }, NOW + HOUR);
    const tagEnd = '/files/enh_1?token=0.'.length + 20;
    return `${other.slice(0, tagEnd)}${signed.slice(tagEnd)}`;
  }

  it('is the same for the same claims, and shows nothing of them', () => {
    const claims = { purpose: 'download', size: 42 };
    expect(signer.sign('/files/enh_1', claims, NOW + HOUR)).toBe(signed);
    const others = [
      signer.sign('/files/enh_2', claims, NOW + HOUR),
      signer.sign('/files/enh_1', { ...claims, size: 43 }, NOW + HOUR),
      signer.sign('/files/enh_1', claims, NOW + HOUR + 1),
    ];
    const bytes = [signed, ...others].map((url) => Buffer.from(url.split('token=0.')[1]!, 'base64url'));
    expect(Buffer.concat(bytes).toString('latin1')).not.toMatch(/download|size|claims|expires/);
    // The initialization vector and everything after it differ: no two payloads share a key stream.
    for (const other of bytes.slice(1)) {
      const equal = other.filter((byte, index) => byte === bytes[0]![index]).length;
      expect(equal).toBeLessThan(bytes[0]!.byteLength / 4);
    }
  });

  it('is made once for the same claims: to ask again costs a fraction of the time', () => {
    const timeOf = (ask: (index: number) => string): number => {
      const from = process.cpuUsage();
      for (let index = 0; index < 500; index += 1) ask(index);
      return process.cpuUsage(from).user;
    };
    const keys = oneKey(secret)();
    const own = createUrlSigner({ keys: () => keys, now: () => NOW });
    const asked = (size: number) => own.sign('/files/enh_1', { key: 'k'.repeat(60), size }, NOW + HOUR);
    const [first, again] = [timeOf(asked), timeOf(asked)];
    expect(again).toBeLessThan(first / 3);
  });

  // Addresses stay valid for a day: a new version of the service must read those of the last one.
  it.each([
    [
      '/files/enh_1',
      { purpose: 'download', size: 42 },
      'iWugaWT1FRZMKx8Vmn6iE25R-aIw206yNZ_YQWxJ1R8x2sXrWl0r4PryFW41mRSXmjnZhtEXX_xfVLLmmgaIK82yxKDefJoKJt4TuOgHxMePBQBAk9dp',
    ],
    [
      '/uploads/upl_0123456789abcdef',
      { size: 1, type: 'image/jpeg' },
      'QxaE6i7Oi8sTAkrm0oGwrE6kxEgmug0tXX5TiuFq6SwiqnuTDQBiWKbqIjVfZ49yR2gjhh1jY55RueZqNEOL2K_izfNkyETbeYUTvJW4ta3Ivy_1oA',
    ],
  ])('of %s is the same in every version', (path, claims, sealed) => {
    const url = `${path}?token=0.${sealed}`;
    expect(signer.sign(path, claims, NOW + HOUR)).toBe(url);
    expect(signer.verify(url)).toEqual({ ok: true, path, claims, expiresAtMs: NOW + HOUR });
  });

  it('is refused after a change of any single bit', () => {
    const bytes = Buffer.from(signed);
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const altered = Buffer.from(bytes);
      altered[bit >> 3]! ^= 1 << (bit & 7);
      expectNamed(signer.verify(altered.toString('latin1')).ok, `bit ${bit}`).toBe(false);
    }
  });

  it('is refused for any other text, whatever its path and claims', () => {
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

  it.each(['no-slash', '/a?b=c', '/a#b', '/a\nb', ''])('cannot be made for path %j', (path) => {
    expect(() => signer.sign(path, {}, NOW)).toThrow('Expected a path');
  });

  it('cannot be made for claims that its check refuses', () => {
    expect(() => signer.sign('/a', { long: 'x'.repeat(2000) }, NOW)).toThrow('short claims');
    expect(() => signer.sign('/a', { size: Number.NaN }, NOW)).toThrow();
    expect(() => signer.sign('/a', {}, Number.POSITIVE_INFINITY)).toThrow();
  });

  describe('a signed URL with a replaced key', () => {
    const old = { id: '0', secret: Buffer.from(secret), signsFromMs: 0 };
    const fresh = { id: 'f00d', secret: Buffer.from('another secret of enough bytes'), signsFromMs: NOW + 60_000 };
    const at = (nowMs: number, keys = [old, fresh]) => createUrlSigner({ keys: () => keys, now: () => nowMs });
    const keyIdOf = (url: string): string => url.split('?token=')[1]!.split('.')[0]!;
    const DAY = 24 * HOUR;

    it('is signed by the new key once every process has had time to load it', () => {
      expect(keyIdOf(at(NOW + 59_999).sign('/f', {}, NOW + HOUR))).toBe('0');
      const url = at(NOW + 60_000).sign('/f', {}, NOW + HOUR);
      expect(keyIdOf(url)).toBe('f00d');
      expect(at(NOW + 50_000).verify(url)).toMatchObject({ ok: true });
    });

    it('is valid until it expires', () => {
      const url = at(NOW).sign('/f', {}, NOW + DAY);
      expect(at(NOW + DAY - 1).verify(url)).toMatchObject({ ok: true });
      expect(at(NOW + DAY).verify(url)).toEqual({ ok: false, reason: 'expired' });
    });

    it('is refused if its key is unknown or expired', () => {
      const url = at(NOW).sign('/f', {}, NOW + 1000 * DAY);
      expect(at(NOW + 60_000, [fresh]).verify(url)).toEqual({ ok: false, reason: 'unknown-key' });
      expect(at(NOW + 60_000 + DAY).verify(url)).toEqual({ ok: false, reason: 'unknown-key' });
      expect(at(NOW).verify(url.replace('token=0.', 'token=beef.'))).toEqual({ ok: false, reason: 'unknown-key' });
      expect(at(NOW).verify(url.replace('token=0.', 'token=f00d.'))).toEqual({ ok: false, reason: 'altered' });
    });
  });
});
