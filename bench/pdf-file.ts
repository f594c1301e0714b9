import { closeSync, openSync, writeSync } from 'node:fs';
import sharp from 'sharp';

/** Generates a noisy 12-megapixel JPEG of about 4 MB. */
export async function largeJpeg(width = 4000, height = 3000): Promise<Buffer> {
  const data = Buffer.alloc(width * height * 3);
  let state = 12345;
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      for (let c = 0; c < 3; c += 1, at += 1) {
        state = (Math.imul(state, 1664525) + 1013904223) | 0;
        data[at] =
          128 + 70 * Math.sin(x / (90 + c * 17) + c) * Math.cos(y / (130 - c * 11)) + ((state >>> 24) - 128) / 9;
      }
    }
  }
  return sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 88 })
    .toBuffer();
}

/** Changes the bytes but not the picture: a comment after the first marker contains a number. */
function numbered(jpeg: Buffer, number: number): Buffer {
  const comment = Buffer.from([0xff, 0xfe, 0, 6, 0, 0, 0, 0]);
  comment.writeUInt32BE(number, 4);
  return Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)]);
}

export interface LargePdf {
  /** Every image has the same bytes, as in merged files */
  equal?: boolean;
}

/**
 * Writes a PDF of about the given size, with one page per image. Every image is a separate object.
 * @returns its number of pages
 */
export function writeLargePdf(path: string, picture: Buffer, bytes: number, { equal = false }: LargePdf = {}): number {
  const [width, height] = [4000, 3000];
  const pages = Math.max(1, Math.round(bytes / picture.length));
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
  object(
    2,
    `<</Type/Pages/Count ${pages}/Kids[${Array.from({ length: pages }, (_, i) => `${3 + i * 3} 0 R`).join(' ')}]>>`,
  );
  for (let i = 0; i < pages; i += 1) {
    const jpeg = numbered(picture, equal ? 0 : i);
    const n = 3 + i * 3;
    // 150 pixels per inch: doubled for 300.
    const [w, h] = [(width / 150) * 72, (height / 150) * 72];
    const content = `q ${w} 0 0 ${h} 0 0 cm /Im Do Q`;
    object(
      n,
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${w} ${h}]/Contents ${n + 1} 0 R/Resources<</XObject<</Im ${n + 2} 0 R>>>>>>`,
    );
    object(n + 1, `<</Length ${content.length}>>\nstream\n${content}\nendstream`);
    offsets[n + 2] = position;
    write(
      `${n + 2} 0 obj\n<</Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode/Length ${jpeg.length}>>\nstream\n`,
    );
    position += writeSync(fd, jpeg);
    write('\nendstream\nendobj\n');
  }
  const start = position;
  const rows = offsets.slice(1).map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  write(
    `xref\n0 ${rows.length + 1}\n0000000000 65535 f \n${rows.join('')}trailer\n<</Size ${rows.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`,
  );
  closeSync(fd);
  return pages;
}
