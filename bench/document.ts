import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { cleanPage } from '../src/engine/image/document/clean-page.ts';
import { colourOfMark, keptStrokes, readWords, toWords, whitePaper, wordErrors } from './document/judge-page.ts';
import { DAMAGES, drawPage, MARKS, pageOrders } from './document/drawn-pages.ts';
import { pixels } from './quality/contenders.ts';
import type { Rgb } from './quality/metrics.ts';

/**
 * Measures `mode: DOCUMENT` on drawn pages, before and after, with Tesseract: `npm run bench:document`. `--every 5` takes each
 * fifth page, `--damage skew` one kind, `--out <folder>` keeps the pages, `--scans <folder>` reads scans with a text beside
 * each instead.
 */
const { values } = parseArgs({
  options: {
    every: { type: 'string', default: '1' },
    damage: { type: 'string' },
    out: { type: 'string' },
    scans: { type: 'string' },
  },
});
const keep = (name: string, file: Buffer): void => {
  if (values.out === undefined) return;
  mkdirSync(values.out, { recursive: true });
  writeFileSync(join(values.out, name), file);
};
const encode = ({ data, width, height }: Rgb): Promise<Buffer> =>
  sharp(data, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 3 })
    .toBuffer();

function cleaned(page: Rgb): { page: Rgb; notes: string[]; cpu: number } {
  const start = process.cpuUsage();
  const given = { ...page, data: Uint8Array.from(page.data), channels: 3, space: 'rgb', hasAlpha: false } as const;
  const { picture, notes } = cleanPage(given);
  const { user } = process.cpuUsage(start);
  return { page: { ...picture, data: Uint8Array.from(picture.data) }, notes, cpu: user / 1e6 };
}

interface Row {
  damage: string;
  words: number;
  before: number;
  after: number;
  white: number;
  strokes: number;
  stamp: number;
  signature: number;
}

if (values.scans === undefined) await measureDrawn();
else await measureScans(values.scans);

async function measureDrawn(): Promise<void> {
  const rows: Row[] = [];
  const orders = pageOrders().filter(
    ({ damage }, k) => k % Number(values.every) === 0 && (values.damage === undefined || damage === values.damage),
  );
  for (const order of orders) {
    const drawn = await drawPage(order);
    const source = await pixels(drawn.file);
    const { page, notes, cpu } = cleaned(source);
    const file = await encode(page);
    const [before, after] = await Promise.all(
      [drawn.file, file].map(async (each) => wordErrors(drawn.words, await readWords(each, drawn.dpi))),
    );
    const row: Row = {
      damage: drawn.damage,
      words: drawn.words.length,
      before: before!,
      after: after!,
      white: whitePaper(drawn.clean, page),
      strokes: keptStrokes(drawn.clean, page),
      stamp: colourOfMark(drawn.clean, page, MARKS.stamp),
      signature: colourOfMark(drawn.clean, page, MARKS.signature),
    };
    rows.push(row);
    const name = drawn.name.replace(/, | /gu, '-');
    keep(`${name}-before.png`, drawn.file);
    keep(`${name}-after.png`, file);
    console.log(
      `${drawn.name}: word errors ${percent(row.before)} → ${percent(row.after)}, white ${percent(row.white)}, strokes ${percent(row.strokes)}, ` +
        `ΔE ${row.stamp.toFixed(1)} ${row.signature.toFixed(1)}, ${cpu.toFixed(2)} CPU-s. ${notes.join(' ')}`,
    );
  }
  console.log(
    '\n| damage | pages | word errors before | after | white paper | strokes kept | ΔE of stamp, signature, most |',
  );
  for (const damage of [...DAMAGES, 'whole set']) {
    const own = rows.filter((row) => damage === 'whole set' || row.damage === damage);
    if (own.length === 0) continue;
    const mean = (read: (row: Row) => number): number => own.reduce((sum, row) => sum + read(row), 0) / own.length;
    const most = (read: (row: Row) => number): string => Math.max(...own.map((row) => read(row) || 0)).toFixed(1);
    console.log(
      `| ${damage} | ${own.length} | ${percent(mean((r) => r.before))} | ${percent(mean((r) => r.after))} | ${percent(mean((r) => r.white))} | ` +
        `${percent(mean((r) => r.strokes))} | ${most((r) => r.stamp)}, ${most((r) => r.signature)} |`,
    );
  }
  const worse = rows.filter(({ before, after }) => after > before + 0.02).length;
  const white = rows.filter((row) => row.white >= 0.95).length;
  console.log(
    `${worse} pages are worse by more than 2 points. On ${white} of ${rows.length} pages, 95 % of the paper is white.`,
  );
}

async function measureScans(folder: string): Promise<void> {
  for (const name of readdirSync(folder).filter((each) => /\.(tif|png|jpe?g)$/u.test(each))) {
    const source = await sharp(join(folder, name)).png().toBuffer();
    const { page, notes } = cleaned(await pixels(source));
    const after = await encode(page);
    keep(`${name}-after.png`, after);
    const text = readdirSync(folder).find(
      (each) => each.startsWith(name.replace(/[_.][^.]*$|\.[a-z]+$/u, '')) && each.endsWith('.txt'),
    );
    if (text === undefined) {
      console.log(`${name} (no text): ${notes.join(' ')}`);
      continue;
    }
    const truth = toWords(readFileSync(join(folder, text), 'utf8'));
    const errors = await Promise.all(
      [source, after].map(async (file) => wordErrors(truth, await readWords(file, 300))),
    );
    console.log(`${name}: ${errors.map(percent).join(' → ')}. ${notes.join(' ')}`);
  }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
