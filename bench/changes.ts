import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { improveTone } from '../packages/engine/src/image/steps/tone.ts';
import type { Look } from '../packages/engine/src/image/steps/looks.ts';
import { image, withLight } from './quality/cases.ts';
import { colourError, type Rgb } from './quality/metrics.ts';
import { filesBelow, load } from './quality/photographs.ts';

/**
 * Shows what the tone of the engine changes in photographs that nobody chose: `npm run bench:changes -- <folder>`. Prints the change
 * (mean ΔE) of the pictures in each folder below it, the worst first, and of a second pass. Writes sheets with the worst, before on the left
 * and after on the right, and a table of all. `--mode NATURAL` measures another look, `--worst 24` shows fewer pictures, and `--out` names
 * another folder than out/changes. `--exposures` also counts the steps of exposure of every eighth picture that come out darker.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mode: { type: 'string', default: 'ENHANCE' },
    worst: { type: 'string', default: '100' },
    out: { type: 'string', default: join('out', 'changes') },
    exposures: { type: 'boolean', default: false },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('Name a folder with photographs: npm run bench:changes -- <folder>.');

/** Longest side of a picture, pixels: grain and blocks of a phone's picture still show. */
const SIDE = 1024;
/** Every so many pixels count for the ΔE; the number shares no factor with usual widths. */
const EVERY = 7;
/** Longest side on a sheet, pixels, and pairs across and down. */
const [SHOWN, ACROSS, DOWN] = [380, 2, 6];
const STRONG = 6;
/** Stops of light at which a scene is compared with itself, in every so many pictures. */
const [STOPS, STOPS_EVERY] = [[-2, -1.5, -1, -0.5, 0, 0.5, 0.8], 8];

interface Change {
  file: string;
  kind: string;
  /** Mean ΔE of the result to the picture, and of the result's result to the result */
  change: number;
  again: number;
  luma: { before: number; after: number };
}

const changes: Change[] = [];
/** How much darker each step of more light comes out, levels */
const falls: number[] = [];
for (const path of filesBelow(folder)) {
  const picture = await load(path, SIDE).catch(() => undefined);
  if (picture === undefined) continue;
  const once = await enhanced(picture);
  const change = colourError(sparse(picture), sparse(once));
  const again = change === 0 ? 0 : colourError(sparse(once), sparse(await enhanced(once)));
  const file = relative(folder, path);
  changes.push({ file, kind: dirname(file), change, again, luma: { before: mean(picture), after: mean(once) } });
  if (values.exposures && changes.length % STOPS_EVERY === 0) falls.push(...(await fallsOf(picture)));
}
if (changes.length === 0) throw new Error(`There are no photographs in ${folder}.`);
changes.sort((a, b) => b.change - a.change);

const kinds = [...new Set(changes.map(({ kind }) => kind))].sort();
console.log(
  row(
    'ΔE',
    'pictures',
    'mean',
    '50 %',
    '75 %',
    '90 %',
    '95 %',
    '99 %',
    'worst',
    '< 0.5',
    `> ${STRONG}`,
    'again',
    'worst',
  ),
);
for (const kind of kinds)
  print(
    kind,
    changes.filter((own) => own.kind === kind),
  );
print('all', changes);
if (falls.length > 0) {
  const reversed = falls.filter((fall) => fall > 1).length;
  const most = Math.max(...falls).toFixed(1);
  console.log(`\nOf ${falls.length} steps of exposure, ${reversed} reverse by more than one level, at most ${most}.`);
}

mkdirSync(values.out, { recursive: true });
const lines = changes.map(({ file, change, again, luma }) =>
  [file, ...[change, again, luma.before, luma.after].map((value) => value.toFixed(2))].join('\t'),
);
writeFileSync(join(values.out, 'changes.tsv'), `file\tchange\tagain\tluma before\tluma after\n${lines.join('\n')}\n`);
const worst = changes.slice(0, Number(values.worst)).filter(({ change }) => change > 0);
for (let sheet = 0; sheet * ACROSS * DOWN < worst.length; sheet += 1) {
  const path = join(values.out, `${String(sheet + 1).padStart(2, '0')}.png`);
  await writeSheet(path, worst.slice(sheet * ACROSS * DOWN, (sheet + 1) * ACROSS * DOWN));
}
console.log(`\nThe worst ${worst.length}, and a table of all: ${values.out}`);

async function enhanced(picture: Rgb): Promise<Rgb> {
  const copy = { ...picture, data: picture.data.slice(), channels: 3, space: 'rgb', hasAlpha: false } as const;
  await improveTone(copy, values.mode as Look);
  return copy;
}

async function fallsOf(picture: Rgb): Promise<number[]> {
  const levels: number[] = [];
  for (const stops of STOPS)
    levels.push(mean(await enhanced(withLight(picture, [2 ** stops, 2 ** stops, 2 ** stops]))));
  return levels.slice(1).map((level, i) => levels[i]! - level);
}

function sparse({ data }: Rgb): Rgb {
  const width = Math.ceil(data.length / 3 / EVERY);
  return {
    data: Uint8Array.from({ length: 3 * width }, (_, i) => data[3 * EVERY * Math.floor(i / 3) + (i % 3)]!),
    width,
    height: 1,
  };
}

function mean({ data }: Rgb): number {
  return data.reduce((sum, value) => sum + value, 0) / data.length;
}

function print(name: string, own: readonly Change[]): void {
  const at = (part: number): number => own[Math.floor((own.length - 1) * (1 - part))]!.change;
  const average = (of: (change: Change) => number): number => own.reduce((sum, c) => sum + of(c), 0) / own.length;
  const count = (is: (change: number) => boolean): string => String(own.filter(({ change }) => is(change)).length);
  const figures = [average((c) => c.change), at(0.5), at(0.75), at(0.9), at(0.95), at(0.99), at(1)].map((v) =>
    v.toFixed(2),
  );
  const again = [average((c) => c.again), Math.max(...own.map((c) => c.again))].map((v) => v.toFixed(2));
  console.log(
    row(
      name,
      String(own.length),
      ...figures,
      count((c) => c < 0.5),
      count((c) => c > STRONG),
      ...again,
    ),
  );
}

function row(name: string, ...cells: string[]): string {
  return name.padEnd(20) + cells.map((cell) => cell.padStart(9)).join('');
}

async function writeSheet(path: string, shown: readonly Change[]): Promise<void> {
  const line = 16;
  const [wide, high] = [2 * SHOWN + 8, SHOWN * 0.75 + line];
  const cells = await Promise.all(
    shown.map(async ({ file, change }, n) => {
      const before = await load(join(folder!, file), SIDE);
      const [left, top] = [(n % ACROSS) * wide, Math.floor(n / ACROSS) * high];
      const pictures = [before, await enhanced(before)];
      const layers = pictures.map(async (picture, i) => ({
        input: await image(picture)
          .resize({ width: SHOWN, height: high - line, fit: 'inside' })
          .png()
          .toBuffer(),
        left: left + i * SHOWN,
        top: top + line,
      }));
      const label = `${change.toFixed(1)} ${dirname(file)} ${basename(file)}`.replace(/[&<]/g, '');
      return { layers: await Promise.all(layers), label: `<text x="${left + 2}" y="${top + 12}">${label}</text>` };
    }),
  );
  const [width, height] = [ACROSS * wide, Math.ceil(shown.length / ACROSS) * high];
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="12">${cells.map(({ label }) => label).join('')}</svg>`;
  await sharp({ create: { width, height, channels: 3, background: 'white' } })
    .composite([...cells.flatMap(({ layers }) => layers), { input: Buffer.from(text) }])
    .png()
    .toFile(path);
}
