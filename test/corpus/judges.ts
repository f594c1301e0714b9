import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  countPdfiumPages,
  drawPdfiumPage,
  loadPdfiumPage,
  openWithPdfium,
  pdfiumPageSize,
} from '../../packages/engine/src/pdf/pdfium.ts';

const run = (command: string, ...args: string[]) =>
  spawnSync(command, args, { encoding: 'utf8', maxBuffer: 200_000_000 });

/** @throws when poppler or qpdf is not installed: without its judges this run would prove nothing */
export function requireJudges(): void {
  for (const [command, flag] of [
    ['pdfimages', '-v'],
    ['pdftotext', '-v'],
    ['pdftoppm', '-v'],
    ['qpdf', '--version'],
  ] as const) {
    if (run(command, flag).error) throw new Error(`${command} is missing: install poppler-utils and qpdf.`);
  }
}

export const qpdfCheck = (path: string): number => run('qpdf', '--check', path).status ?? -1;
export const textOf = (path: string): string => run('pdftotext', path, '-').stdout;

/** The sizes that `pdfimages -list` prints, by object number; images and stencils only. */
export function listImages(path: string): { object: string; width: number; height: number; type: string }[] {
  const rows = run('pdfimages', '-list', path).stdout.split('\n').slice(2);
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter((cells) => cells.length > 10)
    .map((cells) => ({ type: cells[2]!, width: Number(cells[3]), height: Number(cells[4]), object: cells[10]! }));
}

/** The pages at 72 pixels an inch, as raw samples. @param most pages to render; absent: all */
export function render(path: string, most?: number): Buffer[] {
  const folder = mkdtempSync(join(tmpdir(), 'burnish-pages-'));
  try {
    run('pdftoppm', '-r', '72', ...(most === undefined ? [] : ['-l', String(most)]), path, join(folder, 'page'));
    return readdirSync(folder)
      .sort()
      .map((name) => readFileSync(join(folder, name)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The first pages at 72 pixels an inch by PDFium, as raw samples. */
export async function renderWithPdfium(path: string, most: number): Promise<Buffer[]> {
  const document = await openWithPdfium(readFileSync(path));
  return Array.from({ length: Math.min(most, countPdfiumPages(document)) }, (_, index) => {
    const page = loadPdfiumPage(document, index);
    const { width, height } = pdfiumPageSize(document, page);
    return Buffer.from(
      drawPdfiumPage(document, page, { width: Math.floor(width), height: Math.floor(height) }, 'RGBA'),
    );
  });
}

/** Peak signal-to-noise ratio of two renderings of one size, dB; 99 when they are equal. */
export function psnrOf(a: Buffer, b: Buffer): number {
  if (a.length !== b.length) return 0;
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i]! - b[i]!) ** 2;
  return sum === 0 ? 99 : Math.min(99, 10 * Math.log10(255 ** 2 / (sum / a.length)));
}
