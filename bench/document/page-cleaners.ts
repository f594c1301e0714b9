import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Rgb } from '../quality/metrics.ts';

/** A program that cleans the picture of a page. */
export interface PageCleaner {
  name: string;
  program: string;
  arguments: (from: string, to: string) => string[];
}

/** unpaper as it comes, and what users of ImageMagick do: turn, divide by the blurred page, stretch the levels. */
const CLEANERS: readonly PageCleaner[] = [
  { name: 'unpaper', program: 'unpaper', arguments: (from, to) => ['--overwrite', from, to] },
  {
    name: 'ImageMagick',
    program: 'convert',
    arguments: (from, to) =>
      [from, '-deskew 40% ( +clone -blur 0x20 ) -compose Divide_Src -composite -level 20%,95%', to].flatMap((part) =>
        part === from || part === to ? [part] : part.split(' '),
      ),
  },
];

const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;

export function installedCleaners(): PageCleaner[] {
  return CLEANERS.filter(({ name, program }) => {
    const installed = isInstalled(program);
    if (!installed) console.log(`${name} is not installed, so the table leaves it out.`);
    return installed;
  });
}

/** Runs a cleaner on a PPM file. @returns the page, and the CPU time, seconds */
export async function runCleaner(
  { program, arguments: words }: PageCleaner,
  from: string,
  folder: string,
): Promise<{ file: string; page: Rgb; cpu: number }> {
  const file = join(folder, `${program}.ppm`);
  const timed = [
    '-c',
    `TIMEFORMAT='%U %S'; time "$@" > ${join(folder, 'log')} 2>&1`,
    'bash',
    program,
    ...words(from, file),
  ];
  const { stderr } = await promisify(execFile)('bash', timed);
  const cpu = stderr
    .trim()
    .split(' ')
    .reduce((sum, seconds) => sum + Number(seconds), 0);
  return { file, page: readPpm(readFileSync(file)), cpu };
}

/** Reads a PPM or PGM file of 8 bits. */
export function readPpm(file: Buffer): Rgb {
  const header = /^(P[56])\s+(?:#.*\s+)*(\d+)\s+(\d+)\s+255\s/u.exec(file.toString('latin1', 0, 200));
  if (header === null) throw new Error('The picture is no PPM file of 8 bits.');
  const [width, height] = [Number(header[2]), Number(header[3])];
  const samples = file.subarray(header[0].length);
  if (header[1] === 'P6') return { data: new Uint8Array(samples), width, height };
  const data = new Uint8Array(3 * width * height);
  for (let at = 0; at < width * height; at += 1) data.fill(samples[at]!, 3 * at, 3 * at + 3);
  return { data, width, height };
}
