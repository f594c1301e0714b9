import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { resolvePdfParameters } from '@burnish/contract';
import { enhancePdf } from '../../packages/engine/src/pdf/enhance/enhance.ts';
import { createReader } from './create-reader.ts';
import { toWords } from './judge-page.ts';
import { scannedPdf } from './scanned-pdf.ts';
import { readSourcePages } from './source-pages.ts';

const ONE_THREAD = { ...process.env, OMP_THREAD_LIMIT: '1' };

/** Words of a page whose order is measured. */
const LEAST_WORDS = 50;

/** What reads the text of a PDF in order. */
const READERS: Record<string, (path: string) => string[]> = {
  poppler: (path) => ['pdftotext', path, '-'],
  MuPDF: (path) => ['mutool', 'draw', '-q', '-F', 'text', path],
};

/** Programs that make a scan searchable, with the command of each. */
const OTHERS: Record<string, (input: string, output: string) => string[]> = {
  OCRmyPDF: (input, output) => ['ocrmypdf', '--quiet', '--output-type', 'pdf', '-j', '1', '-O0', input, output],
};

/**
 * Scans the pages of PDFs, makes them searchable, and prints the share of neighbouring words that readers of PDFs find as neighbours,
 * of those that were read: beside the order in which Tesseract prints them, and other installed programs.
 */
export async function measureReadingOrder(folder: string, every: number): Promise<void> {
  const reader = createReader(true);
  const readers = Object.entries(READERS).filter(([, command]) => isInstalled(command('')[0]!));
  const others = Object.entries(OTHERS).filter(([, command]) => isInstalled(command('', '')[0]!));
  const rows = new Map<string, number[]>();
  for await (const page of readSourcePages(folder, every)) {
    if (page.words.length < LEAST_WORDS) continue;
    const scratch = mkdtempSync(join(tmpdir(), 'burnish-bench-'));
    try {
      const { data, width, height } = page.picture;
      const file = await sharp(data, { raw: { width, height, channels: 1 } })
        .png()
        .toBuffer();
      const input = join(scratch, 'input.pdf');
      writeFileSync(input, await scannedPdf({ file, dpi: page.dpi, words: [], damage: 'nothing' }));
      const { signal } = new AbortController();
      const own = join(scratch, 'Burnish.pdf');
      const read: string[] = [];
      await enhancePdf({
        inputPath: input,
        outputPath: own,
        parameters: {
          ...resolvePdfParameters({ customColorConfig: { auto: false }, text: true }),
          targetResolution: 0,
        },
        readWords: async ({ languages, ...scan }) => {
          const words = await reader.read(scan, { account: 'bench', languages, signal });
          if (Array.isArray(words)) read.push(...words.map(({ text }) => text));
          return words;
        },
      });
      const results = new Map([['Burnish', own]]);
      for (const [name, command] of others) {
        const output = join(scratch, `${name}.pdf`);
        const [program, ...rest] = command(input, output);
        execFileSync(program!, rest, { stdio: 'ignore', env: ONE_THREAD });
        results.set(name, output);
      }
      const figures = new Map<string, number>();
      figures.set('Tesseract', adjacency(page.words, toWords(read.join(' '))));
      for (const [name, path] of results)
        for (const [by, command] of readers) {
          const [program, ...rest] = command(path);
          const text = execFileSync(program!, rest, { stdio: ['ignore', 'pipe', 'ignore'] }).toString();
          figures.set(`${name}, ${by}`, adjacency(page.words, toWords(text)));
        }
      for (const [name, share] of figures) rows.set(name, [...(rows.get(name) ?? []), share]);
      const bytes = readFileSync(own).length - readFileSync(input).length;
      console.log(
        `${page.name}, ${page.words.length} words, ${bytes} bytes: ${[...figures].map(([name, share]) => `${name} ${share.toFixed(3)}`).join('; ')}`,
      );
    } finally {
      rmSync(scratch, { recursive: true });
    }
  }
  console.log('\n| text | pages | neighbours kept: mean | least |\n| --- | --- | --- | --- |');
  for (const [name, shares] of rows) {
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    console.log(`| ${name} | ${shares.length} | ${mean.toFixed(3)} | ${Math.min(...shares).toFixed(3)} |`);
  }
}

/** The share of the neighbours in a text that are neighbours as it is read, of those whose two words were read. */
export function adjacency(words: readonly string[], read: readonly string[]): number {
  const known = new Set(read);
  const pairs = new Map<string, number>();
  for (const [k, word] of read.slice(1).entries()) {
    const pair = `${read[k]!} ${word}`;
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let [wanted, found] = [0, 0];
  for (const [k, word] of words.slice(1).entries()) {
    if (!known.has(word) || !known.has(words[k]!)) continue;
    wanted += 1;
    const pair = `${words[k]!} ${word}`;
    const left = pairs.get(pair) ?? 0;
    if (left === 0) continue;
    found += 1;
    pairs.set(pair, left - 1);
  }
  return found / wanted;
}

const isInstalled = (program: string): boolean => spawnSync('which', [program], { stdio: 'ignore' }).status === 0;
