import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { image } from '../quality/cases.ts';
import { colourError } from '../quality/metrics.ts';
import type { Photograph } from '../quality/photographs.ts';
import { CONTENDERS } from './contenders.ts';

/** Size of a picture on a sheet, pixels, height of its label, and pairs across and down. */
const [WIDE, HIGH, LABEL, ACROSS, DOWN] = [380, 290, 16, 2, 6];

/**
 * Writes the pictures that ENHANCE changes most, before on the left and after on the right.
 * @returns the folder
 */
export async function writeSheets(folder: string, pictures: readonly Photograph[], shown: number): Promise<string> {
  const changed: { picture: Photograph; after: Photograph; change: number }[] = [];
  for (const picture of pictures) {
    const after = { ...picture, ...(await CONTENDERS['ENHANCE']!(picture)) };
    changed.push({ picture, after, change: colourError(picture, after) });
  }
  changed.sort((a, b) => b.change - a.change);
  mkdirSync(folder, { recursive: true });
  for (let from = 0, sheet = 1; from < Math.min(shown, changed.length); from += ACROSS * DOWN, sheet += 1) {
    const cells = changed.slice(from, Math.min(shown, from + ACROSS * DOWN)).map(async (own, n) => {
      const [left, top] = [(n % ACROSS) * (2 * WIDE + 8), Math.floor(n / ACROSS) * (HIGH + LABEL)];
      const sides = [own.picture, own.after].map(async (side, i) => ({
        input: await image(side).resize({ width: WIDE, height: HIGH, fit: 'inside' }).png().toBuffer(),
        left: left + i * WIDE,
        top: top + LABEL,
      }));
      const label = `${own.change.toFixed(1)} ${own.picture.name}`.replace(/[&<]/g, '');
      return { sides: await Promise.all(sides), label: `<text x="${left + 2}" y="${top + 12}">${label}</text>` };
    });
    const done = await Promise.all(cells);
    const [width, height] = [ACROSS * (2 * WIDE + 8), DOWN * (HIGH + LABEL)];
    const labels = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="12">${done.map(({ label }) => label).join('')}</svg>`;
    await sharp({ create: { width, height, channels: 3, background: 'white' } })
      .composite([...done.flatMap(({ sides }) => sides), { input: Buffer.from(labels) }])
      .png()
      .toFile(join(folder, `${String(sheet).padStart(2, '0')}.png`));
  }
  return folder;
}
