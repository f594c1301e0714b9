import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { image, withCameraNoise, withLight } from './cases.ts';
import { pixels } from './contenders.ts';
import type { Rgb } from './metrics.ts';

/**
 * Makes the photographs in samples/ from the originals in a folder: `node --import tsx bench/quality/sample-photographs.ts <folder>`.
 * samples/README.md names the packages that contain the originals, and the damage. EXIF and GPS data are not copied.
 */
interface Sample {
  /** File name of the original, and its SHA-256 */
  original: string;
  sha256: string;
  /** Part of the original, pixels; all of it by default */
  part?: { left: number; top: number; width: number; height: number };
  /** Everyday damage; none for a photograph that has a fault of its own */
  damage?: (photograph: Rgb) => Rgb;
  /** Widths of the photograph when the damage happens and of the sample, pixels; that of the part by default */
  taken?: number;
  width?: number;
  /** Quality of the JPEG */
  quality: number;
}

/** A room with three stops too little light */
const DARK = [1 / 8, 1 / 8, 1 / 8];
/** Two thirds of a stop too much light */
const BRIGHT = [1.6, 1.6, 1.6];
/** Light of a warm lamp */
const LAMP = [1.1, 0.72, 0.33];

const SAMPLES: Record<string, Sample> = {
  'dark-room.jpg': {
    original: 'Wine_by_Jakkub_Mede.jpg',
    sha256: 'd2e96e6d4da40dd804b3d0ce295e94de04a2d7d9b6785d42cd9d92ba58bced74',
    damage: (photograph) => withCameraNoise(withLight(photograph, DARK), 1500, 1),
    taken: 1440,
    width: 720,
    quality: 85,
  },
  'against-the-light.jpg': {
    original: 'friends_by_Aitzol_Berasategi.jpg',
    sha256: 'cc40e313c74e421edffe3403def413c16878ce14661cce7ec5915baeab35538d',
    part: { left: 400, top: 620, width: 1000, height: 1000 },
    width: 600,
    quality: 88,
  },
  'yellow-light.jpg': {
    original: 'chelsea.png',
    sha256: '596aa1e7cb875eb79f437e310381d26b338a81c2da23439704a73c4651e8c4bb',
    damage: (photograph) => withLight(photograph, LAMP),
    quality: 80,
  },
  'too-bright.jpg': {
    original: 'astronaut.png',
    sha256: '88431cd9653ccd539741b555fb0a46b61558b301d4110412b5bc28b5e3ea6cb5',
    damage: (photograph) => withLight(photograph, BRIGHT),
    quality: 88,
  },
  'noisy.jpg': {
    original: 'Picture_0B_by_freespace.jpg',
    sha256: 'c8c0ab18e48d9e0419fe42881112137f3afafc27dfddc29ec3a6d54c56d225ad',
    damage: (photograph) => withCameraNoise(photograph, 60, 1),
    taken: 1400,
    width: 700,
    quality: 90,
  },
  'page.jpg': {
    original: 'c03-29.jpg',
    sha256: '3bcdaf988e0578b772c78a1dc4dd038a8b35540855469cedbf133ba8d3874bc5',
    part: { left: 190, top: 220, width: 580, height: 440 },
    quality: 90,
  },
};

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder of the originals.');
const target = fileURLToPath(new URL('../../samples/', import.meta.url));
for (const [name, { original, sha256, part, damage, taken, width, quality }] of Object.entries(SAMPLES)) {
  const bytes = await readFile(join(folder, original));
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== sha256) throw new Error(`${original} has the SHA-256 ${found}. It should have ${sha256}.`);
  const whole = part === undefined ? sharp(bytes).autoOrient() : sharp(bytes).extract(part);
  const photograph = await pixels(
    await whole
      .resize(damage === undefined ? width : taken)
      .png()
      .toBuffer(),
  );
  const damaged = damage === undefined ? photograph : damage(photograph);
  const { size } = await image(damaged).resize(width).jpeg({ quality }).toFile(join(target, name));
  console.log(`samples/${name}: ${size} bytes`);
}
