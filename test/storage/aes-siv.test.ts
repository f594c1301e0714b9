import { describe, expect, it } from '@jest/globals';
import { createAesSiv } from '../../src/storage/aes-siv.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** RFC 5297, appendix A.1 */
const RFC = {
  key: hex('fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0 f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff'),
  associated: hex('101112131415161718191a1b1c1d1e1f2021222324252627'),
  plain: hex('112233445566778899aabbccddee'),
  sealed: hex('85632d07c6e8f37f950acd320a2ecc93 40c02b9690c4dc04daef7f6afe5c'),
};

describe('AES-SIV', () => {
  it('gives the bytes of RFC 5297', () => {
    const cipher = createAesSiv(RFC.key);
    expect(cipher.seal(RFC.associated, RFC.plain)).toEqual(RFC.sealed);
    expect(cipher.open(RFC.associated, RFC.sealed)).toEqual(RFC.plain);
  });

  it.each([0, 1, 15, 16, 17, 31, 32, 33, 500])('opens %d bytes, bound to associated bytes of any length', (length) => {
    const cipher = createAesSiv(Buffer.alloc(64, 7));
    const plain = Buffer.alloc(length, 'a');
    for (const associated of [0, 15, 16, 17, 40].map((size) => Buffer.alloc(size, 'b'))) {
      const sealed = cipher.seal(associated, plain);
      expect(sealed.byteLength).toBe(16 + length);
      expect(cipher.open(associated, sealed)).toEqual(plain);
      expect(cipher.open(Buffer.concat([associated, Buffer.of(0)]), sealed)).toBeUndefined();
    }
  });

  it('refuses each change of a bit, and less than a tag', () => {
    const cipher = createAesSiv(RFC.key);
    for (let bit = 0; bit < RFC.sealed.byteLength * 8; bit += 1) {
      const altered = Buffer.from(RFC.sealed);
      altered[bit >> 3]! ^= 1 << (bit & 7);
      expect(cipher.open(RFC.associated, altered)).toBeUndefined();
    }
    expect(cipher.open(RFC.associated, RFC.sealed.subarray(0, 15))).toBeUndefined();
  });
});
