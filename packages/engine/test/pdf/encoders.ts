import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Samples } from './pictures.ts';

/** Packs 8-bit samples into fewer bits, rows padded. */
export function packed({ data, width, height, channels }: Samples, bits: number): Buffer {
  const rowBytes = Math.ceil((width * channels * bits) / 8);
  const out = Buffer.alloc(rowBytes * height);
  for (let y = 0; y < height; y += 1) {
    for (let i = 0; i < width * channels; i += 1) {
      const value = data[y * width * channels + i]! >> (8 - bits);
      out[y * rowBytes + ((i * bits) >> 3)]! |= value << (8 - bits - ((i * bits) & 7));
    }
  }
  return out;
}

export function runLengths(data: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < data.length; at += 128)
    parts.push(Buffer.from([Math.min(128, data.length - at) - 1]), data.subarray(at, at + 128));
  return Buffer.concat([...parts, Buffer.from([128])]);
}

/** LZW that never compresses: nine-bit codes with a clear code before the table would grow. */
export function literalLzw(data: Buffer): Buffer {
  const codes: number[] = [];
  data.forEach((byte, i) => {
    if (i % 200 === 0) codes.push(256);
    codes.push(byte);
  });
  codes.push(257);
  const out = Buffer.alloc(Math.ceil((codes.length * 9) / 8));
  codes.forEach((code, i) => {
    for (let bit = 0; bit < 9; bit += 1)
      if (code & (256 >> bit)) out[(i * 9 + bit) >> 3]! |= 128 >> ((i * 9 + bit) & 7);
  });
  return out;
}

export function withoutAdobeMarker(jpeg: Buffer): Buffer {
  const at = jpeg.indexOf('Adobe') - 4;
  return Buffer.concat([jpeg.subarray(0, at), jpeg.subarray(at + 2 + jpeg.readUInt16BE(at + 2))]);
}

interface Encoder {
  getDecodedBuffer(info: object): Uint8Array;
  setQuality(reversible: boolean, ratio: number): void;
  encode(): void;
  getEncodedBuffer(): Uint8Array;
}

/** A JPEG 2000 codestream without loss. @param bits of the precision of each sample; each takes one byte of the data */
export async function jpx({ data, width, height, channels }: Samples, bits = 8): Promise<Buffer> {
  const require = createRequire(import.meta.url);
  const load = require('@cornerstonejs/codec-openjpeg/wasmjs') as (
    options: object,
  ) => Promise<{ J2KEncoder: new () => Encoder }>;
  const { J2KEncoder } = await load({
    wasmBinary: await readFile(require.resolve('@cornerstonejs/codec-openjpeg/wasm')),
    print: () => 0,
    printErr: () => 0,
  });
  const encoder = new J2KEncoder();
  encoder
    .getDecodedBuffer({
      width,
      height,
      bitsPerSample: bits,
      componentCount: channels,
      isSigned: false,
      isUsingColorTransform: channels === 3,
    })
    .set(data);
  encoder.setQuality(true, 0);
  encoder.encode();
  return Buffer.from(encoder.getEncodedBuffer());
}

/** A codestream in the boxes of a JP2 file with an enumerated colour space. */
export function jp2(codestream: Buffer, { width, height }: Samples, colorSpace: number): Buffer {
  if (codestream.readUInt32BE(0) !== 0xff4fff51) return codestream;
  const box = (type: string, body: Buffer): Buffer => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(8 + body.length);
    head.write(type, 4, 'latin1');
    return Buffer.concat([head, body]);
  };
  const ihdr = Buffer.alloc(14);
  ihdr.writeUInt32BE(height, 0);
  ihdr.writeUInt32BE(width, 4);
  ihdr.writeUInt16BE(3, 8);
  ihdr.set([7, 7, 0, 0], 10);
  const colr = Buffer.from([1, 0, 0, 0, 0, 0, colorSpace]);
  return Buffer.concat([
    box('jP  ', Buffer.from([0x0d, 0x0a, 0x87, 0x0a])),
    box('ftyp', Buffer.from('jp2 \0\0\0\0jp2 ', 'latin1')),
    box('jp2h', Buffer.concat([box('ihdr', ihdr), box('colr', colr)])),
    box('jp2c', codestream),
  ]);
}

/** Colours and their opacity as components of one image. */
export function withAlpha({ data, width, height, channels }: Samples, alpha: Samples): Samples {
  const joined = Buffer.alloc(width * height * (channels + 1));
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    data.copy(joined, pixel * (channels + 1), pixel * channels, (pixel + 1) * channels);
    joined[pixel * (channels + 1) + channels] = alpha.data[pixel]!;
  }
  return { data: joined, width, height, channels: channels + 1 };
}
