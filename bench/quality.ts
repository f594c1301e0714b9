import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { CASES, type QualityCase } from './quality/cases.ts';
import { writeContactSheet, type Row } from './quality/contact-sheet.ts';
import { byEngine, bySharp, pixels, type Attempt } from './quality/contenders.ts';
import { colourError, type Rgb } from './quality/metrics.ts';
import { measureStrict } from './quality/fidelity.ts';
import { findModels } from '../packages/engine/src/neural/find-models.ts';
import { photographs, smallSet, type Photograph } from './quality/photographs.ts';
import { measureEnlarging, measureNoise, type EnhanceFile, type Properties } from './quality/properties.ts';
import { createTable, propertyTable } from './quality/table.ts';
import { engineTiers, NO_TIER, type Tier } from './quality/tiers.ts';

/**
 * Compares the picture quality of the engine with plain sharp, and measures properties of its results: `npm run bench:quality`. Prints
 * means over the photographs, and writes a sheet of crops to out/quality.png. `bench:tone` measures tone and colour. `--set <folder>`
 * measures the photographs in the folder. `--small` measures five small pictures of the repository. BENCH_CASE selects cases and
 * properties by comma-separated prefixes of their names. `--floor <file>` fails when a mean ΔE or a property exceeds its value in the JSON
 * file. A property counts by its worst picture, and by the mean with `, mean` after its name.
 */
const { values } = parseArgs({
  options: { set: { type: 'string' }, floor: { type: 'string' }, small: { type: 'boolean', default: false } },
});
const { set } = values;
const floors = values.floor === undefined ? {} : (JSON.parse(readFileSync(values.floor, 'utf8')) as Floors);
const wanted = (process.env['BENCH_CASE'] ?? '').split(',');
const scratch = mkdtempSync(join(tmpdir(), 'burnish-quality-'));
const sheet = join('out', 'quality.png');
/** Number of photographs with crops on the sheet */
const SHOWN = 4;

/** Maximum ΔE by case and contender, and maximum of each property */
type Floors = Record<string, Record<string, number>>;
type Contender = [name: string, run: (damaged: Buffer, original: Photograph) => Promise<Attempt>];

function contenders({ parameters, tiered, remedies, rivals = {} }: QualityCase, tiers: Tier[]): Contender[] {
  const engine: Contender[] = (tiered ? tiers : [NO_TIER]).map((tier) => [
    tier.name,
    (damaged) => byEngine(damaged, { ...tier, parameters: { ...parameters, ...tier.parameters } }, scratch),
  ]);
  const plain: Contender[] = Object.entries(remedies).map(([name, remedy]) => [
    `sharp ${name}`,
    (damaged, original) => bySharp(damaged, remedy, original),
  ]);
  const others: Contender[] = Object.entries(rivals).map(([name, rival]) => [
    name,
    async (damaged) => {
      const picture = await pixels(damaged);
      const start = process.cpuUsage();
      const result = rival(picture);
      const { user, system } = process.cpuUsage(start);
      return { ...result, cpuSeconds: (user + system) / 1e6 };
    },
  ]);
  return [...plain, ...others, ...engine];
}

try {
  console.log(`${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, Node ${process.version}`);
  const originals = values.small ? await smallSet() : await photographs(set);
  if (originals.length === 0) throw new Error(`There are no photographs in ${set}.`);
  const pixelsInAll = originals.reduce((sum, { width, height }) => sum + width * height, 0);
  console.log(
    `${originals.length} photographs, ${(pixelsInAll / 1e6).toFixed(1)} megapixels: ${originals.map(({ name }) => name).join(', ')}`,
  );
  const isWanted = (name: string): boolean => wanted.some((beginning) => name.startsWith(beginning));
  const cases = CASES.filter(({ name }) => isWanted(name));
  const tiers = cases.some(({ tiered }) => tiered) ? await engineTiers() : [];
  const rows: Row[] = [];
  for (const quality of cases) {
    const table = createTable(quality.name);
    const entrants = contenders(quality, tiers);
    for (const [index, original] of originals.entries()) {
      const damaged = await quality.damage(original, index);
      const asItIs = await pixels(damaged);
      const before = asItIs.width === original.width ? colourError(original, asItIs) : undefined;
      const row: Row = {
        label: `${quality.name}, ${original.name}`,
        pictures: [{ label: 'original', picture: original }],
      };
      if (before !== undefined) table.add('as it is', original, { ...asItIs, cpuSeconds: 0 });
      row.pictures.push({ label: 'damaged', picture: await atSize(damaged, original) });
      for (const [name, run] of entrants) {
        // A warm-up run for each, which loads code and models.
        if (index === 0) await run(damaged, original);
        const attempt = await run(damaged, original);
        table.add(name, original, attempt, before);
        row.pictures.push({ label: name, picture: attempt });
      }
      if (index < SHOWN) rows.push(row);
    }
    console.log(`\n${table.text()}`);
    checkFloors(quality.name, table.errors());
  }
  const models = await findModels('fine', console.log);
  const enhanceFile: EnhanceFile = (file, parameters) => byEngine(file, { models, parameters }, scratch);
  const properties: [name: string, measure: (picture: Rgb, index: number) => Promise<Properties>][] = [
    ['noise AUTO', (picture, index) => measureNoise(picture, index, enhanceFile)],
    ['enlarging', (picture) => measureEnlarging(picture, enhanceFile)],
  ];
  for (const [name, measure] of properties.filter(([name]) => isWanted(name))) {
    const found = new Map<string, Properties>();
    for (const [index, picture] of originals.entries()) found.set(picture.name, await measure(picture, index));
    const table = propertyTable(name, found);
    console.log(`\n${table.text}`);
    checkFloors(name, table.errors);
  }
  if (isWanted('strict')) {
    const { text, below } = await measureStrict(originals, models, scratch);
    console.log(`\n${text}`);
    checkFloors('strict', new Map([['below 45 dB', below]]));
  }
  if (rows.length > 0 && !values.small) {
    mkdirSync('out', { recursive: true });
    await writeContactSheet(sheet, rows);
    console.log(`\nCrops: ${sheet}`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Fails the run for each error above its floor. */
function checkFloors(name: string, errors: ReadonlyMap<string, number>): void {
  for (const [measured, most] of Object.entries(floors[name] ?? {})) {
    const error = errors.get(measured);
    if (error !== undefined && error <= most) continue;
    console.log(`${name}: ${measured} is ${error?.toFixed(2)}, above ${most}.`);
    process.exitCode = 1;
  }
}

/** Enlarges the damaged picture to the size of the original, with each pixel as a square. */
async function atSize(damaged: Buffer, { width, height }: Photograph): Promise<Attempt> {
  return bySharp(await sharp(damaged).toBuffer(), (image) => image.resize(width, height, { kernel: 'nearest' }), {
    width,
    height,
  });
}
