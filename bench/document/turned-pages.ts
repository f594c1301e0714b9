import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { resolvePdfParameters } from '@burnish/contract';
import { noteInWords } from '../../src/domain/notes/note-in-words.ts';
import type { TextReader } from '../../src/sandbox/text/text-reader.ts';
import { enhancePdf } from '../../packages/engine/src/pdf/enhance/enhance.ts';
import { findOrientation, measureOrientation } from '../../packages/engine/src/image/orientation/find-orientation.ts';
import type { Picture } from '../../packages/engine/src/image/picture.ts';
import { quarterTurned, type QuarterTurns } from '../../packages/engine/src/image/quarter-turn.ts';
import { createReader } from './create-reader.ts';
import { toWords } from './judge-page.ts';
import { scannedPdf } from './scanned-pdf.ts';
import { readSourcePages, type SourcePage } from './source-pages.ts';

/** Words of a page whose recall is measured. */
const LEAST_WORDS = 50;

export interface TurnedPagesOptions {
  every: number;
  /** Reads the turned pages with Tesseract, with its data on directions or without */
  text: 'none' | 'read' | 'without-direction';
  out: string | undefined;
}

/**
 * Turns the pages of PDFs and pictures by quarters, and prints how many the engine turns back, by their letters alone, and the share of
 * their words that the text of its result has.
 */
export async function measureTurnedPages(folder: string, { every, text, out }: TurnedPagesOptions): Promise<void> {
  const right = { pages: 0, turned: 0, known: 0 };
  const turned = { pages: 0, upright: 0, wrong: 0 };
  const recalls: number[] = [];
  const reader = text === 'none' ? undefined : createReader(text === 'read');
  let at = 0;
  for await (const page of readSourcePages(folder, every)) {
    at += 1;
    const turns = (1 + (at % 3)) as QuarterTurns;
    const upright = findOrientation(page.picture);
    right.pages += 1;
    if (upright === 0) right.known += 1;
    else if (upright !== undefined) right.turned += 1;
    const lying = quarterTurned(page.picture, turns);
    const back = findOrientation(lying);
    turned.pages += 1;
    if (back === 4 - turns) turned.upright += 1;
    else if (back !== undefined) turned.wrong += 1;
    const evidence = measureOrientation(page.picture);
    const figures =
      evidence === undefined
        ? 'no letters'
        : `${evidence.letters} letters say ${evidence.turns}: ${evidence.mean.toFixed(2)}, ${evidence.errors.toFixed(1)} errors`;
    console.log(`${page.name}: ${upright ?? 'unknown'}, ${90 * turns}° turned by ${back ?? 'nothing'}; ${figures}`);
    if (reader === undefined || page.words.length < LEAST_WORDS) continue;
    const recall = await recallOf(page, lying, { reader, out });
    recalls.push(recall.share);
    console.log(`  ${percent(recall.share)} of ${page.words.length} words. ${recall.notes}`);
  }
  console.log(
    `${right.turned} of ${right.pages} right pages turned, ${right.known} known as right; ${turned.upright} of ${turned.pages} turned pages upright, ${turned.wrong} wrong.`,
  );
  const mean = recalls.reduce((sum, share) => sum + share, 0) / recalls.length;
  if (recalls.length > 0) console.log(`Recall of words on ${recalls.length} turned pages: ${percent(mean)}.`);
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Cleans and reads a turned page in a PDF, and finds the words that poppler reads in the result among those of the page. */
async function recallOf(
  page: SourcePage,
  { data, width, height }: Picture,
  { reader, out }: { reader: TextReader; out: string | undefined },
): Promise<{ share: number; notes: string }> {
  const scratch = mkdtempSync(join(tmpdir(), 'burnish-bench-'));
  try {
    const [inputPath, outputPath] = [join(scratch, 'input.pdf'), join(scratch, 'output.pdf')];
    const file = await sharp(data, { raw: { width, height, channels: 1 } })
      .png()
      .toBuffer();
    writeFileSync(inputPath, await scannedPdf({ file, dpi: page.dpi, words: [], damage: 'nothing' }));
    const { signal } = new AbortController();
    const { notes } = await enhancePdf({
      inputPath,
      outputPath,
      parameters: resolvePdfParameters({ mode: 'DOCUMENT', text: true }, 1200),
      readWords: ({ languages, ...scan }) => reader.read(scan, { account: 'bench', languages, signal }),
    });
    if (out !== undefined) {
      mkdirSync(out, { recursive: true });
      execFileSync('pdftoppm', [
        '-r',
        '100',
        '-png',
        '-singlefile',
        outputPath,
        join(out, page.name.replace(/\W+/gu, '-')),
      ]);
    }
    const read = new Map<string, number>();
    for (const word of toWords(execFileSync('pdftotext', [outputPath, '-']).toString()))
      read.set(word, (read.get(word) ?? 0) + 1);
    let found = 0;
    for (const word of page.words) {
      const left = read.get(word) ?? 0;
      if (left === 0) continue;
      found += 1;
      read.set(word, left - 1);
    }
    return { share: found / page.words.length, notes: notes.map(noteInWords).join(' ') };
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
