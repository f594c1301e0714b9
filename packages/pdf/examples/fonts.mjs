import { findReachable, isDict, openPdfDocument } from '@burnish/pdf';

const pdf = openPdfDocument(process.argv[2]);
for (const [number, used] of (await findReachable(pdf)).entries()) {
  const font = used ? pdf.get(number) : null;
  if (isDict(font) && pdf.resolve(font.get('Type'))?.value === 'Font')
    console.log(pdf.resolve(font.get('Subtype')).value, pdf.resolve(font.get('BaseFont'))?.value ?? '');
}
pdf.close();
