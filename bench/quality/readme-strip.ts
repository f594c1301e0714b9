import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sharp, { type OverlayOptions } from 'sharp';

/**
 * Sends the sample photographs through Burnish, and writes the README's picture: a crop of each before and after, at the size of the
 * result, with one pixel of the file for one of the result. `node --import tsx bench/quality/readme-strip.ts`
 */
const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const PHOTOGRAPH = ['--denoise', '--artifacts', '--faces'];
const PAGE = ['--document', '--upscale', 'X2'];

interface Shown {
  file: string;
  title: string;
  /** Flags of `burnish enhance` */
  flags: string[];
  /** The crop, pixels of the result */
  left: number;
  top: number;
  width: number;
}

/** Pixels */
const [HALF, LINE, GAP] = [214, 2, 12];
const [CROP_HEIGHT, TITLE_HEIGHT] = [240, 30];
const WIDTH = 4 * HALF + 2 * LINE + GAP;
/** Dark in both themes of GitHub, so that the light titles are readable on it */
const [GROUND, TEXT] = ['#1f2328', '#e6edf3'];

const ROWS: Shown[][] = [
  [
    { file: 'dark-room.jpg', title: 'Dark room', flags: PHOTOGRAPH, left: 230, top: 110, width: HALF },
    {
      file: 'against-the-light.jpg',
      title: 'Shaded faces at a window',
      flags: PHOTOGRAPH,
      left: 185,
      top: 75,
      width: HALF,
    },
  ],
  [
    { file: 'yellow-light.jpg', title: 'Yellow light', flags: PHOTOGRAPH, left: 120, top: 30, width: HALF },
    { file: 'too-bright.jpg', title: 'Too much light', flags: PHOTOGRAPH, left: 120, top: 10, width: HALF },
  ],
  [
    { file: 'noisy.jpg', title: 'Noisy JPEG', flags: PHOTOGRAPH, left: 300, top: 150, width: HALF },
    { file: 'page.jpg', title: 'Small scan, X2', flags: PAGE, left: 130, top: 26, width: HALF },
  ],
];

const scratch = await mkdtemp(join(tmpdir(), 'burnish-strip-'));
try {
  const all = ROWS.flat();
  // In an instance of its own: another one may have results of an earlier engine.
  const env = { ...process.env, BURNISH_DATA_DIR: join(scratch, 'data') };
  for (const flags of [PHOTOGRAPH, PAGE]) {
    const files = all.filter((each) => each.flags === flags).map(({ file }) => at(`samples/${file}`));
    const command = [at('scripts/burnish.cjs'), 'enhance', ...files, ...flags, '--format', 'PNG', '--out', scratch];
    console.log((await promisify(execFile)(process.execPath, command, { env })).stdout);
  }
  const layers: OverlayOptions[] = [];
  for (const [row, pairs] of ROWS.entries()) {
    const top = row * (CROP_HEIGHT + TITLE_HEIGHT);
    let left = 0;
    for (const shown of pairs) {
      const [before, after] = await bothOf(shown);
      layers.push(
        { input: await label(`${shown.title}: before`), left: left + 8, top: top + 8 },
        { input: await label('after'), left: left + shown.width + LINE + 8, top: top + 8 },
        { input: before, left, top: top + TITLE_HEIGHT },
        { input: after, left: left + shown.width + LINE, top: top + TITLE_HEIGHT },
      );
      left += 2 * shown.width + LINE + GAP;
    }
  }
  const height = ROWS.length * (CROP_HEIGHT + TITLE_HEIGHT);
  await sharp({ create: { width: WIDTH, height, channels: 3, background: GROUND } })
    .composite(layers)
    .jpeg({ quality: 88, chromaSubsampling: '4:4:4' })
    .toFile(at('docs/images/before-after.jpg'));
} finally {
  await rm(scratch, { recursive: true, force: true });
}

/** The same part of the sample and of its result. A smaller sample is enlarged first, as a browser does it. */
async function bothOf({ file, left, top, width }: Shown): Promise<[Buffer, Buffer]> {
  const result = join(scratch, file.replace(/\.jpg$/, '.png'));
  const size = await sharp(result).metadata();
  const whole = await sharp(at(`samples/${file}`))
    .resize(size.width, size.height, { kernel: 'cubic' })
    .png()
    .toBuffer();
  const part = { left, top, width, height: CROP_HEIGHT };
  const cut = (picture: Buffer | string) => sharp(picture).toColourspace('srgb').extract(part).png().toBuffer();
  return Promise.all([cut(whole), cut(result)]);
}

function label(text: string): Promise<Buffer> {
  const fontfile = at('packages/engine/fonts/NotoSans-Regular.ttf');
  const markup = `<span foreground="${TEXT}">${text}</span>`;
  return sharp({ text: { text: markup, font: 'Noto Sans 11', fontfile, rgba: true } })
    .png()
    .toBuffer();
}
