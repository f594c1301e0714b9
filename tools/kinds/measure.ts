/**
 * Measures the features of pictures with known kinds, each as Flate and as JPEG of quality 80:
 *
 *     npx tsx tools/kinds/measure.ts labels.json > features.json
 *
 * `labels.json` maps paths of pictures to photo, drawing, chart, scan or scientific.
 */
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { computeLuma, measurePicture, type Thumb } from '../../packages/engine/src/pdf/analyze/picture-features.ts';

/** Longest side of a thumbnail, pixels, as in an analysis. */
const SIDE = 256;

async function thumbnails(path: string): Promise<{ thumb: Thumb; seen: Uint8Array; jpeg: boolean }[]> {
  const { channels: all, hasAlpha } = await sharp(path).metadata();
  const isGrey = all - Number(hasAlpha) < 3;
  const shrunk = sharp(path).resize(SIDE, SIDE, { fit: 'inside', withoutEnlargement: true, kernel: 'linear' });
  const { data, info } = await shrunk
    .toColourspace(isGrey ? 'b-w' : 'srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const channels = isGrey ? 1 : 3;
  const { width, height } = info;
  const thumb: Thumb = { data: new Uint8Array(width * height * channels), width, height, channels };
  const seen = new Uint8Array(width * height).fill(1);
  for (let i = 0; i < seen.length; i += 1) {
    for (let c = 0; c < channels; c += 1) thumb.data[i * channels + c] = data[i * info.channels + c]!;
    if (info.channels > channels) seen[i] = data[i * info.channels + channels]! >= 128 ? 1 : 0;
  }
  const coded = await sharp(path).flatten({ background: 'white' }).jpeg({ quality: 80 }).toBuffer();
  const back = await sharp(coded)
    .resize(SIDE, SIDE, { fit: 'inside', withoutEnlargement: true })
    .toColourspace(isGrey ? 'b-w' : 'srgb')
    .raw()
    .toBuffer();
  return [
    { thumb, seen, jpeg: false },
    { thumb: { ...thumb, data: new Uint8Array(back) }, seen: new Uint8Array(seen.length).fill(1), jpeg: true },
  ];
}

const labels = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as Record<string, string>;
async function main(): Promise<void> {
  const rows: object[] = [];
  for (const [path, label] of Object.entries(labels))
    for (const { thumb, seen, jpeg } of await thumbnails(path))
      rows.push({ path, label, jpeg, ...measurePicture(thumb, computeLuma(thumb), seen) });
  console.log(JSON.stringify(rows));
}
void main();
