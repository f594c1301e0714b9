import { expect, it } from 'vitest';
import { baseFilename } from '../../src/api/schemas/filenames.ts';

it('a name loses the marks that turn text around, and nothing else', () => {
  expect(baseFilename('invoice\u202Egpj.exe')).toBe('invoicegpj.exe');
  expect(baseFilename('\u2066a\u2069\u200Fb\u061C.pdf')).toBe('ab.pdf');
  // Joiners are part of words and of emoji.
  expect(baseFilename('نامه\u200Cها 👩\u200D🔬.pdf')).toBe('نامه\u200Cها 👩\u200D🔬.pdf');
  expect(baseFilename('\u202E')).toBeNull();
});
