import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import { isDict, isStream, openPdfDocument, type PdfDict } from '@burnish/pdf';
import { priceOfPdf } from '@burnish/contract';
import { readDate, readText } from '../../src/pdf/archive/xmp-metadata.ts';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, onePage, type Objects } from '../../../pdf/test/build-pdf.ts';
import { archivable, encodeLzw, SCAN, scanPage, TEXT_FONT } from './archivable-files.ts';
import { analyzeBytes, enhanceBytes, parametersOf, RESIZE_ONLY } from './support.ts';

const scratch = await scratchFolder();
const ARCHIVE = { ...RESIZE_ONLY, targetResolution: 0, archive: true };
const archive = (name: string, bytes: Buffer) => enhanceBytes(bytes, scratch(name), ARCHIVE);

/** Reads the catalog, the first page and the metadata of a file. */
function read(path: string) {
  const pdf = openPdfDocument(path);
  try {
    const { trailer } = pdf.xref();
    const catalog = pdf.resolve(trailer.get('Root')) as PdfDict;
    const metadata = pdf.resolve(catalog.get('Metadata'));
    return {
      catalog,
      trailer,
      info: pdf.resolve(trailer.get('Info')) as PdfDict,
      xmp: isStream(metadata) ? pdf.decode(metadata, 'objectStreamBytes').data.toString() : '',
      get: (number: number) => {
        const value = pdf.get(number);
        return isStream(value) ? value.dict : isDict(value) ? value : undefined;
      },
      data: (number: number) => {
        const stream = pdf.get(number);
        return isStream(stream) ? pdf.decode(stream, 'imageBytes').data : undefined;
      },
      size: pdf.xref().index.size(),
    };
  } finally {
    setImmediate(() => pdf.close());
  }
}

test('a scan becomes PDF/A at no charge, with its metadata and an output intent', async () => {
  const info = '/Info 30 0 R';
  const bytes = buildPdf(
    {
      ...scanPage(),
      30: "<</Title(A \\(first\\) t\\374tle)/CreationDate(D:20240229101112+01'00')/ModDate(yesterday)>>",
    },
    { trailer: info },
  );
  const made = await archive('scan', bytes);
  expect([made.enhanced, made.archived, priceOfPdf(made.work)]).toEqual([0, true, 0]);
  expect(made.notes).toEqual(expect.arrayContaining([{ code: 'ARCHIVED', removed: [] }]));
  const { catalog, trailer, info: written, xmp } = read(made.outputPath);
  expect(xmp).toContain('<pdfaid:part>2</pdfaid:part>');
  expect(xmp).toContain('>A (first) tütle<');
  expect(xmp).toContain('<xmp:CreateDate>2024-02-29T10:11:12+01:00</xmp:CreateDate>');
  // A date that is none would differ from that of the XMP.
  expect(xmp).not.toContain('ModifyDate');
  expect(written.has('ModDate')).toBe(false);
  expect(trailer.get('ID')).toHaveLength(2);
  expect(catalog.get('OutputIntents')).toHaveLength(1);
  expect(readFileSync(made.outputPath).subarray(0, 9).toString()).toBe('%PDF-1.7\n');
});

test('an archive in which no image changes says so', async () => {
  const cleaned = parametersOf({ mode: 'DOCUMENT', archive: true });
  const { notes } = await enhanceBytes(buildPdf(onePage('0 0 9 9 re f', '')), scratch('drawn'), cleaned);
  expect(notes).toEqual([
    { code: 'ARCHIVED', removed: [] },
    { code: 'NO_IMAGE_CHANGED', because: 'no-page' },
  ]);
});

test('equal input gives an equal archive', async () => {
  const [one, other] = [await archive('one', archivable()), await archive('other', archivable())];
  expect(readFileSync(one.outputPath).equals(readFileSync(other.outputPath))).toBe(true);
});

test('what no page shows is removed, and the note says so', async () => {
  const { outputPath, notes } = await archive('removed', archivable());
  expect(notes).toEqual(
    expect.arrayContaining([{ code: 'ARCHIVED', removed: ['actions', 'xfa', 'metadata', 'printing'] }]),
  );
  const bytes = readFileSync(outputPath).toString('latin1');
  for (const forbidden of ['JavaScript', '/Launch', '/AA', '/XFA', '/LZWDecode', '/OPI', '/Interpolate', '/HT '])
    expect([forbidden, bytes.includes(forbidden)]).toEqual([forbidden, false]);
  // A link to an address stays.
  expect(bytes).toContain('/URI');
});

test('data in LZW stay the same in another encoding', async () => {
  const { outputPath } = await archive('lzw', archivable());
  expect(read(outputPath).data(12)).toEqual(SCAN.data);
  expect(encodeLzw(SCAN.data).equals(SCAN.data)).toBe(false);
});

test('CMYK of a device gets a profile, in operators and images', async () => {
  const objects = onePage('0 0 0 1 k 0 0 9 9 re f q 9 0 0 9 0 0 cm /Im0 Do Q', '/XObject<</Im0 10 0 R>>', {
    10: {
      dict: '/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceCMYK',
      data: Buffer.alloc(4),
    },
  });
  const { outputPath } = await archive('cmyk', buildPdf(objects));
  const { get } = read(outputPath);
  expect(get(10)?.get('ColorSpace')).toEqual([expect.objectContaining({ value: 'ICCBased' }), expect.anything()]);
  const resources = get(3)?.get('Resources') as PdfDict;
  expect((resources.get('ColorSpace') as PdfDict).has('DefaultCMYK')).toBe(true);
});

describe('a file that cannot be PDF/A is refused with the reasons by page', () => {
  const text = (font: string, more: Objects = {}): Objects =>
    onePage('BT /F1 9 Tf (text) Tj ET', `/Font<</F1 ${font}>>`, more);
  const annotated = (annotation: string): Objects => onePage('', '', {}, `/Annots[<<${annotation}/Rect[0 0 9 9]>>]`);
  const catalog = (entries: string): Objects => ({
    ...onePage('', ''),
    1: `<</Type/Catalog/Pages 2 0 R${entries}>>`,
  });
  it.each<[string, Objects, string]>([
    [
      'a font that is missing',
      text('<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'),
      'Page 1 has a font that is not embedded.',
    ],
    ['a font that does not exist', text('99 0 R'), 'Page 1 has content whose resources are missing or ambiguous.'],
    ['an unknown operator', onePage('BX 1 2 frob EX', ''), 'Page 1 has content that PDF/A does not define.'],
    [
      'an odd hexadecimal string',
      { ...onePage('BT /F1 1 Tf 3 Tr <414> Tj ET', `/Font<</F1 20 0 R>>`), ...TEXT_FONT },
      'Page 1 has content that PDF/A does not define.',
    ],
    ['too many saved states', onePage('q '.repeat(29), ''), 'Page 1 has a value beyond the limits of PDF/A.'],
    [
      'an inline image in LZW',
      onePage('BI /W 1/H 1/BPC 8/CS/G/F/LZW ID x EI', ''),
      'Page 1 has an inline image in an encoding that PDF/A forbids.',
    ],
    ['an unknown intent', onePage('/Nice ri', ''), 'Page 1 has an unknown rendering intent.'],
    [
      'an unknown blend mode',
      onePage('/G gs', '/ExtGState<</G<</BM/Glow>>>>'),
      'Page 1 has a graphics state that PDF/A does not allow.',
    ],
    [
      'a transfer function',
      onePage('/G gs', '/ExtGState<</G<</TR 9 0 R>>>>', { 9: '<</FunctionType 2>>' }),
      'Page 1 has a graphics state that PDF/A does not allow.',
    ],
    [
      'PostScript',
      onePage('/P Do', '/XObject<</P 9 0 R>>', { 9: { dict: '/Subtype/PS', data: 'x' } }),
      'Page 1 has PostScript or content of another file.',
    ],
    [
      'an undefined spot colour',
      onePage('/S cs 1 scn', '/ColorSpace<</S[/DeviceN[/Gold]/DeviceGray 9 0 R]>>', { 9: '<</FunctionType 2>>' }),
      'Page 1 has a spot colour without a definition, or with several.',
    ],
    [
      'a broken profile',
      onePage('/S cs 1 scn', '/ColorSpace<</S[/ICCBased 9 0 R]>>', { 9: { dict: '/N 3', data: 'x' } }),
      'Page 1 has a colour profile that PDF/A does not allow.',
    ],
    ['a film', annotated('/Subtype/Movie'), 'Page 1 has an annotation of a type that PDF/A does not allow.'],
    ['a hidden mark', annotated('/Subtype/Link/F 2'), 'Page 1 has a hidden annotation.'],
    [
      'a field without appearance',
      annotated('/Subtype/Widget/FT/Tx'),
      'Page 1 has an annotation or a form field without a fixed appearance.',
    ],
    [
      'an attachment',
      catalog('/Names<</EmbeddedFiles<</Names[(a)<</Type/Filespec/F(a)/EF<</F 4 0 R>>>>]>>>>'),
      'The document has an embedded file.',
    ],
    ['a dynamic form', catalog('/NeedsRendering true'), 'The document has a dynamic XFA form.'],
    [
      'data elsewhere',
      { ...onePage('', ''), 4: { dict: '/F(other)', data: '' } },
      'The document has data outside of the file.',
    ],
    [
      'an unknown filter',
      { ...onePage('', ''), 4: { dict: '/Filter/Zip', data: '' } },
      'The document has data in an unknown encoding.',
    ],
    [
      'a huge page',
      { ...onePage('', ''), 3: '<</Type/Page/Parent 2 0 R/MediaBox[0 0 20000 9]/Contents 4 0 R>>' },
      'Page 1 has a value beyond the limits of PDF/A.',
    ],
  ])('%s', async (name, objects, sentence) => {
    const refused = archive(`no-${name.replace(/\W/g, '-')}`, buildPdf(objects));
    await expect(refused).rejects.toMatchObject({
      code: 'NOT_ARCHIVABLE',
      detail: expect.stringContaining(sentence),
    });
  });

  it('signed', async () => {
    const objects = catalog('/AcroForm<</Fields[<</FT/Sig/V<</Type/Sig>>>>]>>');
    await expect(archive('signed', buildPdf(objects))).rejects.toMatchObject({ code: 'SIGNED_PDF' });
    const parameters = { ...ARCHIVE, allowBreakingSignatures: true };
    await expect(enhanceBytes(buildPdf(objects), scratch('broken'), parameters)).rejects.toMatchObject({
      code: 'NOT_ARCHIVABLE',
      detail: expect.stringContaining('a signature'),
    });
  });

  it('only where the order asks for an archive', async () => {
    const bytes = buildPdf(text('<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'));
    writeFileSync(scratch('kept.pdf'), bytes);
    const { outputPath, archived } = await enhanceBytes(bytes, scratch('kept'), { ...ARCHIVE, archive: false });
    expect([archived, readFileSync(outputPath).equals(bytes)]).toEqual([false, true]);
    expect((await analyzeBytes(bytes, scratch('analyzed'))).facts.pages).toBe(1);
  });
});

test('dates and text strings have the form of XMP', () => {
  expect(
    ['D:2024', 'D:20240131235959Z', '20240131', "D:20240131120000-05'30'", 'D:20240231', 'May 2024'].map(readDate),
  ).toEqual([
    '2024-01-01T00:00:00Z',
    '2024-01-31T23:59:59Z',
    '2024-01-31T00:00:00Z',
    '2024-01-31T12:00:00-05:30',
    undefined,
    undefined,
  ]);
  expect(readText(Buffer.from('\u00fe\u00ff\u00d8\u003d\u00de\u0000', 'latin1'))).toBe('😀');
  expect(readText(Buffer.from('\u0085\u0000x', 'latin1'))).toBe('–x');
});
