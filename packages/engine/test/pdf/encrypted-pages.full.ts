import { writeFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import { isDict, isString, openPdfDocument, serialize, walkPages, type PdfDocument, type PdfValue } from '@burnish/pdf';
import { drawnSpread } from '../support/drawn-spread.ts';
import { asSharp, scratchFolder } from '../support/files.ts';
import { buildPdf } from '../../../pdf/test/build-pdf.ts';
import { openBytes } from '../../../pdf/test/open-bytes.ts';
import { encryptedPdf, type Algorithm } from './encrypted-files.ts';
import { qpdfComplaint, wordsOfPages } from './judges.ts';
import { flateImage, jpegImage, photograph } from './pictures.ts';
import { enhancePdf, parametersOf } from './support.ts';

const scratch = await scratchFolder();
const [WIDTH, HEIGHT] = [434, 308];
const [LINK, PALETTE] = ['https://example.com', '000000ffffff'];

let samples: Buffer;
beforeAll(async () => {
  const drawn = asSharp(await drawnSpread({ left: 1.2, right: 1.2 })).resize(WIDTH, HEIGHT);
  samples = await drawn.raw().toBuffer();
});

/** A page of a spread with a link inside it, a palette inside its inherited resources, and a label with a prefix. */
async function encryptedSpread(algorithm: Algorithm): Promise<Buffer> {
  const { data: jpeg } = await jpegImage(photograph(40, 30));
  const other = openBytes(await encryptedPdf(algorithm, '', { data: jpeg, width: 40, height: 30 }));
  const encryption = other.encryption!;
  const text = (number: number, plain: Buffer): string =>
    `<${encryption.encryptString(plain, number, 0).toString('hex')}>`;
  const stream = (number: number, dict: string, plain: Buffer) => ({
    dict,
    data: encryption.encryptStream(plain, number, 0),
  });
  const { dict, data } = flateImage({ data: samples, width: WIDTH, height: HEIGHT, channels: 3 });
  const link = `<</Type/Annot/Subtype/Link/Rect[280 60 343 70]/A<</S/URI/URI${text(3, Buffer.from(LINK))}>>>>`;
  const palette = text(2, Buffer.from(PALETTE, 'hex'));
  const resources = `<</XObject<</Im0 10 0 R>>/ColorSpace<</C[/Indexed/DeviceRGB 1 ${palette}]>>>>`;
  const trailer = other.xref().trailer;
  return buildPdf(
    {
      1: '<</Type/Catalog/Pages 2 0 R/PageLabels<</Nums[0 6 0 R]>>>>',
      2: `<</Type/Pages/Kids[3 0 R]/Count 1/Resources ${resources}>>`,
      3: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${WIDTH} ${HEIGHT}]/Contents 4 0 R/Annots[${link}]>>`,
      4: stream(4, '', Buffer.from(`q ${WIDTH} 0 0 ${HEIGHT} 0 0 cm /Im0 Do Q`)),
      6: `<</S/D/P${text(6, Buffer.from('A-'))}>>`,
      10: stream(10, `/Type/XObject/Subtype/Image ${dict}`, data),
      12: serialize(other.resolve(trailer.get('Encrypt'))),
    },
    { trailer: `/Encrypt 12 0 R/ID${serialize(other.resolve(trailer.get('ID')))}` },
  );
}

/** Follows names and places through dictionaries and arrays to a string. */
function stringAt(pdf: PdfDocument, from: PdfValue, ...path: (string | number)[]): string {
  const found = path.reduce<PdfValue>((value, key) => {
    const inner = pdf.resolve(value);
    return (isDict(inner) ? inner.get(String(key)) : (inner as PdfValue[])[key as number]) ?? null;
  }, from);
  const value = pdf.resolve(found);
  return isString(value) ? pdf.stringBytes(value).toString('latin1') : '';
}

test.each(['RC4-40', 'RC4-128', 'AES-128', 'AES-256'] as const)(
  'a page encrypted with %s is turned and split, and gets text that can be found',
  async (algorithm) => {
    for (const compact of [false, true]) {
      const [inputPath, outputPath] = [scratch(`${algorithm}.pdf`), scratch(`${algorithm}.${compact}.pdf`)];
      writeFileSync(inputPath, await encryptedSpread(algorithm));
      const parameters = parametersOf({ mode: 'DOCUMENT', text: true, split: true, compact, maxGrowth: 3 });
      const words = ['left', 'right'].map((text, k) => ({
        text,
        left: 70 + 217 * k,
        top: 105,
        width: 40,
        height: 12,
      }));
      const made = await enhancePdf({ inputPath, outputPath, parameters, readWords: async () => words });
      expect([made.split, made.textPages]).toEqual([[1], 1]);
      expect(made.notes).toContainEqual({ code: 'PAGES_STRAIGHTENED', pages: 1 });
      expect(qpdfComplaint(outputPath)).toBe('');
      expect(wordsOfPages(outputPath) ?? [['left'], ['right']]).toEqual([['left'], ['right']]);
      const pdf = openPdfDocument(outputPath);
      try {
        const [first, second] = [...walkPages(pdf)].map(({ dict }) => dict) as [PdfValue, PdfValue];
        expect(stringAt(pdf, second, 'Annots', 0, 'A', 'URI')).toBe(LINK);
        const palette = ['Resources', 'ColorSpace', 'C', 3];
        for (const page of [first, second])
          expect(Buffer.from(stringAt(pdf, page, ...palette), 'latin1').toString('hex')).toBe(PALETTE);
        const font = ['Resources', 'Font', 'ReadText', 'DescendantFonts', 0, 'CIDSystemInfo', 'Registry'];
        for (const page of [first, second]) expect(stringAt(pdf, page, ...font)).toBe('Adobe');
        const root = pdf.xref().trailer.get('Root') ?? null;
        for (const entry of [1, 3]) expect(stringAt(pdf, root, 'PageLabels', 'Nums', entry, 'P')).toBe('A-');
      } finally {
        pdf.close();
      }
    }
  },
);
