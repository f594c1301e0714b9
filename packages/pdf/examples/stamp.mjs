import { appendUpdate, name, nextNumber, openPdfDocument, ref, walkPages } from '@burnish/pdf';

const [input, output, text] = process.argv.slice(2);
const pdf = openPdfDocument(input);
const [font, save, stamp] = [0, 1, 2].map((k) => ref(nextNumber(pdf) + k));
const shown = `Q BT /Stamp 24 Tf 36 36 Td (${text.replace(/[\\()]/g, '\\$&')}) Tj ET`;
const helvetica = { Type: name('Font'), Subtype: name('Type1'), BaseFont: name('Helvetica') };
const added = [
  { number: font.number, value: new Map(Object.entries(helvetica)) },
  { number: save.number, dict: new Map(), data: () => Buffer.from('q') },
  { number: stamp.number, dict: new Map(), data: () => Buffer.from(shown, 'latin1') },
];
const values = new Map();
for (const page of walkPages(pdf)) {
  const contents = page.dict.get('Contents') ?? [];
  const parts = pdf.resolve(contents);
  const drawn = Array.isArray(parts) ? parts : [contents];
  const fonts = new Map(pdf.resolve(page.resources.get('Font')) ?? []).set('Stamp', font);
  const resources = new Map(page.resources).set('Font', fonts);
  values.set(page.number, new Map(page.dict).set('Contents', [save, ...drawn, stamp]).set('Resources', resources));
}
await appendUpdate(pdf, input, output, { values, added });
pdf.close();
