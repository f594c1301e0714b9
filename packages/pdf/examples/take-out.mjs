import { openPdfDocument, rewrite, walkPages } from '@burnish/pdf';

const [input, output, number] = process.argv.slice(2);
const pdf = openPdfDocument(input);
const page = [...walkPages(pdf)][number - 1];
const values = new Map();
for (let node = page.dict.get('Parent'); node; node = pdf.resolve(node).get('Parent')) {
  const dict = pdf.resolve(node);
  const kids = pdf.resolve(dict.get('Kids')).filter((kid) => kid.number !== page.number);
  values.set(node.number, new Map(dict).set('Kids', kids).set('Count', pdf.resolve(dict.get('Count')) - 1));
}
await rewrite(pdf, output, { values });
pdf.close();
