import { readFile } from 'node:fs/promises';
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { bmp } from '../../packages/engine/test/support/bmp.ts';
import { readRgb } from '../../packages/engine/test/support/read-rgb.ts';

/** Smooth shapes under a little noise, the same for the same seed: enough detail to pass the least size of a file. */
export function picture(
  width: number,
  height: number,
  { seed = 1, channels = 3 }: { seed?: number; channels?: 3 | 4 } = {},
): Sharp {
  const data = Buffer.alloc(width * height * channels);
  let state = seed * 2_654_435_761;
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      for (let c = 0; c < channels; c += 1, at += 1) {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
        const wave = Math.sin((x / width) * (5 + c * 3 + seed)) + Math.cos((y / height) * (7 - c * 2));
        data[at] = 128 + wave * 45 + ((state >>> 24) - 128) / 6;
      }
    }
  }
  return sharp(data, { raw: { width, height, channels } });
}

/** 400 × 300 pixels, about 50 kB; another seed makes another file. */
export const photo = (seed = 1): Promise<Buffer> => picture(400, 300, { seed }).jpeg({ quality: 90 }).toBuffer();

/** A scanned page of 700 × 500 pixels: bars like letters on paper that is darker to the right; another colour makes another file. */
export async function scannedPage(paper = '#f0e8d0'): Promise<Buffer> {
  const letters = Array.from({ length: 15 * 50 }, (_, k) => {
    const [line, column] = [Math.floor(k / 50), k % 50];
    const isGap = (column * 7 + line * 3) % 6 === 0;
    return isGap ? '' : `<rect x="${100 + column * 10}" y="${50 + line * 25}" width="4" height="${10 + (k % 3) * 2}"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="700" height="500"><defs><linearGradient id="g">
    <stop stop-color="${paper}"/><stop offset="1" stop-color="#807868"/></linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#g)"/><g fill="#202020">${letters.join('')}</g></svg>`;
  return await sharp(Buffer.from(svg)).removeAlpha().blur(0.6).jpeg({ quality: 92 }).toBuffer();
}

/** A picture as BMP of 24 bits. */
export async function bitmap(width: number, height: number, seed = 1): Promise<Buffer> {
  return bmp(await readRgb(await picture(width, height, { seed }).png().toBuffer()), { bits: 24 });
}

/** Eight patches of colour, 128 × 64 pixels upright; filled up with a box that every reader skips, to the least size of a file. */
export async function heic(): Promise<Buffer> {
  const patches = await readFile(new URL('../../packages/engine/test/fixtures/patches.heic', import.meta.url));
  const filler = Buffer.alloc(25_000);
  filler.writeUInt32BE(filler.length, 0);
  filler.write('free', 4, 'latin1');
  return Buffer.concat([patches, filler]);
}

/** A page of 8.5 × 11 inches with one JPEG, drawn 6 inches wide. */
export async function pdfWithPhoto(width = 480, height = 360, seed = 1): Promise<Buffer> {
  const image = await picture(width, height, { seed }).jpeg({ quality: 85 }).toBuffer();
  const content = 'q 432 0 0 324 50 50 cm /Im0 Do Q';
  const objects: Buffer[] = [
    Buffer.from('<</Type/Catalog/Pages 2 0 R>>'),
    Buffer.from('<</Type/Pages/Kids[3 0 R]/Count 1>>'),
    Buffer.from('<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</XObject<</Im0 5 0 R>>>>>>'),
    stream('', Buffer.from(content)),
    stream(
      `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode`,
      image,
    ),
  ];
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  const offsets: number[] = [];
  const length = (): number => parts.reduce((sum, part) => sum + part.length, 0);
  objects.forEach((object, index) => {
    offsets.push(length());
    parts.push(Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n'));
  });
  const start = length();
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const trailer = `trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`;
  parts.push(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}${trailer}`));
  return Buffer.concat(parts);
}

function stream(dict: string, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`<<${dict}/Length ${data.length}>>\nstream\n`), data, Buffer.from('\nendstream')]);
}

/** A valid PDF with a photograph that has exactly this number of bytes: its end stands after a long comment. */
export async function paddedPdf(bytes: number): Promise<Buffer> {
  const pdf = await pdfWithPhoto();
  const table = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(pdf.subarray(-100).toString('latin1'))![1]!;
  const end = Buffer.from(`\nstartxref\n${table}\n%%EOF\n`);
  const comment = Buffer.alloc(bytes - pdf.byteLength - end.byteLength, '%0123456789abcde');
  // Every place differs from the others, so that lost and doubled bytes change the hash.
  for (let at = 16; at + 8 < comment.byteLength; at += 4096) comment.write(at.toString(36).padStart(8, '0'), at);
  return Buffer.concat([pdf, comment, end]);
}

/** A PNG of black pixels, one bit each: some 25 kB that ask for hundreds of megapixels once they are opened. */
export function pixelBomb(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(Buffer.alloc((1 + Math.ceil(width / 8)) * height))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
