import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A row of `pdfimages -list`. */
export interface ListedImage {
  page: number;
  type: string;
  width: number;
  height: number;
  object: string;
  xPpi: string;
  yPpi: string;
}

export interface ExpectedFile {
  pages: number | null;
  qpdfCheckExit: number;
  pdfimages: ListedImage[];
}

/** The folder of PDFs, with an `expected.json` that says what poppler and qpdf make of each. @throws when the setting is missing */
export function corpusFolder(): string {
  const folder = process.env['BURNISH_TEST_CORPUS'];
  if (!folder)
    throw new Error(
      'Set BURNISH_TEST_CORPUS to a folder that, or whose subfolder pdf, holds the files and expected.json.',
    );
  return existsSync(join(folder, 'expected.json')) ? folder : join(folder, 'pdf');
}

export function expectedFiles(folder: string): [string, ExpectedFile][] {
  return Object.entries(
    JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Record<string, ExpectedFile>,
  );
}

/** Where what we say differs from what the judges say, and why. */
export const DIFFERENCES: Record<string, { pages?: number | null; refused?: string }> = {
  // Its page tree is a loop; poppler believes its Count of 2, one page can be reached.
  'Pages-tree-refs.pdf': { pages: 1 },
  // Damaged beyond what poppler reads; a rebuilt table has one page.
  'poppler-91414-0-54.pdf': { pages: 1 },
  // Needs a password that is not empty.
  'saslprep-r6.pdf': { refused: 'ENCRYPTED_PDF' },
};
