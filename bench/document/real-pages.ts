import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { resolvePdfParameters } from '@burnish/contract';
import { noteInWords } from '../../src/domain/notes/note-in-words.ts';
import { enhancePdf } from '../../packages/engine/src/pdf/enhance/enhance.ts';
import type { Rgb } from '../quality/metrics.ts';
import { comparedWith } from './compare-pages.ts';
import { readWords, toWords, wordErrors } from './judge-page.ts';
import { installedCleaners, readPpm, runCleaner } from './page-cleaners.ts';
import { scannedPdf } from './scanned-pdf.ts';

/** Pages of a PDF that are measured */
const MOST_PAGES = 3;
const JPEG_QUALITY = 85;

/** Measures of one page that a cleaner gives; NaN where it has none */
interface Measured {
  errors: number;
  white: number;
  ink: number;
  colours: number;
  /** Bytes of the result as a multiple of the original: of the PDF, or of the page as a JPEG */
  growth: number;
  /** Seconds */
  cpu: number;
}

export interface RealPagesOptions {
  /** Takes each so-many-th file */
  every: number;
  /** A folder that keeps the pages */
  out: string | undefined;
}

/**
 * Cleans the real pages of a folder of PDFs and pictures, beside other programs, and prints a table. `<name>.txt` beside a file has
 * the text of its first page, and `<name>.deu.txt` text in a language of Tesseract.
 */
export async function measureRealPages(folder: string, { every, out }: RealPagesOptions): Promise<void> {
  const names = readdirSync(folder)
    .filter((name) => /\.(pdf|tiff?|png|jpe?g)$/iu.test(name))
    .sort()
    .filter((_, k) => k % every === 0);
  const cleaners = installedCleaners();
  const rows = new Map<string, Measured[]>(
    ['as it is', 'Burnish', ...cleaners.map(({ name }) => name)].map((name) => [name, []]),
  );
  let kept = 0;
  for (const name of names) {
    const scratch = mkdtempSync(join(tmpdir(), 'burnish-bench-'));
    try {
      const [input, output] = [join(scratch, 'input.pdf'), join(scratch, 'output.pdf')];
      writeFileSync(input, await pdfOf(join(folder, name)));
      const start = process.cpuUsage();
      const { notes } = await enhancePdf({
        inputPath: input,
        outputPath: output,
        parameters: resolvePdfParameters({ mode: 'DOCUMENT' }, 1200),
      });
      const { user, system } = process.cpuUsage(start);
      const growth = statSync(output).size / statSync(input).size;
      if (growth === 1) kept += 1;
      const pages = scannedPages(input);
      for (const { page, dpi } of pages) {
        const files = { before: join(scratch, 'before.ppm'), after: join(scratch, 'after.ppm') };
        const before = draw(input, page, dpi, files.before);
        const results = [
          { by: 'as it is', file: files.before, page: before, growth: 1, cpu: Number.NaN },
          {
            by: 'Burnish',
            file: files.after,
            page: draw(output, page, dpi, files.after),
            growth,
            cpu: (user + system) / 1e6 / pages.length,
          },
        ];
        const bytes = await jpegBytes(before);
        for (const made of await Promise.all(
          cleaners.map(async (each) => ({ by: each.name, ...(await runCleaner(each, files.before, scratch)) })),
        ))
          results.push({ ...made, growth: (await jpegBytes(made.page)) / bytes });
        const text = page === 1 ? textOf(folder, name) : undefined;
        const errors = await Promise.all(
          results.map(async ({ file }) =>
            text === undefined
              ? Number.NaN
              : wordErrors(text.words, await readWords(readFileSync(file), dpi, text.language)),
          ),
        );
        const compare = comparedWith(before);
        const words = results.map(({ by, page: result, ...measured }, k) => {
          const { white, ink, colours } = compare(result);
          const row = { errors: errors[k]!, white, ink, colours, ...measured };
          rows.get(by)!.push(row);
          return `${by}: ${inWords(row)}`;
        });
        console.log(`${name}, page ${page}: ${words.join('; ')}. ${notes.map(noteInWords).join(' ')}`);
        if (out !== undefined) {
          mkdirSync(out, { recursive: true });
          for (const { by, page: result } of results)
            await jpeg(result).toFile(join(out, `${name}-${page}-${by.replaceAll(' ', '-')}.jpg`));
        }
      }
    } finally {
      rmSync(scratch, { recursive: true });
    }
  }
  print(rows);
  console.log(`${kept} of ${names.length} files stay.`);
}

async function pdfOf(path: string): Promise<Buffer> {
  if (path.toLowerCase().endsWith('.pdf')) return readFileSync(path);
  const { density = 300 } = await sharp(path).metadata();
  return scannedPdf({ file: readFileSync(path), dpi: density > 96 ? density : 300, words: [], damage: 'nothing' });
}

/** The first pages that show an image, with the resolution of their finest one. */
function scannedPages(path: string): { page: number; dpi: number }[] {
  const list = execFileSync('pdfimages', ['-list', '-l', String(MOST_PAGES), path], {
    stdio: ['ignore', 'pipe', 'ignore'],
  }).toString();
  const pages = new Map<number, number>();
  for (const line of list.split('\n').slice(2)) {
    const cells = line.trim().split(/\s+/u);
    const [page, dpi] = [Number(cells[0]), Number(cells[12])];
    if (cells[2] === 'image' && dpi > 0) pages.set(page, Math.max(pages.get(page) ?? 0, dpi));
  }
  return [...pages].map(([page, dpi]) => ({ page, dpi }));
}

function draw(path: string, page: number, dpi: number, to: string): Rgb {
  const only = ['-f', String(page), '-l', String(page), '-singlefile'];
  execFileSync('pdftoppm', ['-r', String(dpi), ...only, path, to.replace(/\.ppm$/u, '')], { stdio: 'ignore' });
  return readPpm(readFileSync(to));
}

function textOf(folder: string, name: string): { words: string[]; language: string } | undefined {
  const stem = `${name.replace(/\.[^.]*$/u, '')}.`;
  const file = readdirSync(folder).find((each) => each.startsWith(stem) && each.endsWith('.txt'));
  if (file === undefined) return undefined;
  const words = toWords(readFileSync(join(folder, file), 'utf8'));
  return { words, language: file.slice(stem.length, -'.txt'.length) || 'eng' };
}

const jpeg = ({ data, width, height }: Rgb): Sharp =>
  sharp(data, { raw: { width, height, channels: 3 } }).jpeg({ quality: JPEG_QUALITY });

const jpegBytes = async (page: Rgb): Promise<number> => (await jpeg(page).toBuffer()).length;

const percent = (share: number): string => (Number.isNaN(share) ? '–' : `${(100 * share).toFixed(1)} %`);

const seconds = (cpu: number): string => (Number.isNaN(cpu) ? '–' : `${cpu.toFixed(1)} s`);

const inWords = ({ errors, white, ink, colours, growth, cpu }: Measured): string =>
  `errors ${percent(errors)}, white ${percent(white)}, ink ${percent(ink)}, colours ${percent(colours)}, growth ${growth.toFixed(2)}, ${seconds(cpu)}`;

function print(rows: ReadonlyMap<string, readonly Measured[]>): void {
  console.log(
    '\n| cleaned by | pages | words misread | paper white | ink kept | colours kept | growth | CPU time a page |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const [name, all] of rows) {
    const mean = (of: keyof Measured): number => {
      const known = all.map((row) => row[of]).filter((value) => !Number.isNaN(value));
      return known.length === 0 ? Number.NaN : known.reduce((sum, value) => sum + value, 0) / known.length;
    };
    console.log(
      `| ${name} | ${all.length} | ${percent(mean('errors'))} | ${percent(mean('white'))} | ${percent(mean('ink'))} | ` +
        `${percent(mean('colours'))} | ${mean('growth').toFixed(2)} | ${seconds(mean('cpu'))} |`,
    );
  }
  const known = [...rows.values()][0]!;
  const [read, coloured] = [
    known.filter(({ errors }) => !Number.isNaN(errors)),
    known.filter(({ colours }) => !Number.isNaN(colours)),
  ];
  console.log(`Words are of ${read.length} pages with a text, colours of ${coloured.length} pages that have some.`);
}
