import { isName, isStream, name, UnknownFilter, type PdfDict, type PdfStream } from '@burnish/pdf';
import { arrayOf, dictOf, dropKeys, nameOf, type ArchivePass } from '../archive-pass.ts';
import type { FontUse } from '../font-uses.ts';
import { readCompactFont } from './compact-font.ts';
import { UnreadableFont, type GlyphSource } from './glyph-source.ts';
import { NAMED_ENCODINGS, unicodeOf } from './latin-names.ts';
import { readTrueType } from './true-type.ts';
import { readTypeOne } from './type-one.ts';

/** Difference of widths that ISO 19005-2 section 6.2.11.5 allows, thousandths of an em. */
const TOLERANCE = 1;
const MAX_FONT_BYTES = 64_000_000;
const SYMBOLIC = 4;
const NONSYMBOLIC = 32;

/** Returns the width of a shown code in the program; undefined for a missing glyph, or for `.notdef`. */
type WidthOf = (code: number) => number | undefined;

/**
 * Whether the program of an embedded font has each glyph that is shown, with the width that the PDF gives it, and the PDF names
 * its encoding as PDF/A asks (ISO 19005-2 section 6.2.11).
 */
export function isProved(pass: ArchivePass, use: FontUse): boolean {
  try {
    return nameOf(pass, use.font.get('Subtype')) === 'Type0' ? isCompositeProved(pass, use) : isSimpleProved(pass, use);
  } catch (error) {
    // A read beyond the end of a damaged program is a RangeError.
    if (error instanceof UnreadableFont || error instanceof UnknownFilter || error instanceof RangeError) return false;
    throw error;
  }
}

/** The program in a descriptor, by the key that its type of font allows. */
function programIn(pass: ArchivePass, descriptor: PdfDict | undefined, kind: string): GlyphSource {
  if (descriptor === undefined) throw new UnreadableFont('The font has no descriptor.');
  // Lists of glyphs are optional, and wrong ones break a rule (section 6.2.11.4.2).
  dropKeys(pass, descriptor, ['CIDSet', 'CharSet']);
  const read = (key: string): { data: Buffer; stream: PdfStream } | undefined => {
    const stream = pass.objects.resolve(descriptor.get(key));
    if (!isStream(stream)) return undefined;
    return {
      stream,
      data: pass.pdf.decode(pass.pdf.get(stream.number) as PdfStream, 'imageBytes', MAX_FONT_BYTES).data,
    };
  };
  const trueType = read('FontFile2');
  if (trueType && (kind === 'TrueType' || kind === 'CIDFontType2')) return readTrueType(trueType.data);
  const typeOne = read('FontFile');
  if (typeOne && kind === 'Type1') return readTypeOne(typeOne.data);
  const compact = read('FontFile3');
  const form = compact && nameOf(pass, compact.stream.dict.get('Subtype'));
  if (compact && ((kind === 'Type1' && form === 'Type1C') || (kind === 'CIDFontType0' && form === 'CIDFontType0C')))
    return readCompactFont(compact.data);
  throw new UnreadableFont('The font has another form.');
}

function isCompositeProved(pass: ArchivePass, { font, shown, hidden }: FontUse): boolean {
  const descendant = dictOf(pass, arrayOf(pass, font.get('DescendantFonts'))[0]);
  if (descendant === undefined || nameOf(pass, font.get('Encoding')) !== 'Identity-H') return false;
  const kind = nameOf(pass, descendant.get('Subtype')) ?? '';
  if (!hasNames(pass, font) || !hasNames(pass, descendant)) return false;
  const program = programIn(pass, dictOf(pass, descendant.get('FontDescriptor')), kind);
  const widths = widthsByCid(pass, descendant);
  const glyphOf = kind === 'CIDFontType2' ? glyphsByCid(pass, descendant) : (cid: number): number => cid;
  const widthOf: WidthOf = (cid) => (cid === 0 ? undefined : program.widthOfNumber(glyphOf(cid)));
  const codes = codesOf([...shown], 2);
  if (codes === undefined || codesOf([...hidden], 2)?.has(0) !== false) return false;
  return [...codes].every((cid) => isClose(widthOf(cid), widths(cid)));
}

const hasNames = (pass: ArchivePass, font: PdfDict): boolean =>
  nameOf(pass, font.get('Type')) === 'Font' && nameOf(pass, font.get('BaseFont')) !== undefined;

const isClose = (program: number | undefined, document: number | undefined): boolean =>
  program !== undefined && document !== undefined && Math.abs(program - document) <= TOLERANCE;

/** @returns undefined where a string has a part of a code */
function codesOf(strings: readonly string[], size: 1 | 2): Set<number> | undefined {
  const codes = new Set<number>();
  for (const each of strings) {
    const bytes = Buffer.from(each, 'latin1');
    if (bytes.length % size !== 0) return undefined;
    for (let at = 0; at < bytes.length; at += size) codes.add(bytes.readUIntBE(at, size));
  }
  return codes;
}

function widthsByCid(pass: ArchivePass, descendant: PdfDict): WidthOf {
  const widths = new Map<number, number>();
  const given = arrayOf(pass, descendant.get('W')).map(pass.objects.resolve);
  for (let at = 0; at < given.length;) {
    const [first, next, last] = [given[at], given[at + 1], given[at + 2]];
    if (typeof first !== 'number') throw new UnreadableFont('The widths are damaged.');
    if (Array.isArray(next)) {
      for (const [k, width] of next.map(pass.objects.resolve).entries())
        if (typeof width === 'number') widths.set(first + k, width);
      at += 2;
    } else {
      if (typeof next !== 'number' || typeof last !== 'number' || next > 0xffff)
        throw new UnreadableFont('The widths are damaged.');
      for (let cid = first; cid <= next; cid += 1) widths.set(cid, last);
      at += 3;
    }
  }
  const usual = pass.objects.resolve(descendant.get('DW') ?? 1000);
  return (cid) => widths.get(cid) ?? (typeof usual === 'number' ? usual : undefined);
}

function glyphsByCid(pass: ArchivePass, descendant: PdfDict): (cid: number) => number {
  const map = pass.objects.resolve(descendant.get('CIDToGIDMap'));
  if (isStream(map)) {
    const { data } = pass.pdf.decode(pass.pdf.get(map.number) as PdfStream, 'objectStreamBytes');
    return (cid) => (2 * cid + 2 <= data.length ? data.readUInt16BE(2 * cid) : 0);
  }
  // The default has to be said (section 6.2.11.3.2).
  if (map === null) pass.objects.edit(descendant).set('CIDToGIDMap', name('Identity'));
  return (cid) => cid;
}

function isSimpleProved(pass: ArchivePass, { font, shown, hidden }: FontUse): boolean {
  const kind = nameOf(pass, font.get('Subtype')) ?? '';
  const descriptor = dictOf(pass, font.get('FontDescriptor'));
  if (!hasNames(pass, font) || descriptor === undefined) return false;
  const [first, last] = [font.get('FirstChar'), font.get('LastChar')].map(pass.objects.resolve);
  const widths = arrayOf(pass, font.get('Widths')).map(pass.objects.resolve);
  if (typeof first !== 'number' || typeof last !== 'number' || widths.length !== last - first + 1) return false;
  const program = programIn(pass, descriptor, kind);
  const widthOf =
    kind === 'TrueType' ? trueTypeWidths(pass, font, descriptor, program) : namedWidths(pass, font, program);
  if (widthOf === undefined) return false;
  const widthIn: WidthOf = (code) => {
    const width = widths[code - first];
    return typeof width === 'number' ? width : undefined;
  };
  return (
    [...codesOf([...shown], 1)!].every((code) => isClose(widthOf(code), widthIn(code))) &&
    [...codesOf([...hidden], 1)!].every((code) => widthOf(code) !== undefined)
  );
}

/** Names by code, from an encoding with its differences. @returns undefined for an encoding that is not known */
function encodingOf(
  pass: ArchivePass,
  font: PdfDict,
  own: ReadonlyMap<number, string> | undefined,
): ReadonlyMap<number, string> | undefined {
  const given = pass.objects.resolve(font.get('Encoding'));
  if (given === null) return own;
  if (isName(given)) return NAMED_ENCODINGS[given.value];
  const dict = dictOf(pass, font.get('Encoding'));
  const base = dict && nameOf(pass, dict.get('BaseEncoding'));
  const names = new Map(base === undefined ? own : NAMED_ENCODINGS[base]);
  let code = 0;
  for (const each of dict ? arrayOf(pass, dict.get('Differences')).map(pass.objects.resolve) : []) {
    if (typeof each === 'number') code = each;
    else if (isName(each)) {
      names.set(code, each.value);
      code += 1;
    }
  }
  return names;
}

function namedWidths(pass: ArchivePass, font: PdfDict, program: GlyphSource): WidthOf | undefined {
  const names = encodingOf(pass, font, program.encoding);
  return (
    names &&
    ((code) => {
      const wanted = names.get(code);
      return wanted === undefined || wanted === '.notdef' ? undefined : program.widthOfName(wanted);
    })
  );
}

/** Codes of a TrueType font (section 6.2.11.6): by characters in a text font, or as they are in a symbolic one. */
function trueTypeWidths(
  pass: ArchivePass,
  font: PdfDict,
  descriptor: PdfDict,
  { tables = [], glyphOf, widthOfNumber }: GlyphSource,
): WidthOf | undefined {
  const flags = pass.objects.resolve(descriptor.get('Flags'));
  if (typeof flags !== 'number' || glyphOf === undefined) return undefined;
  const isSymbolic = (flags & SYMBOLIC) !== 0;
  if (isSymbolic === ((flags & NONSYMBOLIC) !== 0)) return undefined;
  const measured = (glyph: number | undefined): number | undefined =>
    glyph === undefined ? undefined : widthOfNumber(glyph);
  if (isSymbolic) {
    if (font.has('Encoding') || (tables.length !== 1 && !tables.includes('3,0'))) return undefined;
    if (tables.includes('3,0')) return (code) => measured(glyphOf(3, 0, code) ?? glyphOf(3, 0, 0xf000 + code));
    return tables[0] === '1,0' ? (code) => measured(glyphOf(1, 0, code)) : undefined;
  }
  const encoding = pass.objects.resolve(font.get('Encoding'));
  const base = isName(encoding)
    ? encoding.value
    : nameOf(pass, dictOf(pass, font.get('Encoding'))?.get('BaseEncoding'));
  if (base !== 'WinAnsiEncoding' && base !== 'MacRomanEncoding') return undefined;
  const names = encodingOf(pass, font, undefined);
  if (names === undefined || !tables.includes('3,1')) return undefined;
  return (code) => {
    const unicode = unicodeOf(names.get(code) ?? '');
    return unicode === undefined ? undefined : measured(glyphOf(3, 1, unicode));
  };
}
