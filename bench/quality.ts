import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { CASES } from './quality/cases.ts';
import type { QualityCase } from './quality/cases.ts';
import { writeContactSheet } from './quality/contact-sheet.ts';
import type { Row } from './quality/contact-sheet.ts';
import { byEngine, bySharp, pixels } from './quality/contenders.ts';
import type { Attempt } from './quality/contenders.ts';
import { photographs } from './quality/photographs.ts';
import type { Photograph } from './quality/photographs.ts';
import { createTable } from './quality/table.ts';
import { engineTiers, NO_TIER } from './quality/tiers.ts';
import type { Tier } from './quality/tiers.ts';

/**
 * What the engine does for picture quality, beside plain sharp: `npm run bench:quality -- [folder of photographs]`.
 * Prints means over the photographs and writes a sheet of crops to out/quality.png. BENCH_CASE limits it to cases: the
 * beginnings of their names, with commas between.
 */
const [folder] = process.argv.slice(2);
const wanted = (process.env['BENCH_CASE'] ?? '').split(',');
const scratch = mkdtempSync(join(tmpdir(), 'burnish-quality-'));
const sheet = join('out', 'quality.png');
/** Where the tests keep them, too */
const MODELS = join('.cache', 'models');
/** Number of photographs with crops on the sheet */
const SHOWN = 4;

type Contender = [name: string, run: (damaged: Buffer, original: Photograph) => Promise<Attempt>];

function contenders({ parameters, tiered, remedies }: QualityCase, tiers: Tier[]): Contender[] {
  const engine: Contender[] = (tiered ? tiers : [NO_TIER]).map((tier) => [
    tier.name,
    (damaged) => byEngine(damaged, { ...tier, parameters: { ...parameters, ...tier.parameters } }, scratch),
  ]);
  const plain: Contender[] = Object.entries(remedies).map(([name, remedy]) => [
    `sharp ${name}`,
    (damaged, original) => bySharp(damaged, remedy, original),
  ]);
  return [...plain, ...engine];
}

try {
  console.log(`${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, Node ${process.version}`);
  const originals = await photographs(folder);
  if (originals.length === 0) throw new Error(`There are no photographs in ${folder}.`);
  const pixelsInAll = originals.reduce((sum, { width, height }) => sum + width * height, 0);
  console.log(
    `${originals.length} photographs, ${(pixelsInAll / 1e6).toFixed(1)} megapixels: ${originals.map(({ name }) => name).join(', ')}`,
  );
  const cases = CASES.filter(({ name }) => wanted.some((beginning) => name.startsWith(beginning)));
  const tiers = cases.some(({ tiered }) => tiered) ? await engineTiers(MODELS) : [];
  const rows: Row[] = [];
  for (const quality of cases) {
    const table = createTable(quality.name);
    const entrants = contenders(quality, tiers);
    for (const [index, original] of originals.entries()) {
      const damaged = await quality.damage(original, index);
      const asItIs = await pixels(damaged);
      const row: Row = {
        label: `${quality.name}, ${original.name}`,
        pictures: [{ label: 'original', picture: original }],
      };
      if (asItIs.width === original.width) table.add('as it is', original, { ...asItIs, cpuSeconds: 0 });
      row.pictures.push({ label: 'damaged', picture: await atSize(damaged, original) });
      for (const [name, run] of entrants) {
        // The first run of each loads code and models.
        if (index === 0) await run(damaged, original);
        const attempt = await run(damaged, original);
        table.add(name, original, attempt);
        row.pictures.push({ label: name, picture: attempt });
      }
      if (index < SHOWN) rows.push(row);
    }
    console.log(`\n${table.text()}`);
  }
  mkdirSync('out', { recursive: true });
  await writeContactSheet(sheet, rows);
  console.log(`\nCrops: ${sheet}`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** The damaged picture at the size of the original, each pixel as a square. */
async function atSize(damaged: Buffer, { width, height }: Photograph): Promise<Attempt> {
  return bySharp(await sharp(damaged).toBuffer(), (image) => image.resize(width, height, { kernel: 'nearest' }), {
    width,
    height,
  });
}
