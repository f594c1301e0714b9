import { describe, expect, it } from '@jest/globals';
import { isDict, isName, walkPages, type PdfDocument, type PdfError } from '@burnish/pdf';
import { buildPdf, onePage, serializeObject, type BuildOptions, type Objects } from './build-pdf.ts';
import { openBytes } from './open-bytes.ts';

const marked = onePage('', '', {
  10: '<</Type/Marker/Value(first)>>',
  11: '[1 2.5 -3 /A#20B (a\\)b) <4142> null true 10 0 R]',
});

function typeOf(pdf: PdfDocument, number: number): string | undefined {
  const value = pdf.get(number);
  const type = isDict(value) ? pdf.resolve(value.get('Type')) : null;
  return isName(type) ? type.value : undefined;
}

describe('reading a PDF by its cross-reference data', () => {
  it.each(['table', 'stream', 'objects', 'hybrid'] as const)(
    'finds the objects of a file with a %s section',
    (xref) => {
      const pdf = openBytes(buildPdf(marked, { xref }));
      expect(typeOf(pdf, 10)).toBe('Marker');
      expect([...walkPages(pdf)]).toHaveLength(1);
      expect(pdf.xref().rebuilt).toBe(false);
    },
  );

  it('reads every kind of object', () => {
    expect(openBytes(buildPdf(marked)).get(11)).toEqual([
      1,
      2.5,
      -3,
      { kind: 'name', value: 'A B' },
      { kind: 'string', bytes: Buffer.from('a)b'), hex: false },
      { kind: 'string', bytes: Buffer.from('AB'), hex: true },
      null,
      true,
      { kind: 'ref', number: 10, generation: 0 },
    ]);
  });

  it('prefers the newest of several sections, and uses earlier ones for other objects', () => {
    const original = buildPdf(marked);
    const startXref = /startxref\n(\d+)/.exec(original.toString('latin1'))![1];
    const update = serializeObject(10, '<</Type/Newer>>');
    const entry = `xref\n10 1\n${String(original.length).padStart(10, '0')} 00000 n \ntrailer\n<</Size 14/Root 1 0 R/Prev ${startXref}>>\n`;
    const bytes = Buffer.concat([
      original,
      update,
      Buffer.from(`${entry}startxref\n${original.length + update.length}\n%%EOF\n`),
    ]);
    const pdf = openBytes(bytes);
    expect(typeOf(pdf, 10)).toBe('Newer');
    expect(typeOf(pdf, 3)).toBe('Page');
  });

  it('counts offsets from the header if other bytes precede it', () => {
    const pdf = openBytes(buildPdf(marked, { before: 'junk before the header\n' }));
    expect(typeOf(pdf, 10)).toBe('Marker');
    expect(pdf.xref().rebuilt).toBe(false);
  });

  it.each<[string, Objects, RegExp]>([
    [
      'a stream',
      { 1: { dict: '/Type/Catalog/Pages 2 0 R', data: '' } },
      /its catalog is a stream instead of a dictionary/,
    ],
    ['no object', { 1: 'null' }, /its trailer names no catalog/],
    ['without a page tree', { 1: '<</Type/Catalog>>' }, /the entry Pages of its catalog is no dictionary/],
    [
      'with an array of pages',
      { 1: '<</Type/Catalog/Pages[3 0 R]>>' },
      /the entry Pages of its catalog is no dictionary/,
    ],
  ])('refuses a catalog that is %s, and says which rule', (_, objects, rule) => {
    expect(() => openBytes(buildPdf({ ...onePage('', ''), ...objects }))).toThrow(rule);
  });

  it('finds the header in the first 1,024 bytes alone', () => {
    const open = (bytes: Buffer): unknown => {
      try {
        return typeOf(openBytes(bytes), 10);
      } catch (error) {
        return [(error as PdfError).code, (error as PdfError).message];
      }
    };
    const behind = (count: number): Buffer => buildPdf(marked, { before: ' '.repeat(count) });
    const refused = ['CORRUPT_FILE', expect.stringMatching(/^The first 1,024 bytes of the file have no PDF header/)];
    expect(open(behind(1019))).toBe('Marker');
    expect(open(behind(1020))).toEqual(refused);
    expect(open(buildPdf(marked).subarray('%PDF-1.7'.length))).toEqual(refused);
    const short = buildPdf(marked).toString('latin1').replace('%PDF-', '%PDF ');
    expect(open(Buffer.from(short, 'latin1'))).toBe('Marker');
  });

  it('accepts a table with lines of another length, and one that begins at 1 although it lists object 0', () => {
    const text = buildPdf(marked).toString('latin1');
    const loose = text.replace(/ ([nf]) \n/g, ' $1\n');
    expect(typeOf(openBytes(Buffer.from(loose, 'latin1')), 10)).toBe('Marker');
    const shifted = openBytes(Buffer.from(text.replace('xref\n0 ', 'xref\n1 '), 'latin1'));
    expect(typeOf(shifted, 10)).toBe('Marker');
    expect(shifted.xref().rebuilt).toBe(false);
  });

  it('terminates if sections name each other as their predecessor', () => {
    const text = buildPdf(marked, { trailer: '/Prev 00000' }).toString('latin1');
    const startXref = /startxref\n(\d+)/.exec(text)![1]!;
    const pdf = openBytes(Buffer.from(text.replace('/Prev 00000', `/Prev ${startXref.padEnd(5)}`), 'latin1'));
    expect(typeOf(pdf, 10)).toBe('Marker');
  });
});

describe('rebuilding a broken cross-reference table', () => {
  const broken: [string, (text: string) => string][] = [
    ['no cross-reference data', (text) => text.slice(0, text.lastIndexOf('xref\n0'))],
    ['a startxref that points nowhere', (text) => text.replace(/startxref\n\d+/, 'startxref\n99999999')],
    ['offsets that are wrong', (text) => text.replace(/\d{10} 00000 n/g, '0000000007 00000 n')],
    ['a table that lies about its length', (text) => text.replace('xref\n0 ', 'xref\n0 99999')],
    ['its end cut off', (text) => text.slice(0, text.lastIndexOf('trailer') + 3)],
  ];
  it.each(broken)('finds the objects of a file with %s', (_, damage) => {
    const pdf = openBytes(Buffer.from(damage(buildPdf(marked).toString('latin1')), 'latin1'));
    expect(typeOf(pdf, 10)).toBe('Marker');
    expect([...walkPages(pdf)]).toHaveLength(1);
    expect(pdf.xref().rebuilt).toBe(true);
  });

  it('reads object streams too, and prefers the last object of a number', () => {
    const packed = buildPdf(marked, { xref: 'objects' });
    const bytes = Buffer.concat([
      packed.subarray(0, packed.lastIndexOf('startxref')),
      serializeObject(11, '<</Type/Later>>'),
    ]);
    const pdf = openBytes(bytes);
    expect(typeOf(pdf, 10)).toBe('Marker');
    expect(typeOf(pdf, 11)).toBe('Later');
  });

  it('skips an object stream with an unknown filter', () => {
    const packed = buildPdf(marked, { xref: 'objects' }).toString('latin1').replace('/ObjStm/N', '/ObjStm /N');
    const bytes = Buffer.from(
      packed.slice(0, packed.lastIndexOf('startxref')).replace(/(ObjStm[^>]*)FlateDecode/, '$1FlateDec0de'),
      'latin1',
    );
    expect(() => openBytes(bytes)).toThrow(expect.objectContaining({ code: 'CORRUPT_FILE' }));
  });

  it.each([
    ['an empty file', Buffer.alloc(0)],
    ['text', Buffer.from('This is no PDF at all. '.repeat(1000))],
    ['a header and nothing else', Buffer.from('%PDF-1.7\n')],
    ['a catalog without pages', buildPdf({ 1: '<</Type/Catalog>>' })],
    ['a catalog that is itself', buildPdf({ 1: '1 0 R' })],
  ])('reports CORRUPT_FILE for %s', (_, bytes) => {
    expect(() => openBytes(bytes)).toThrow(expect.objectContaining({ code: 'CORRUPT_FILE' }));
  });
});

describe('streams of a PDF', () => {
  it.each<[string, BuildOptions['trailer']]>([
    ['too short', '/Length 3'],
    ['too long', '/Length 99999'],
    ['a reference to itself', '/Length 10 0 R'],
    ['no number', '/Length /No'],
  ])('are read to endstream if their length is %s', (_, length) => {
    const pdf = openBytes(buildPdf(onePage('', '', { 10: { dict: length!, data: 'all of the data' } })));
    const stream = pdf.get(10);
    expect(pdf.decode(stream as never, 'contentBytes').data.toString()).toBe('all of the data');
  });
});
