import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

/** @throws Error without the setting */
function givenFolder(): string {
  const folder = process.env['BURNISH_TEST_CORPUS'];
  if (folder) return folder;
  throw new Error('Set BURNISH_TEST_CORPUS to a folder of PDFs, or to one with the subfolders pdf and images.');
}

/** The given folder of PDFs, or its subfolder `pdf`. */
export function corpusFolder(): string {
  const folder = givenFolder();
  return existsSync(join(folder, 'pdf')) ? join(folder, 'pdf') : folder;
}

/** Names of the files in the subfolder `images`; empty without one. */
export function corpusImages(): { folder: string; names: string[] } {
  const folder = join(givenFolder(), 'images');
  return { folder, names: existsSync(folder) ? readdirSync(folder).sort() : [] };
}

/** Whether the folder has an `expected.json`: the pages and images of each file, as poppler and qpdf list them. */
export const isSharedCorpus = (folder: string): boolean => existsSync(join(folder, 'expected.json'));

/** The PDFs of a folder and its subfolders, as relative paths. */
export function pdfsIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\.pdf$/i.test(name)).sort();
}

/** @returns no files without an `expected.json` */
export function expectedFiles(folder: string): [string, ExpectedFile][] {
  if (!isSharedCorpus(folder)) return [];
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
