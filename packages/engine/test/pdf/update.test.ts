import { readFileSync } from 'node:fs';
import { PDFDocument } from '@cantoo/pdf-lib';
import { describe, expect, it } from '@jest/globals';
import type { PdfNote } from '@burnish/contract/engine';
import { openPdfDocument } from '@burnish/pdf';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, imagePage, type BuildOptions } from '../../../pdf/test/build-pdf.ts';
import { qpdfComplaint } from './judges.ts';
import { jpegImage, photograph } from './pictures.ts';
import { DOUBLED as doubled, HEIGHT, RESIZE_ONLY, WIDTH, enhanceBytes, samplesOf } from './support.ts';

const scratch = await scratchFolder();
const photo = await jpegImage(photograph(WIDTH, HEIGHT));
const KINDS: [string, BuildOptions][] = [
  ['a table', { xref: 'table' }],
  ['a cross-reference stream', { xref: 'stream' }],
  ['object streams', { xref: 'objects' }],
  ['a hybrid', { xref: 'hybrid' }],
  ['something before its header', { before: 'some bytes that a mail program left\n' }],
];

/** A file with the parameters of linearization, by which readers know one, as its first object. */
function linearized(): Buffer {
  const { 1: catalog, ...others } = imagePage(photo, WIDTH, HEIGHT);
  const first = '<</Linearized 1/L 0000000/H[500 20]/O 2/E 600/N 1/T 700>>';
  const bytes = buildPdf({ 1: first, ...others, 12: catalog! }, { trailer: '/Root 12 0 R' });
  return Buffer.from(bytes.toString('latin1').replace('0000000', String(bytes.length).padStart(7, '0')), 'latin1');
}

describe('an update of a PDF', () => {
  it.each(KINDS)(
    'of a file with %s keeps the original bytes and is read by its cross-reference data',
    async (name, options) => {
      const bytes = buildPdf(imagePage(photo, WIDTH, HEIGHT, { 11: '<</Type/Marker>>' }), {
        ...options,
        trailer: '/ID[<0011><2233>]',
      });
      const { enhanced, outputPath } = await enhanceBytes(bytes, scratch(name.replace(/\W/g, '')), doubled);
      const output = readFileSync(outputPath);
      expect(enhanced).toBe(1);
      expect(output.subarray(0, bytes.length).equals(bytes)).toBe(true);
      const pdf = openPdfDocument(outputPath);
      expect(pdf.xref()).toMatchObject({
        rebuilt: false,
        kind: options.xref === 'stream' || options.xref === 'objects' ? 'stream' : 'table',
      });
      const [first, second] = pdf.resolve(pdf.xref().trailer.get('ID')) as { bytes: Buffer }[];
      expect(first!.bytes.toString('hex')).toBe('0011');
      expect(second!.bytes.toString('hex')).not.toBe('2233');
      pdf.close();
      expect(await samplesOf(outputPath)).toMatchObject({ width: WIDTH * 2, height: HEIGHT * 2 });
      expect(qpdfComplaint(outputPath)).toBe('');
      await expect(pagesByPdfLib(outputPath)).resolves.toBe(1);
    },
  );

  it('has a note that a linearized file loses its fast web view, and none without a change or where it had none', async () => {
    const note = { code: 'LINEARIZATION_LOST' };
    const notesOf = async (bytes: Buffer, parameters = doubled): Promise<PdfNote[]> =>
      (await enhanceBytes(bytes, scratch('linearized'), parameters)).notes;
    const bytes = linearized();
    expect(await notesOf(bytes)).toEqual([note]);
    expect(await notesOf(Buffer.concat([Buffer.from('mail\n'), bytes]))).toEqual([note]);
    expect(await notesOf(bytes, { ...doubled, compact: true })).toEqual([note]);
    expect(await notesOf(bytes, { ...doubled, targetResolution: 72 })).toEqual([
      { code: 'NO_IMAGE_CHANGED', because: 'needless' },
    ]);
    expect(await notesOf(Buffer.concat([bytes, Buffer.from('% later\n')]))).toEqual([]);
  });

  it('without changes is the original', async () => {
    const bytes = buildPdf(imagePage(photo, 10, 8));
    const { outputPath, enhanced } = await enhanceBytes(bytes, scratch('same'), RESIZE_ONLY);
    expect(enhanced).toBe(0);
    expect(readFileSync(outputPath).equals(bytes)).toBe(true);
  });

  it('without changes is the original of a damaged file and of a compact order too', async () => {
    const bytes = buildPdf(imagePage(photo, 10, 8));
    const damaged = Buffer.from(bytes.toString('latin1').replace(/startxref\n\d+/, 'startxref\n1'), 'latin1');
    for (const [name, file] of [
      ['compact', bytes],
      ['damaged', damaged],
    ] as const) {
      const { outputPath, notes } = await enhanceBytes(file, scratch(name), RESIZE_ONLY, { compact: true });
      expect(readFileSync(outputPath).equals(file)).toBe(true);
      expect(notes).not.toContainEqual({ code: 'STRUCTURE_REPAIRED' });
    }
  });

  it('gives equal bytes for equal input', async () => {
    const bytes = buildPdf(imagePage(photo, WIDTH, HEIGHT), { xref: 'stream' });
    const [a, b] = [
      await enhanceBytes(bytes, scratch('one'), doubled),
      await enhanceBytes(bytes, scratch('two'), doubled),
    ];
    expect(readFileSync(a.outputPath).equals(readFileSync(b.outputPath))).toBe(true);
  });

  it('can itself be enhanced', async () => {
    const first = await enhanceBytes(buildPdf(imagePage(photo, WIDTH, HEIGHT)), scratch('first'), doubled);
    const second = await enhanceBytes(readFileSync(first.outputPath), scratch('second'), {
      ...doubled,
      targetResolution: 288,
    });
    expect(await samplesOf(second.outputPath)).toMatchObject({ width: WIDTH * 4, height: HEIGHT * 4 });
    expect(qpdfComplaint(second.outputPath)).toBe('');
  });
});

describe('a compact PDF', () => {
  it.each(KINDS)('made from one with %s contains the used objects and nothing else', async (name, options) => {
    const unused = { dict: '/Type/Unused', data: Buffer.alloc(200_000) };
    const bytes = buildPdf(imagePage(photo, WIDTH, HEIGHT, { 12: unused }), options);
    const { outputPath } = await enhanceBytes(bytes, scratch(`compact${name.replace(/\W/g, '')}`), doubled, {
      compact: true,
    });
    expect(readFileSync(outputPath).length).toBeLessThan(60_000);
    expect(await samplesOf(outputPath)).toMatchObject({ width: WIDTH * 2, height: HEIGHT * 2 });
    expect(qpdfComplaint(outputPath)).toBe('');
    await expect(pagesByPdfLib(outputPath)).resolves.toBe(1);
  });

  it('is written although an unused object is not at its recorded offset', async () => {
    const bytes = buildPdf(imagePage(photo, WIDTH, HEIGHT, { 12: '<</Title(lost)>>' }), { trailer: '/Info 12 0 R' });
    const text = bytes.toString('latin1');
    const at = String(text.indexOf('12 0 obj')).padStart(10, '0');
    const misplaced = Buffer.from(text.replace(`${at} 00000 n`, '0000000017 00000 n'), 'latin1');
    const { outputPath } = await enhanceBytes(misplaced, scratch('lost'), doubled, { compact: true });
    expect(readFileSync(outputPath).includes('/Title')).toBe(true);
    expect(qpdfComplaint(outputPath)).toBe('');
  });

  it('is written after a rebuild of the cross-reference data, and the report says so', async () => {
    const text = buildPdf(imagePage(photo, WIDTH, HEIGHT)).toString('latin1');
    const result = await enhanceBytes(
      Buffer.from(text.replace(/startxref\n\d+/, 'startxref\n1'), 'latin1'),
      scratch('broken'),
      doubled,
    );
    expect(result.notes).toEqual([{ code: 'STRUCTURE_REPAIRED' }]);
    expect(qpdfComplaint(result.outputPath)).toBe('');
    expect(await samplesOf(result.outputPath)).toMatchObject({ width: WIDTH * 2 });
  });
});

async function pagesByPdfLib(path: string): Promise<number> {
  return (await PDFDocument.load(readFileSync(path))).getPageCount();
}
