import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import sharp from 'sharp';
import { resample } from '../src/engine/image/filters/resample.ts';
import type { Picture } from '../src/engine/image/picture.ts';
import { encodeBilevel } from '../src/engine/pdf/images/bilevel-encoder.ts';
import { enlargeBilevel } from '../src/engine/pdf/images/bilevel-smooth.ts';

/**
 * Measures how close the enlargement of one-bit images is to the truth. PDFium draws a page of text. The page is reduced and
 * thresholded at one half, as by a scanner, then enlarged, and compared with the page at the target resolution. Usage: `node
 * --import tsx bench/pdf-bilevel.ts [folder for pictures]`
 */
const folder = process.argv[2];
/** Points */
const [WIDTH, HEIGHT] = [216, 144];
const MASTER_DPI = 2400;
/** Resolutions before and after, pixels per inch */
const CASES = [
  [200, 400],
  [200, 600],
  [300, 600],
  [300, 1200],
  [400, 1200],
] as const;
const LINES = ['The quick brown fox jumps over the lazy dog', 'Sphinx of black quartz, judge my vow: 0123456789'];

async function drawPage(font: string): Promise<Picture> {
  let text = '';
  let y = HEIGHT - 14;
  for (const size of [6, 8, 10, 8, 6])
    for (const words of LINES) {
      text += `/F1 ${size} Tf 1 0 0 1 6 ${y} Tm (${words}) Tj `;
      y -= size * 1.4;
    }
  const rules = `0.4 w 6 8 m 210 12 l S 0.25 w 6 5 m 210 5 l S`;
  const content = `BT ${text}ET ${rules}`;
  const page = `/MediaBox[0 0 ${WIDTH} ${HEIGHT}]/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/${font}>>>>>>`;
  const file = `%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/Contents 4 0 R${page}>>endobj
4 0 obj<</Length ${content.length}>>stream
${content}
endstream endobj
trailer<</Root 1 0 R>>`;
  const document = await (await PDFiumLibrary.init()).loadDocument(Buffer.from(file));
  const size = { width: (WIDTH * MASTER_DPI) / 72, height: (HEIGHT * MASTER_DPI) / 72 };
  const { data } = await document.getPage(0).render({ ...size, scale: 1, colorSpace: 'Gray' });
  return { data, ...size, channels: 1, space: 'grey', hasAlpha: false };
}

/** Simulates a scanner of a given resolution: the mean of each pixel, thresholded at one half. */
function scanned(master: Picture, dpi: number): Picture {
  const step = MASTER_DPI / dpi;
  const [width, height] = [master.width / step, master.height / step];
  const data = new Uint8Array(width * height);
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 1) {
      let sum = 0;
      for (let row = y * step; row < (y + 1) * step; row += 1)
        for (let i = row * master.width + x * step, end = i + step; i < end; i += 1) sum += master.data[i]!;
      data[at] = sum >= 127.5 * step * step ? 255 : 0;
    }
  return { ...master, data, width, height };
}

const cutAtHalf = (picture: Picture): Picture => ({
  ...picture,
  data: Uint8Array.from(picture.data, (sample) => (sample < 128 ? 0 : 255)),
});

function repeated({ data, width, ...rest }: Picture, to: { width: number; height: number }): Picture {
  const scale = to.width / width;
  const out = new Uint8Array(to.width * to.height);
  for (let y = 0, at = 0; y < to.height; y += 1)
    for (let x = 0; x < to.width; x += 1, at += 1)
      out[at] = data[Math.floor(y / scale) * width + Math.floor(x / scale)]!;
  return { ...rest, ...to, data: out };
}

/** Wrong pixels relative to the black pixels of the truth, percent. */
function wrong(picture: Picture, truth: Picture): string {
  let [wrongs, black] = [0, 0];
  truth.data.forEach((sample, i) => {
    if (sample !== picture.data[i]) wrongs += 1;
    if (sample === 0) black += 1;
  });
  return ((100 * wrongs) / black).toFixed(1);
}

for (const font of ['Times-Roman', 'Helvetica']) {
  const master = await drawPage(font);
  const rows: Record<string, Record<string, string>> = {};
  for (const [before, after] of CASES) {
    const [source, truth] = [scanned(master, before), scanned(master, after)];
    const size = { width: truth.width, height: truth.height };
    const start = performance.now();
    const smooth = enlargeBilevel(source, size.width, size.height);
    const ms = performance.now() - start;
    const pixels = repeated(source, size);
    const bicubic = cutAtHalf(resample({ ...source, data: source.data.slice() }, size.width, size.height));
    const [small, large] = [await encodeBilevel(source), await encodeBilevel(smooth)];
    rows[`${before} to ${after}`] = {
      'repeated pixels, %': wrong(pixels, truth),
      'bicubic, %': wrong(bicubic, truth),
      'smooth, %': wrong(smooth, truth),
      'ns a pixel': ((ms * 1e6) / (size.width * size.height)).toFixed(0),
      'bytes before': String(small.data.length),
      'bytes after': String(large.data.length),
      'bytes of repeated pixels': String((await encodeBilevel(pixels)).data.length),
    };
    if (folder !== undefined) {
      mkdirSync(folder, { recursive: true });
      for (const [name, picture] of Object.entries({ source, pixels, bicubic, smooth, truth }))
        await sharp(picture.data, { raw: { width: picture.width, height: picture.height, channels: 1 } })
          .png()
          .toFile(join(folder, `${font}-${before}-${after}-${name}.png`));
    }
  }
  console.log(font);
  console.table(rows);
  if (folder !== undefined) writeFileSync(join(folder, `${font}.json`), JSON.stringify(rows));
}
