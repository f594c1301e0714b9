import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import { readCompactFont } from '../../src/pdf/archive/fonts/compact-font.ts';
import { UnreadableFont } from '../../src/pdf/archive/fonts/glyph-source.ts';
import {
  NAMED_ENCODINGS,
  STANDARD_ENCODING,
  STANDARD_STRINGS,
  unicodeOf,
} from '../../src/pdf/archive/fonts/latin-names.ts';
import { readTrueType } from '../../src/pdf/archive/fonts/true-type.ts';
import { readTypeOne } from '../../src/pdf/archive/fonts/type-one.ts';
import { fontFile } from '../../src/report/font-files.ts';
import { scratchFolder } from '../support/files.ts';
import { buildPdf } from '../../../pdf/test/build-pdf.ts';
import { COMPOSITE, fontPage, SIMPLE, widthOfCharacter } from './archivable-files.ts';
import { enhanceBytes, RESIZE_ONLY } from './support.ts';

const scratch = await scratchFolder();
const archive = (name: string, page: Parameters<typeof fontPage>[0]) =>
  enhanceBytes(buildPdf(fontPage(page)), scratch(name), { ...RESIZE_ONLY, targetResolution: 0, archive: true });
const UNPROVED = { code: 'NOT_ARCHIVABLE', detail: expect.stringContaining('whose program is not proved') };

describe('text in an embedded font can be archived', () => {
  it('where its glyphs and widths follow from the program', async () => {
    expect(await archive('simple', SIMPLE)).toMatchObject({ archived: true });
    expect(await archive('composite', COMPOSITE)).toMatchObject({ archived: true });
  });

  it.each<[string, Parameters<typeof fontPage>[0]]>([
    ['of another width', { ...SIMPLE, width: widthOfCharacter('A') + 3 }],
    ['of another width in a composite font', { ...COMPOSITE, width: widthOfCharacter('A') + 3 }],
    [
      'of a glyph that the font lacks',
      { ...SIMPLE, entries: '/Encoding<</BaseEncoding/WinAnsiEncoding/Differences[65/uni0FD6]>>' },
    ],
    ['without an encoding', { ...SIMPLE, entries: '' }],
    ['of a symbol with an encoding', { ...SIMPLE, flags: 4 }],
    ['of the glyph for missing ones', { ...COMPOSITE, shown: '<0000>' }],
    ['of half a code', { ...COMPOSITE, shown: '<00>' }],
    ['of a damaged program', { ...SIMPLE, program: Buffer.from('no font') }],
    ['of the glyph for missing ones, invisible', { ...COMPOSITE, shown: '<0000>', mode: 3 }],
  ])('but no text %s', async (name, page) => {
    await expect(archive(name.replace(/\W/g, '-'), page)).rejects.toMatchObject(UNPROVED);
  });
});

test('names, characters and encodings of Latin glyphs agree', () => {
  expect([STANDARD_STRINGS.length, STANDARD_STRINGS[34], STANDARD_STRINGS[149], STANDARD_STRINGS[228]]).toEqual([
    229,
    'A',
    'germandbls',
    'zcaron',
  ]);
  expect(
    ['A', 'quoteright', 'quotesingle', 'grave', 'germandbls', 'zcaron', 'Euro', 'uni0416', 'Zhe'].map(unicodeOf),
  ).toEqual([0x41, 0x2019, 0x27, 0x60, 0xdf, 0x17e, 0x20ac, 0x416, undefined]);
  expect([0x27, 0xa9, 0xc1, 0xd0, 0xe9, 0xfb].map((code) => STANDARD_ENCODING.get(code))).toEqual([
    'quoteright',
    'quotesingle',
    'grave',
    'emdash',
    'Oslash',
    'germandbls',
  ]);
  expect([0x27, 0x80, 0x9f, 0xe4].map((code) => NAMED_ENCODINGS['WinAnsiEncoding']!.get(code))).toEqual([
    'quotesingle',
    'Euro',
    'Ydieresis',
    'adieresis',
  ]);
  expect([0x8a, 0xd0, 0xde].map((code) => NAMED_ENCODINGS['MacRomanEncoding']!.get(code))).toEqual([
    'adieresis',
    'endash',
    'fi',
  ]);
});

test('a TrueType font has the widths of its glyphs, by its table of characters', () => {
  const font = readTrueType(readFileSync(fontFile('NotoSans-Regular.ttf')));
  const glyph = font.glyphOf!(3, 1, 0x41)!;
  // NotoSans has 639 thousandths for A, and 260 for a space.
  expect([font.widthOfNumber(glyph), font.widthOfNumber(font.glyphOf!(3, 1, 0x20)!)]).toEqual([639, 260]);
  expect([font.glyphOf!(3, 1, 0xfffe), font.widthOfNumber(65_535)]).toEqual([undefined, undefined]);
  expect(() => readTrueType(Buffer.alloc(12))).toThrow(UnreadableFont);
});

/** Encrypts as a Type 1 font does. */
function encrypted(plain: Buffer, key: number): Buffer {
  let state = key;
  return Buffer.from(
    Array.from(Buffer.concat([Buffer.from('lead'), plain]), (byte) => {
      const coded = byte ^ (state >> 8);
      state = ((coded + state) * 52_845 + 22_719) & 0xffff;
      return coded;
    }),
  );
}

test('a Type 1 font has the widths that its glyphs set', () => {
  // 0 500 hsbw endchar; 0 1000 2 div hsbw endchar
  const glyphs = { A: [139, 248, 136, 13, 14], half: [139, 250, 124, 141, 12, 12, 13, 14], none: [14] };
  const entries = Object.entries(glyphs).map(([name, code]) => {
    const data = encrypted(Buffer.from(code), 4_330);
    return Buffer.concat([Buffer.from(`/${name} ${data.length} RD `), data, Buffer.from(' ND\n')]);
  });
  const plain = Buffer.concat([Buffer.from('/Private 8 dict dup begin /CharStrings 3 dict dup begin\n'), ...entries]);
  const clear =
    '%!PS\n/FontMatrix [0.001 0 0 0.001 0 0] def /Encoding 256 array dup 65 /A put readonly def currentfile eexec\n';
  const font = readTypeOne(Buffer.concat([Buffer.from(clear), encrypted(plain, 55_665)]));
  expect(['A', 'half', 'other'].map(font.widthOfName)).toEqual([500, 500, undefined]);
  expect(font.encoding?.get(65)).toBe('A');
  expect(() => font.widthOfName('none')).toThrow(UnreadableFont);
});

/** An index of a compact font with offsets of one byte. */
const index = (...items: Buffer[]): Buffer => {
  const offsets = items.reduce<number[]>((all, { length }) => [...all, all.at(-1)! + length], [1]);
  return Buffer.concat([Buffer.from([0, items.length, 1, ...offsets]), ...items]);
};
const short = (value: number): number[] => [28, value >> 8, value & 255];

test('a compact font has the widths of its glyphs, by nominal and default ones, also behind subroutines', () => {
  const header = Buffer.from([1, 0, 4, 1]);
  const names = index(Buffer.from('F'));
  const strings = index(Buffer.from('own'));
  // Subroutine -107: 0 0 rmoveto
  const global = index(Buffer.from([139, 139, 21, 11]));
  const top = (charset: number, glyphs: number, priv: number): Buffer =>
    index(Buffer.from([...short(charset), 15, ...short(glyphs), 17, ...short(6), ...short(priv), 18]));
  const start = header.length + names.length + top(0, 0, 0).length + strings.length + global.length;
  // Identifiers 34 (A) and 391 (own)
  const charset = Buffer.from([0, 0, 34, 1, 135]);
  const glyphs = index(
    Buffer.from([14]),
    Buffer.from([139 + 20, 139, 139, 21, 14]),
    Buffer.from([139 - 10, 139 - 107, 29, 14]),
  );
  const priv = Buffer.from([...short(300).slice(0, 3), 20, 139 + 100, 21]);
  const data = Buffer.concat([
    header,
    names,
    top(start, start + charset.length, start + charset.length + glyphs.length),
    strings,
    global,
    charset,
    glyphs,
    priv,
  ]);
  const font = readCompactFont(data);
  expect(['.notdef', 'A', 'own', 'B'].map(font.widthOfName)).toEqual([300, 120, 90, undefined]);
  expect(font.encoding?.get(65)).toBe('A');
  expect(() => readCompactFont(data.subarray(0, 20))).toThrow();
});
