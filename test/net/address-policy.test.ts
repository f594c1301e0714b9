import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { isPublicAddress } from '../../src/net/address-policy.ts';

/** RFC 6890 and the registries after it, written out once more, apart from the library that the code asks. */
const FORBIDDEN_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

const number = (dotted: string): number => dotted.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const dotted = (value: number): string => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
const hexPair = (value: number): string => `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;

const forbiddenIpv4 = fc
  .tuple(fc.constantFrom(...FORBIDDEN_IPV4), fc.nat({ max: 2 ** 32 - 1 }))
  .map(([range, host]) => {
    const [base, bits] = range.split('/') as [string, string];
    return (number(base) + (host % 2 ** (32 - Number(bits)))) >>> 0;
  });

/** Every form of IPv6 that carries an IPv4 address inside. */
const EMBEDDINGS: Record<string, (value: number) => string> = {
  mapped: (value) => `::ffff:${hexPair(value)}`,
  'mapped, dotted': (value) => `::ffff:${dotted(value)}`,
  'mapped, written out': (value) => `0:0:0:0:0:ffff:${hexPair(value)}`,
  compatible: (value) => `::${hexPair(value)}`,
  'translated (SIIT)': (value) => `::ffff:0:${hexPair(value)}`,
  NAT64: (value) => `64:ff9b::${hexPair(value)}`,
  'local NAT64': (value) => `64:ff9b:1::${hexPair(value)}`,
  '6to4': (value) => `2002:${hexPair(value)}::1`,
  'Teredo server': (value) => `2001:0:${hexPair(value)}::1`,
  'Teredo client': (value) => `2001:0:808:808:0:0:${hexPair(~value >>> 0)}`,
  ISATAP: (value) => `2a00:1450::5efe:${hexPair(value)}`.replace('::5efe', ':0:0:0:5efe'),
  'ISATAP, universal': (value) => `2a00:1450:0:0:200:5efe:${hexPair(value)}`,
};

describe('the address policy', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.1',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '93.184.215.14',
    '2606:4700:4700::1111',
    '2001:4860:4860::8888',
    '2a00:1450:4001:81b::200e',
    '2001:200::1',
    '3ffe::1',
  ])('allows public address %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '168.63.129.16',
    '192.31.196.1',
    '192.52.193.1',
    '192.175.48.1',
    '::',
    '::1',
    '::2',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:0:7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b::808:808',
    '64:ff9b:1::a00:1',
    '100::1',
    '100:0:0:1::1',
    '2001::1',
    '2001:2::1',
    '2001:3::1',
    '2001:4:112::1',
    '2001:10::1',
    '2001:20::1',
    '2001:30::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:808:808::',
    '2620:4f:8000::1',
    '3fff::1',
    '4000::1',
    '5f00::1',
    'fc00::1',
    'fd00:ec2::254',
    'fdff::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'feff::1',
    'ff02::1',
    'ff0e::1',
  ])('refuses %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    '',
    'example.com',
    '127.1',
    '0x7f000001',
    '2130706433',
    '010.8.8.8',
    '8.8.8.8 ',
    '8.8.8',
    '[::1]',
    '1.2.3.4.5',
    '2a00:1450::1%1',
  ])('refuses %j, which is not an address in its usual form', (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });

  it('refuses every address of a forbidden range, in whatever form it is embedded', () => {
    fc.assert(
      fc.property(forbiddenIpv4, fc.constantFrom(...Object.keys(EMBEDDINGS)), (value, form) => {
        expect(isPublicAddress(dotted(value))).toBe(false);
        expect(isPublicAddress(EMBEDDINGS[form]!(value))).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it('judges the rest of IPv4 by the ranges alone', () => {
    const ALSO = ['192.31.196.0/24', '192.52.193.0/24', '192.175.48.0/24', '168.63.129.16/32'];
    const isIn = (value: number, range: string): boolean => {
      const [base, bits] = range.split('/') as [string, string];
      return Math.floor(value / 2 ** (32 - Number(bits))) === Math.floor(number(base) / 2 ** (32 - Number(bits)));
    };
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 32 - 1 }), (value) => {
        const forbidden = [...FORBIDDEN_IPV4, ...ALSO].some((range) => isIn(value, range));
        expect(isPublicAddress(dotted(value))).toBe(!forbidden);
      }),
      { numRuns: 2000 },
    );
  });
});
