import sharp from 'sharp';
import type { Rgb } from './metrics.ts';

const CROP = 224;
const GAP = 6;
/** Height of a line of text, pixels: one line per row, and one below each picture */
const LINE = 18;
const ROW = 2 * LINE + CROP + GAP;

export interface Row {
  label: string;
  /** All of the same size */
  pictures: { label: string; picture: Rgb }[];
}

/** Writes crops from the middle of all pictures, with one row per case and photograph, 1:1, with labels. */
export async function writeContactSheet(path: string, rows: Row[]): Promise<void> {
  const columns = Math.max(...rows.map(({ pictures }) => pictures.length));
  const [width, height] = [columns * (CROP + GAP), rows.length * ROW];
  const layers = await Promise.all(
    rows.flatMap((row, r) =>
      row.pictures.map(async ({ label, picture }, c) => ({
        input: await crop(picture),
        left: c * (CROP + GAP),
        top: r * ROW + 2 * LINE,
        label,
      })),
    ),
  );
  const texts = [
    ...rows.map(({ label }, r) => line(label, 0, r * ROW + LINE, 'font-weight="bold"')),
    ...layers.map(({ label, left, top }) => line(label, left, top)),
  ];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif">${texts.join('')}</svg>`;
  await sharp({ create: { width, height, channels: 3, background: 'white' } })
    .composite([...layers.map(({ input, left, top }) => ({ input, left, top })), { input: Buffer.from(svg) }])
    .png()
    .toFile(path);
}

async function crop({ data, width, height }: Rgb): Promise<Buffer> {
  const [w, h] = [Math.min(CROP, width), Math.min(CROP, height)];
  return sharp(data, { raw: { width, height, channels: 3 } })
    .extract({ left: (width - w) >> 1, top: (height - h) >> 1, width: w, height: h })
    .png()
    .toBuffer();
}

/** A line of text that ends above `bottom`, pixels. */
const line = (text: string, left: number, bottom: number, style = ''): string =>
  `<text x="${left + 2}" y="${bottom - 5}" font-size="12" ${style}>${escaped(text)}</text>`;

const escaped = (text: string): string => text.replace(/[&<]/g, (c) => (c === '&' ? '&amp;' : '&lt;'));
