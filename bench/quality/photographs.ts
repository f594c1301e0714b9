import { existsSync, readdirSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import sharp from 'sharp';
import { fileURLToPath } from 'node:url';
import { syntheticPhotograph } from '../../packages/engine/test/support/photograph.ts';
import type { Rgb } from './metrics.ts';

export interface Photograph extends Rgb {
  name: string;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Longest side, pixels. At this size, a photograph shows neither noise nor compression blocks. */
const SIDE = 640;
const EXTENSIONS = ['.jpg', '.jpeg', '.png', '.webp', '.tif', '.tiff'];

/**
 * Photographs of freely licensed packages, identified by eye: Debian's lomiri-wallpapers-16.04 (CC BY 4.0, CC BY-SA 4.0 and
 * CC0, by the people in the file names). None of them may be used for training.
 */
const SYSTEM_FOLDER = '/usr/share/backgrounds';
const SYSTEM_FILES = [
  'Bridge_by_Sander_Klootwijk.jpg',
  'Dragonfly_by_Bolly.jpg',
  'Picture_0B_by_freespace.jpg',
  'Picture_1A_by_freespace.jpg',
  'aitzgorri_by_Aitzol_Berasategi.jpg',
  'free_by_Peter_Nerlich.jpg',
  'friends_by_Aitzol_Berasategi.jpg',
  'life_by_Aitzol_Berasategi.jpg',
  'picosdeeuropa_by_Aitzol_Berasategi.jpg',
  'seeding_by_Clements_Engelhardt.jpg',
  'sunset_by_Aitzol_Berasategi.jpg',
  'Wine_by_Jakkub_Mede.jpg',
];

/**
 * Loads the photographs of a folder, if it exists, or without a folder those of the system package.
 * @throws Error without the system package
 */
export async function photographs(folder?: string): Promise<Photograph[]> {
  if (folder !== undefined) {
    if (!existsSync(folder)) return [];
    const names = readdirSync(folder).filter((name) => EXTENSIONS.includes(extname(name).toLowerCase()));
    return Promise.all(names.sort().map((name) => load(join(folder, name))));
  }
  const installed = SYSTEM_FILES.map((name) => join(SYSTEM_FOLDER, name)).filter((path) => existsSync(path));
  if (installed.length === 0)
    throw new Error(
      'There are no photographs: name a folder, or install the package lomiri-wallpapers-16.04 of Debian.',
    );
  return Promise.all(installed.map((path) => load(path)));
}

/** Longest side of the small set, pixels. */
const SMALL_SIDE = 320;

/** Loads a small set without foreign rights: a rendered lake, a portrait in the public domain, and three made landscapes. */
export async function smallSet(): Promise<Photograph[]> {
  const files = ['packages/engine/test/fixtures/lake.jpg', 'packages/engine/test/fixtures/portrait.jpg'];
  const loaded = await Promise.all(files.map((path) => load(join(ROOT, path), SMALL_SIDE)));
  const made = [1, 2, 3].map((seed) => {
    const { data, width, height } = syntheticPhotograph(SMALL_SIDE, 240, seed);
    return { name: `landscape ${seed}`, data: Uint8Array.from(data), width, height };
  });
  return [...loaded, ...made];
}

/**
 * Loads pictures with real faults and their truths. The files are in `given` and `truth`, if the folder has them, and a name in `given`
 * begins with that of its truth, such as `truth/beach.jpg` and `given/beach-tungsten.jpg`.
 * @throws Error for a picture without a truth, or with one of another shape
 */
export async function pairsOf(folder: string, side = SIDE): Promise<{ given: Photograph; truth: Photograph }[]> {
  if (!existsSync(join(folder, 'given'))) return [];
  const names = (part: string): string[] =>
    readdirSync(join(folder, part)).filter((name) => EXTENSIONS.includes(extname(name).toLowerCase()));
  const truths = names('truth').sort((a, b) => b.length - a.length);
  return Promise.all(
    names('given')
      .sort()
      .map(async (name) => {
        const own = truths.find((truth) => name.startsWith(basename(truth, extname(truth))));
        if (own === undefined)
          throw new Error(`There is no truth for given/${name}; name its truth as the beginning of it.`);
        const [given, truth] = await Promise.all([
          load(join(folder, 'given', name), side),
          load(join(folder, 'truth', own), side),
        ]);
        if (given.width !== truth.width || given.height !== truth.height)
          throw new Error(`given/${name} and truth/${own} differ in shape; crop them to the same part.`);
        return { given, truth };
      }),
  );
}

/** Lists the photographs in a folder and in the folders below it. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => EXTENSIONS.includes(extname(name).toLowerCase()))
    .sort()
    .map((name) => join(folder, name));
}

/**
 * Loads a photograph in sRGB, on white where it is transparent, with even sides, so that their halves are integers.
 * @param side longest side at most, pixels
 */
export async function load(path: string, side = SIDE): Promise<Photograph> {
  const { data, info } = await sharp(path)
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const [width, height] = [info.width & ~1, info.height & ~1];
  const even = await sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } })
    .extract({ left: 0, top: 0, width, height })
    .raw()
    .toBuffer();
  return { name: basename(path, extname(path)), data: Uint8Array.from(even), width, height };
}
