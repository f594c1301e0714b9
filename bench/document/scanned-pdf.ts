import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { resolvePdfParameters } from '@burnish/contract';
import { enhanceOrPlanPdf } from '../../packages/engine/src/pdf/enhance/enhance.ts';
import { noteInWords } from '../../src/domain/notes/note-in-words.ts';
import { buildPdf } from '../../packages/pdf/test/build-pdf.ts';
import type { DrawnPage } from './drawn-pages.ts';

/** JPEG quality of a scanner */
const QUALITY = 85;

export interface CleanedPdf {
  /** The page as poppler draws it before and after, PNG */
  before: Buffer;
  after: Buffer;
  /** Bytes of the result as a multiple of the original */
  growth: number;
  /** poppler reads the same letters in the text layer before and after; it orders the small words of a turned page in another way */
  keepsText: boolean;
  notes: string[];
}

type Scan = Pick<DrawnPage, 'file' | 'dpi' | 'words' | 'damage'>;

/** Cleans a page in a PDF of one page, whose text layer is invisible over the scan. Needs poppler. */
export async function cleanInPdf(page: Scan): Promise<CleanedPdf> {
  const folder = mkdtempSync(join(tmpdir(), 'burnish-bench-'));
  try {
    const [inputPath, outputPath] = [join(folder, 'scan.pdf'), join(folder, 'clean.pdf')];
    writeFileSync(inputPath, await scannedPdf(page));
    const parameters = resolvePdfParameters({ mode: 'DOCUMENT' }, 1200);
    const paths = { inputPath, outputPath, planPath: join(folder, 'plan') };
    const made = await enhanceOrPlanPdf({ ...paths, parameters, oneGoPixels: Infinity });
    if (!('enhanced' in made)) throw new Error('The PDF was planned instead of enhanced.');
    const [text, other] = [inputPath, outputPath].map((path) =>
      execFileSync('pdftotext', ['-raw', path, '-']).toString(),
    );
    return {
      before: render(inputPath, page.dpi),
      after: render(outputPath, page.dpi),
      growth: readFileSync(outputPath).length / readFileSync(inputPath).length,
      keepsText: letters(text!) === letters(other!) && text!.includes(page.words[0]!),
      notes: made.notes.map(noteInWords),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const letters = (text: string): string => [...text.replace(/\s+/gu, '')].sort().join('');

/** A PDF of one page that shows a scan, with its words as invisible text. */
export async function scannedPdf({ file, dpi, words, damage }: Scan): Promise<Buffer> {
  const { width, height } = await sharp(file).metadata();
  const data = damage === 'all' ? file : await sharp(file).toColourspace('srgb').jpeg({ quality: QUALITY }).toBuffer();
  const [across, down] = [(width * 72) / dpi, (height * 72) / dpi];
  const text = words.map((word) => `(${word}) Tj T*`).join(' ');
  return buildPdf({
    1: '<</Type/Catalog/Pages 2 0 R>>',
    2: '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    3: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${across} ${down}]/Contents 4 0 R/Resources<</XObject<</Im0 10 0 R>>/Font<</F1 5 0 R>>>>>>`,
    4: {
      dict: '',
      data: `q ${across} 0 0 ${down} 0 0 cm /Im0 Do Q BT /F1 0.8 Tf 0.8 TL 3 Tr 60 ${down - 20} Td ${text} ET`,
    },
    5: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    10: {
      dict: `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode`,
      data,
    },
  });
}

function render(path: string, dpi: number): Buffer {
  return execFileSync('pdftoppm', ['-r', String(dpi), '-png', '-singlefile', path], { maxBuffer: 100_000_000 });
}
