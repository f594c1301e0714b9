import { closeSync, openSync, writeSync } from 'node:fs';
import sharp from 'sharp';

/** A JPEG and its pixels. */
export interface Jpeg {
  data: Buffer;
  width: number;
  height: number;
}

/** Generates a noisy JPEG; one of 12 megapixels has about 4 MB. */
export async function noisyJpeg(width = 4000, height = 3000): Promise<Jpeg> {
  const pixels = Buffer.alloc(width * height * 3);
  let state = 12345;
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      for (let c = 0; c < 3; c += 1, at += 1) {
        state = (Math.imul(state, 1664525) + 1013904223) | 0;
        pixels[at] =
          128 + 70 * Math.sin(x / (90 + c * 17) + c) * Math.cos(y / (130 - c * 11)) + ((state >>> 24) - 128) / 9;
      }
    }
  }
  const data = await sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 88 })
    .toBuffer();
  return { data, width, height };
}

/** Changes the bytes but not the picture: a comment after the first marker contains a number. */
function numbered(jpeg: Buffer, number: number): Buffer {
  const comment = Buffer.from([0xff, 0xfe, 0, 6, 0, 0, 0, 0]);
  comment.writeUInt32BE(number, 4);
  return Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)]);
}

export interface PagesOfJpegs {
  pages: number;
  /** Images on each page, one above the other; by default 1 */
  imagesEach?: number;
  /** Every image has the same bytes, as in merged files */
  equal?: boolean;
}

/** Writes a PDF whose pages show a JPEG at 150 DPI. Every image is a separate object. */
export function writeJpegPdf(
  path: string,
  picture: Jpeg,
  { pages, imagesEach = 1, equal = false }: PagesOfJpegs,
): void {
  const { width, height } = picture;
  const fd = openSync(path, 'w');
  const offsets: number[] = [];
  let position = 0;
  const write = (data: Buffer | string): void => {
    const chunk = Buffer.from(data as string, 'latin1');
    position += writeSync(fd, chunk);
  };
  const object = (number: number, body: string): void => {
    offsets[number] = position;
    write(`${number} 0 obj\n${body}\nendobj\n`);
  };
  write('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n');
  object(1, '<</Type/Catalog/Pages 2 0 R>>');
  const each = 2 + imagesEach;
  const kids = Array.from({ length: pages }, (_, i) => `${3 + i * each} 0 R`).join(' ');
  object(2, `<</Type/Pages/Count ${pages}/Kids[${kids}]>>`);
  // 150 pixels per inch: doubled for 300.
  const [w, h] = [(width / 150) * 72, (height / 150) * 72];
  const places = Array.from({ length: imagesEach }, (_, k) => k);
  // Adjacent images count as strips of one picture.
  const step = h * 1.1;
  const content = places.map((k) => `q ${w} 0 0 ${h} 0 ${k * step} cm /Im${k} Do Q`).join('\n');
  for (let i = 0; i < pages; i += 1) {
    const n = 3 + i * each;
    const images = places.map((k) => `/Im${k} ${n + 2 + k} 0 R`).join('');
    object(
      n,
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${w} ${step * (imagesEach - 1) + h}]/Contents ${n + 1} 0 R/Resources<</XObject<<${images}>>>>>>`,
    );
    object(n + 1, `<</Length ${content.length}>>\nstream\n${content}\nendstream`);
    for (const k of places) {
      const jpeg = numbered(picture.data, equal ? 0 : i * imagesEach + k);
      offsets[n + 2 + k] = position;
      write(
        `${n + 2 + k} 0 obj\n<</Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode/Length ${jpeg.length}>>\nstream\n`,
      );
      position += writeSync(fd, jpeg);
      write('\nendstream\nendobj\n');
    }
  }
  const start = position;
  const rows = offsets.slice(1).map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  write(
    `xref\n0 ${rows.length + 1}\n0000000000 65535 f \n${rows.join('')}trailer\n<</Size ${rows.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`,
  );
  closeSync(fd);
}
