import { expect, it, test } from '@jest/globals';
import { baseFilename } from '../../../src/api/schemas/fields.ts';
import { downloadFilename } from '../../../src/domain/upload/filenames.ts';

it('a file name loses bidirectional marks and nothing else', () => {
  expect(baseFilename('invoice\u202Egpj.exe')).toBe('invoicegpj.exe');
  expect(baseFilename('\u2066a\u2069\u200Fb\u061C.pdf')).toBe('ab.pdf');
  expect(baseFilename('pho\u200Bto\uFEFF.jpg\u00AD')).toBe('photo.jpg');
  // Joiners are part of words and of emoji.
  expect(baseFilename('نامه\u200Cها 👩\u200D🔬.pdf')).toBe('نامه\u200Cها 👩\u200D🔬.pdf');
  expect(baseFilename('\u202E')).toBeNull();
});

test.each([
  ['photo.jpg', 'image/jpeg', 'photo.jpg'],
  ['PHOTO.JPEG', 'image/jpeg', 'PHOTO.JPEG'],
  ['scan.tiff', 'image/tiff', 'scan.tiff'],
  ['photo.jpg.exe', 'image/jpeg', 'photo.jpg.exe.jpg'],
  ['invoice.pdf.js', 'application/pdf', 'invoice.pdf.js.pdf'],
  ['v1.2 of the plan', 'application/pdf', 'v1.2 of the plan.pdf'],
  ['photo\u202Egpj.exe', 'image/jpeg', 'photogpj.exe.jpg'],
  ['.htaccess', 'image/png', '.htaccess.png'],
] as const)('a file called %j of type %s is downloaded as %s', (name, type, expected) => {
  expect(downloadFilename(name, type)).toBe(expected);
});
