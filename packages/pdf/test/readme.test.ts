import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflateSync } from 'node:zlib';
import { expect, it } from '@jest/globals';
import { isStream, openPdfDocument, walkPages, type PdfDocument } from '@burnish/pdf';
import { repositoryRoot } from '../../../test/support/repository.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { buildPdf, type Objects } from './build-pdf.ts';

const readme = await readFile(join(repositoryRoot, 'packages/pdf/README.md'), 'utf8');
const [, inReadme] = /```js file=turn\.mjs\n(.*?)```/s.exec(readme)!;
const loader = join(repositoryRoot, 'scripts/strip-types.mjs');

/** Samples of four by two pixels under the PNG predictor `Up`, so that parameters of the old coding would damage new data. */
const ROWS = Buffer.from([2, 10, 20, 30, 40, 2, 2, 2, 2, 2]);
const PREDICTED = '/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 4>>';

/** Two pages below an inner node: the first has an image and a font, the second inherits its resources. */
const objects: Objects = {
  1: '<</Type/Catalog/Pages 2 0 R>>',
  2: '<</Type/Pages/Kids[5 0 R]/Count 2/Resources<</Font<</F1 8 0 R>>>>>>',
  3: '<</Type/Page/Parent 5 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</XObject<</Im0 7 0 R>>/Font<</F1 8 0 R>>>>>>',
  4: { dict: '', data: 'q 9 0 0 9 0 0 cm /Im0 Do Q' },
  5: '<</Type/Pages/Parent 2 0 R/Kids[3 0 R 6 0 R]/Count 2>>',
  6: '<</Type/Page/Parent 5 0 R/MediaBox[0 0 99 99]>>',
  7: {
    dict: `/Type/XObject/Subtype/Image/Width 4/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray${PREDICTED}`,
    data: deflateSync(ROWS),
  },
  8: '<</Type/Font/Subtype/Type1/BaseFont/Courier>>',
  9: '<</Type/Font/Subtype/Type1/BaseFont/Unused>>',
};

/** Runs a program of the README on the two pages, and reads what it wrote. */
async function run<T>(program: string, more: string[], read: (pdf: PdfDocument, stdout: string) => T): Promise<T> {
  await using folder = await temporaryFolder();
  const [path, input, output] = [program, 'in.pdf', 'out.pdf'].map((file) => join(folder.path, file)) as [
    string,
    string,
    string,
  ];
  const examples = join(repositoryRoot, 'packages/pdf/examples');
  await writeFile(path, program === 'turn.mjs' ? inReadme! : await readFile(join(examples, program)));
  await writeFile(input, buildPdf(objects));
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', loader, path, input, output, ...more]);
  const pdf = openPdfDocument(program === 'fonts.mjs' ? input : output);
  try {
    return read(pdf, stdout);
  } finally {
    pdf.close();
  }
}

function textOf(pdf: PdfDocument, number: number): string {
  const stream = pdf.get(number);
  return isStream(stream) ? pdf.decode(stream, 'contentBytes').data.toString('latin1') : '';
}

it('turn.mjs turns the pages of a file', async () => {
  const turned = await run('turn.mjs', [], (pdf, stdout) => [
    stdout,
    [...walkPages(pdf)].map(({ dict }) => dict.get('Rotate')),
  ]);
  expect(turned).toEqual(['turned pages: 2\n', [90, 90]]);
});

it('stamp.mjs stamps each page over its content, also with inherited resources', async () => {
  const found = await run('stamp.mjs', ['50 % (draft)'], (pdf) =>
    [...walkPages(pdf)].map(({ dict, resources }) => {
      const parts = pdf.resolve(dict.get('Contents')) as { number: number }[];
      return [
        parts.map(({ number }) => textOf(pdf, number)),
        [...(pdf.resolve(resources.get('Font')) as Map<string, unknown>).keys()],
      ];
    }),
  );
  const stamp = 'Q BT /Stamp 24 Tf 36 36 Td (50 % \\(draft\\)) Tj ET';
  expect(found).toEqual([
    [
      ['q', 'q 9 0 0 9 0 0 cm /Im0 Do Q', stamp],
      ['F1', 'Stamp'],
    ],
    [
      ['q', stamp],
      ['F1', 'Stamp'],
    ],
  ]);
});

it('halve.mjs halves the images, and leaves no parameters of the old coding', async () => {
  const halved = await run('halve.mjs', [], (pdf, stdout) => {
    const image = pdf.get(7);
    if (!isStream(image)) throw new Error('The image is gone.');
    const { data } = pdf.decode(image, 'imageBytes');
    return [stdout, image.dict.get('Width'), image.dict.get('Height'), image.dict.has('DecodeParms'), [...data]];
  });
  // The rows are 10 20 30 40 and 12 22 32 42.
  expect(halved).toEqual(['halved images: 1\n', 2, 1, false, [16, 36]]);
});

it('take-out.mjs takes out a page, with its content and image', async () => {
  const left = await run('take-out.mjs', ['1'], (pdf) => [
    [...walkPages(pdf)].map(({ number }) => number),
    [2, 5].map((number) => (pdf.get(number) as Map<string, unknown>).get('Count')),
    [3, 4, 7].map((number) => pdf.get(number)),
  ]);
  expect(left).toEqual([[6], [1, 1], [null, null, null]]);
});

it('fonts.mjs lists the fonts that a document uses', async () => {
  expect(await run('fonts.mjs', [], (_, stdout) => stdout)).toBe('Type1 Courier\n');
});

it('the README has at most 300 words', () => {
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(300);
});
