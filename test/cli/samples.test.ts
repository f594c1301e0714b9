import { readFile } from 'node:fs/promises';
import { PDFDocument } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { expect, test } from '@jest/globals';
import { FILE_SIZE_BYTES } from '../../src/domain/upload/media.ts';

const sample = (name: string) => readFile(new URL(`../../samples/${name}`, import.meta.url));

test('the sample photograph is a small JPEG of an accepted size', async () => {
  const photo = await sample('photo.jpg');
  expect(await sharp(photo).metadata()).toMatchObject({ format: 'jpeg', width: 640, height: 427 });
  expect(photo.length).toBeGreaterThan(FILE_SIZE_BYTES.image.min);
  expect(photo.length).toBeLessThan(150_000);
});

test('the sample document has two pages with three photographs, no dates, and an accepted size', async () => {
  const document = await sample('document.pdf');
  expect((await PDFDocument.load(document)).getPageCount()).toBe(2);
  expect(document.toString('latin1').match(/\/DCTDecode/g)).toHaveLength(3);
  expect(document.includes('/CreationDate')).toBe(false);
  expect(document.length).toBeGreaterThan(FILE_SIZE_BYTES.pdf.min);
  expect(document.length).toBeLessThan(400_000);
});
