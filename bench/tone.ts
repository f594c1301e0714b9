import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { CONTENDERS } from './tone/contenders.ts';
import { fetchHeld } from './tone/held.ts';
import { measureCasts, measureExposures, measureKept, measureOrder, measurePairs, type Row } from './tone/measures.ts';
import { photographsIn, setFrom, smallSets, type ToneSets } from './tone/sets.ts';
import { writeSheets } from './tone/sheets.ts';

/**
 * Compares the tone of the engine with the picture as it is, `normalise` and shades of grey, in one run: `npm run bench:tone -- --pairs
 * <folder> --exposures <folder> --casts <folder> --white <folder> --night <folder> --everyday <folder>`. A set that is not named is left
 * out. Prints mean ΔE at 256 pixels. `--held <folder>` measures the sets of bench/tone/held.tsv, on which nothing is tuned, and downloads
 * what is missing there. `--order <folder>` measures the order of exposures in small steps. `--small` measures five small pictures of the
 * repository. `--floors <file>` fails above a value of the JSON file.
 * `--sheets <folder>` shows the `--shown 30` everyday pictures that ENHANCE changes most, before and after.
 */
const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    pairs: text,
    exposures: text,
    casts: text,
    white: text,
    night: text,
    everyday: text,
    held: text,
    order: text,
    small: { type: 'boolean', default: false },
    floors: text,
    sheets: text,
    shown: { type: 'string', default: '30' },
  },
});

const folders = values.held === undefined ? values : { ...(await fetchHeld(values.held)), ...values };
const sets: ToneSets = values.small ? await smallSets() : await setFrom(folders);
const rows: Row[] = [
  ...(await measurePairs(sets.pairs)),
  ...(await measureExposures(sets.exposures)),
  ...(await measureOrder(await photographsIn(values.order))),
  ...(await measureCasts(sets.casts)),
  ...(await measureKept('white', sets.white)),
  ...(await measureKept('night', sets.night)),
  ...(await measureKept('everyday', sets.everyday)),
];
if (rows.length === 0) throw new Error('Name a set, such as --everyday <folder>, or --small.');
const line = (name: string, cells: string[]): string =>
  name.padEnd(34) + cells.map((cell) => cell.padStart(16)).join('');
console.log(line('', Object.keys(CONTENDERS)));
for (const { name, cells } of rows)
  console.log(
    line(
      name,
      cells.map((cell) => cell.toFixed(2)),
    ),
  );
if (values.sheets !== undefined)
  console.log(`Sheets: ${await writeSheets(values.sheets, sets.everyday, Number(values.shown))}`);
if (values.floors !== undefined) checkFloors(values.floors);

/** Fails the run for each value above that of the file. */
function checkFloors(file: string): void {
  const floors = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, number>>;
  for (const [name, own] of Object.entries(floors)) {
    for (const [contender, most] of Object.entries(own)) {
      const found = rows.find((row) => row.name === name)?.cells[Object.keys(CONTENDERS).indexOf(contender)];
      if (found !== undefined && found <= most) continue;
      console.log(`${name}: ${contender} is ${found?.toFixed(2)}, above ${most}.`);
      process.exitCode = 1;
    }
  }
}
