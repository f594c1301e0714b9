import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { cleanPage, type CleanPageOptions } from '../packages/engine/src/image/document/clean-page.ts';
import { keptColours, readColouredPages, type KeptColours } from './document/coloured-pages.ts';
import { colourOfMark, keptStrokes, readWords, whitePaper, wordErrors } from './document/judge-page.ts';
import { DAMAGES, drawPage, MARKS, pageOrders, type DrawnPage } from './document/drawn-pages.ts';
import { measureReadingOrder } from './document/reading-order.ts';
import { measureRealPages } from './document/real-pages.ts';
import { measureSkewedPages } from './document/skewed-pages.ts';
import { measureTurnedPages } from './document/turned-pages.ts';
import { measureTwoTonePages } from './document/two-tone-pages.ts';
import { cleanInPdf } from './document/scanned-pdf.ts';
import { noteInWords } from '../src/domain/notes/note-in-words.ts';
import { pixels } from './quality/contenders.ts';
import type { Rgb } from './quality/metrics.ts';

/**
 * Measures `mode: DOCUMENT` on drawn pages, before and after, with Tesseract: `npm run bench:document`. `--every 5` takes each
 * fifth page, `--damage skew` one kind, `--out <folder>` keeps the pages, `--pdfs` takes each page through a PDF that poppler
 * draws, `--pdfs <folder>` cleans real pages beside other programs, and `--colours <folder>` measures what becomes of the colours of leaflets, maps and
 * covers. `--turned <folder>` turns pages by quarters, and `--text read` or `--text without-direction` reads them as well. `--skewed
 * <folder>` turns pages by known angles. `--tones <folder>` measures the bytes of pages of two tones. `--order <folder>`
 * measures the order in which readers of PDFs find the words of a scan.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    every: { type: 'string', default: '1' },
    damage: { type: 'string' },
    out: { type: 'string' },
    pdfs: { type: 'boolean', default: false },
    colours: { type: 'string' },
    turned: { type: 'string' },
    skewed: { type: 'string' },
    tones: { type: 'string' },
    order: { type: 'string' },
    text: { type: 'string', default: 'none' },
  },
});
const [folder] = positionals;
const keep = (name: string, file: Buffer): void => {
  if (values.out === undefined) return;
  mkdirSync(values.out, { recursive: true });
  writeFileSync(join(values.out, name), file);
};
const encode = ({ data, width, height }: Rgb): Promise<Buffer> =>
  sharp(data, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 3 })
    .toBuffer();

interface Cleaned {
  before: Buffer;
  after: Buffer;
  page: Rgb;
  notes: string[];
  cpu: number;
  /** Of a PDF: its size as a multiple of the original */
  growth?: number;
}

async function cleanDrawn(drawn: DrawnPage): Promise<Cleaned> {
  if (!values.pdfs) {
    const { page, ...made } = cleaned(await pixels(drawn.file));
    return { ...made, page, before: drawn.file, after: await encode(page) };
  }
  const start = process.cpuUsage();
  const { before, after, growth, keepsText, notes } = await cleanInPdf(drawn);
  if (!keepsText) throw new Error(`The text layer of ${drawn.name} changed.`);
  return { before, after, page: await pixels(after), notes, cpu: process.cpuUsage(start).user / 1e6, growth };
}

function cleaned(
  page: Rgb,
  options: CleanPageOptions = {},
): { page: Rgb; notes: string[]; balanced: boolean; cpu: number } {
  const start = process.cpuUsage();
  const given = { ...page, data: Uint8Array.from(page.data), channels: 3, space: 'rgb', hasAlpha: false } as const;
  const { picture, notes, changed, lightOnly = false } = cleanPage(given, options);
  const { user } = process.cpuUsage(start);
  return {
    page: { ...picture, data: Uint8Array.from(picture.data) },
    notes: notes.map(noteInWords),
    balanced: changed && !lightOnly,
    cpu: user / 1e6,
  };
}

interface Row {
  damage: string;
  words: number;
  before: number;
  after: number;
  growth: number;
  white: number;
  strokes: number;
  stamp: number;
  signature: number;
}

if (values.turned !== undefined) {
  const text = values.text === 'read' || values.text === 'without-direction' ? values.text : 'none';
  await measureTurnedPages(values.turned, { every: Number(values.every), text, out: values.out });
} else if (values.skewed !== undefined) await measureSkewedPages(values.skewed, Number(values.every));
else if (values.tones !== undefined) await measureTwoTonePages(values.tones, Number(values.every));
else if (values.order !== undefined) await measureReadingOrder(values.order, Number(values.every));
else if (values.colours !== undefined) await measureColours(values.colours);
else if (folder !== undefined) await measureRealPages(folder, { every: Number(values.every), out: values.out });
else await measureDrawn();

async function measureDrawn(): Promise<void> {
  const rows: Row[] = [];
  const orders = pageOrders().filter(
    ({ damage }, k) => k % Number(values.every) === 0 && (values.damage === undefined || damage === values.damage),
  );
  for (const order of orders) {
    const drawn = await drawPage(order);
    const { before: source, after: file, page, notes, cpu, growth } = await cleanDrawn(drawn);
    const [before, after] = await Promise.all(
      [source, file].map(async (each) => wordErrors(drawn.words, await readWords(each, drawn.dpi))),
    );
    const row: Row = {
      damage: drawn.damage,
      words: drawn.words.length,
      before: before!,
      after: after!,
      growth: growth ?? Number.NaN,
      white: whitePaper(drawn.clean, page),
      strokes: keptStrokes(drawn.clean, page),
      stamp: colourOfMark(drawn.clean, page, MARKS.stamp),
      signature: colourOfMark(drawn.clean, page, MARKS.signature),
    };
    rows.push(row);
    const name = drawn.name.replace(/, | /gu, '-');
    keep(`${name}-before.png`, source);
    keep(`${name}-after.png`, file);
    console.log(
      `${drawn.name}: word errors ${percent(row.before)} → ${percent(row.after)}, white ${percent(row.white)}, strokes ${percent(row.strokes)}, ` +
        `ΔE ${row.stamp.toFixed(1)} ${row.signature.toFixed(1)}, growth ${row.growth.toFixed(2)}, ${cpu.toFixed(2)} CPU-s. ${notes.join(' ')}`,
    );
  }
  console.log(
    '\n| damage | pages | word errors before | after | white paper | strokes kept | ΔE of stamp, signature, most | growth: mean, most |',
  );
  for (const damage of [...DAMAGES, 'whole set']) {
    const own = rows.filter((row) => damage === 'whole set' || row.damage === damage);
    if (own.length === 0) continue;
    const mean = (read: (row: Row) => number): number => {
      const known = own.map(read).filter((value) => !Number.isNaN(value));
      return known.reduce((sum, value) => sum + value, 0) / known.length;
    };
    const most = (read: (row: Row) => number): string => {
      const known = own.map(read).filter((value) => !Number.isNaN(value));
      return known.length === 0 ? '–' : Math.max(...known).toFixed(2);
    };
    console.log(
      `| ${damage} | ${own.length} | ${percent(mean((r) => r.before))} | ${percent(mean((r) => r.after))} | ${percent(mean((r) => r.white))} | ` +
        `${percent(mean((r) => r.strokes))} | ${most((r) => r.stamp)}, ${most((r) => r.signature)} | ${mean((r) => r.growth).toFixed(2)}, ${most((r) => r.growth)} |`,
    );
  }
  const worse = rows.filter(({ before, after }) => after > before + 0.02).length;
  const measured = rows.filter((row) => !Number.isNaN(row.white));
  const white = measured.filter((row) => row.white >= 0.95).length;
  console.log(
    `${worse} pages are worse by more than 2 points. On ${white} of ${measured.length} pages, 95 % of the paper is white.`,
  );
}

/** Pages keep their direction, so that each pixel stays at its place. One whose paper is not balanced is compared with itself. */
async function measureColours(folder: string): Promise<void> {
  const all: KeptColours[] = [];
  const tell = (name: string, each: KeptColours, more: string): void =>
    console.log(
      `${name}: ${percent(each.coloured)} coloured: ${percent(each.kept)} of it kept, ${percent(each.grey)} grey, ${percent(each.white)} white; ` +
        `${percent(each.whitePaper)} of the paper white. ${more}`,
    );
  for await (const { name, given, reference } of readColouredPages(folder)) {
    const { page, notes, balanced, cpu } = cleaned(given, { turning: 'keep' });
    const colours = keptColours(balanced ? reference : given, page);
    all.push(colours);
    keep(`${name}-before.png`, await encode(given));
    keep(`${name}-after.png`, await encode(page));
    tell(name, colours, `${cpu.toFixed(2)} CPU-s. ${notes.join(' ')}`);
  }
  const mean = (of: keyof KeptColours): number => {
    const known = all.filter((each) => !Number.isNaN(each[of]));
    const weight = (each: KeptColours): number => (of === 'coloured' || of === 'whitePaper' ? 1 : each.coloured);
    const total = known.reduce((sum, each) => sum + weight(each), 0);
    return known.reduce((sum, each) => sum + weight(each) * each[of], 0) / total;
  };
  const means = { coloured: mean('coloured'), kept: mean('kept'), grey: mean('grey'), white: mean('white') };
  tell(`${all.length} pages`, { ...means, whitePaper: mean('whitePaper') }, '');
}

function percent(share: number): string {
  return Number.isNaN(share) ? '–' : `${(100 * share).toFixed(1)} %`;
}
