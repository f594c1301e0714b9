import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import {
  appendUpdate,
  isDict,
  isStream,
  name,
  nextNumber,
  openPdfDocument,
  ref,
  rewrite,
  walkPages,
  type ObjectChanges,
  type PdfDocument,
} from '@burnish/pdf';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { buildPdf, onePage } from './build-pdf.ts';

const objects = onePage(
  'q Q',
  '',
  { 10: { dict: '/Type/Old', data: 'old data' }, 12: '<</Type/Unused>>' },
  '/Own 10 0 R',
);

/** A turned page, new data of object 10 from a file, and an added stream that the page names. */
function allChanges(pdf: PdfDocument, part: string): ObjectChanges {
  const [page] = [...walkPages(pdf)];
  const number = nextNumber(pdf);
  writeFileSync(part, 'before|new data|after');
  return {
    values: new Map([[page!.number, new Map(page!.dict).set('Rotate', 90).set('Added', ref(number))]]),
    streams: new Map([
      [10, { dict: ({ dict }) => new Map(dict).set('Type', name('New')), data: { path: part, start: 7, bytes: 8 } }],
    ]),
    added: [{ number, dict: new Map(), data: () => Buffer.from('added data') }],
  };
}

function textOf(pdf: PdfDocument, number: number): string {
  const stream = pdf.get(number);
  if (!isStream(stream)) throw new Error(`Object ${number} is no stream.`);
  return pdf.decode(stream, 'objectStreamBytes').data.toString();
}

it.each(['table', 'stream', 'objects'] as const)(
  'values, streams and new streams reach a file with a %s section, by an update and by a rewrite',
  async (xref) => {
    await using folder = await temporaryFolder();
    const at = (file: string): string => join(folder.path, file);
    const original = buildPdf(objects, { xref });
    writeFileSync(at('in.pdf'), original);
    const pdf = openPdfDocument(at('in.pdf'));
    const number = nextNumber(pdf);
    await appendUpdate(pdf, at('in.pdf'), at('updated.pdf'), allChanges(pdf, at('part')));
    await rewrite(pdf, at('rewritten.pdf'), allChanges(pdf, at('part')));
    pdf.close();
    expect(readFileSync(at('updated.pdf')).subarray(0, original.length).equals(original)).toBe(true);
    for (const file of ['updated.pdf', 'rewritten.pdf']) {
      const changed = openPdfDocument(at(file));
      const [page] = [...walkPages(changed)];
      expect([page!.dict.get('Rotate'), textOf(changed, 10), textOf(changed, number)]).toEqual([
        90,
        'new data',
        'added data',
      ]);
      expect(changed.xref().rebuilt).toBe(false);
      expect(isDict(changed.get(12))).toBe(file === 'updated.pdf');
      changed.close();
    }
  },
);

it('an update without changes is the original', async () => {
  await using folder = await temporaryFolder();
  const [from, to] = [join(folder.path, 'in.pdf'), join(folder.path, 'out.pdf')];
  writeFileSync(from, buildPdf(objects));
  const pdf = openPdfDocument(from);
  await appendUpdate(pdf, from, to, {});
  pdf.close();
  expect(readFileSync(to).equals(readFileSync(from))).toBe(true);
});

it('a rewrite of a small file with a high object number stays small', async () => {
  await using folder = await temporaryFolder();
  const [from, to] = [join(folder.path, 'in.pdf'), join(folder.path, 'out.pdf')];
  const text = buildPdf(objects)
    .toString('latin1')
    .replace(/\/Size \d+/, '/Size 8000000');
  writeFileSync(from, text, 'latin1');
  const pdf = openPdfDocument(from);
  await rewrite(pdf, to, {});
  pdf.close();
  expect(statSync(to).size).toBeLessThan(5_000);
  const rewritten = openPdfDocument(to);
  expect([textOf(rewritten, 10), rewritten.xref().rebuilt]).toEqual(['old data', false]);
  rewritten.close();
});
