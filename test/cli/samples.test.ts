import { readdir, readFile } from 'node:fs/promises';
import { PDFDocument } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { expect, test } from '@jest/globals';
import { FILE_SIZE_BYTES } from '@burnish/contract';

const folder = new URL('../../samples/', import.meta.url);
const sample = (name: string) => readFile(new URL(name, folder));
const names = (await readdir(folder)).filter((name) => name !== 'README.md');
const photographs = names.filter((name) => name.endsWith('.jpg'));

const LICENCE =
  /Licence: (\[CC BY 4\.0\]\(\S+\)|\[CC0 1\.0\]\(\S+\)|\[Apache-2\.0\]\(\.\.\/LICENSE\)|public domain)\.$/;

test('each sample has a line with its source and its licence, and each line has a sample', async () => {
  const lines = (await sample('README.md')).toString().replaceAll('\n  ', ' ').split('\n');
  const described = lines.flatMap((line) => {
    const [, name] = /^- `([^`]+)`: /.exec(line) ?? [];
    return name !== undefined && LICENCE.test(line) ? [name] : [];
  });
  expect(described.sort()).toEqual(names.sort());
});

test.each(photographs)('%s is a small JPEG of an accepted size, without EXIF', async (name) => {
  const photograph = await sample(name);
  const { format, exif, xmp } = await sharp(photograph).metadata();
  expect({ format, exif, xmp }).toEqual({ format: 'jpeg' });
  expect(photograph.length).toBeGreaterThan(FILE_SIZE_BYTES.image.min);
  expect(photograph.length).toBeLessThan(200_000);
});

test('the sample document has two pages with three photographs, no dates, and an accepted size', async () => {
  const document = await sample('document.pdf');
  expect((await PDFDocument.load(document)).getPageCount()).toBe(2);
  expect(document.toString('latin1').match(/\/DCTDecode/g)).toHaveLength(3);
  expect(document.includes('/CreationDate')).toBe(false);
  expect(document.length).toBeGreaterThan(FILE_SIZE_BYTES.pdf.min);
  expect(document.length).toBeLessThan(400_000);
});
