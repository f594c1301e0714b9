import type { Insertion, Metadata } from '../metadata/metadata.ts';

/** Coding parameters in the header of a JPEG. */
export interface JpegTables {
  /** Quantisation steps for luma and chroma, 64 each in rows of vertical frequency; grey files have no chroma */
  luma: Uint16Array;
  chroma: Uint16Array | undefined;
  /** Chroma is stored at a reduced size */
  subsampled: boolean;
  /** Quality on the scale of libjpeg, 1 to 100, estimated from the luma table */
  quality: number;
}

/** Mean of the luma table of ITU-T T.81, Annex K, which libjpeg scales by quality. */
const STANDARD_MEAN = 57.625;

/** File order of the 64 coefficients: along the diagonals. */
const ZIGZAG = [
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47,
  55, 62, 63,
];

/**
 * Reads the quantisation tables of a JPEG (ITU-T T.81, B.2.4.1) without decoding it.
 * @param file the file, or its beginning up to the first scan
 * @returns undefined when the file has no tables
 */
export function readJpegTables(file: Uint8Array): JpegTables | undefined {
  const tables: (Uint16Array | undefined)[] = [];
  let components: { sampling: number; table: number }[] = [];
  let at = 2;
  while (at + 4 <= file.length && file[at] === 0xff) {
    const marker = file[at + 1]!;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0xda) break;
    const length = (file[at + 2]! << 8) | file[at + 3]!;
    const segment = file.subarray(at + 4, at + 2 + length);
    if (marker === 0xdb) readTables(segment, tables);
    if (marker >= 0xc0 && marker <= 0xc2) {
      components = Array.from({ length: segment[5] ?? 0 }, (_, i) => ({
        sampling: segment[7 + 3 * i] ?? 0x11,
        table: segment[8 + 3 * i] ?? 0,
      }));
    }
    at += 2 + length;
  }
  const luma = tables[components[0]?.table ?? 0];
  if (!luma) return undefined;
  const chroma = components.length >= 3 ? tables[components[1]!.table] : undefined;
  const subsampled = chroma !== undefined && components[0]!.sampling !== components[1]!.sampling;
  return { luma, chroma, subsampled, quality: estimateQuality(luma) };
}

function readTables(segment: Uint8Array, tables: (Uint16Array | undefined)[]): void {
  let at = 0;
  while (at < segment.length) {
    const wide = segment[at]! >> 4 !== 0;
    const id = segment[at]! & 15;
    at += 1;
    if (at + (wide ? 128 : 64) > segment.length) return;
    const table = new Uint16Array(64);
    for (const position of ZIGZAG) {
      table[position] = wide ? (segment[at]! << 8) | segment[at + 1]! : segment[at]!;
      at += wide ? 2 : 1;
    }
    tables[id] = table;
  }
}

/** libjpeg scales its table by 5000/q percent below 50, by 200 - 2q above; this function inverts that from the mean. */
function estimateQuality(luma: Uint16Array): number {
  const percent = (luma.reduce((sum, value) => sum + value, 0) / 64 / STANDARD_MEAN) * 100;
  const quality = percent <= 100 ? (200 - percent) / 2 : 5000 / percent;
  return Math.max(1, Math.min(100, Math.round(quality)));
}

/** Maximum payload of a segment: its length field has 16 bits and includes itself. */
const MAX_PAYLOAD = 65_533;
const ICC_SIGNATURE = 'ICC_PROFILE\0';

/** Returns the metadata segments to insert after the first marker of a JPEG (JFIF 1.02; EXIF 2.32; ICC.1 annex B.4). */
export function jpegSegments(head: Uint8Array, { icc, exif, xmp, density }: Metadata): Insertion {
  const segments = [
    // A JPEG in CMYK begins with an Adobe marker instead of JFIF; the marker defines the channels.
    ...(head[2] === 0xff && head[3] === 0xee ? [] : [segment(0xe0, 'JFIF\0', jfif(density))]),
    ...(exif ? [segment(0xe1, 'Exif\0\0', exif)] : []),
    ...(xmp ? [segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0', xmp)] : []),
    ...(icc ? iccSegments(icc) : []),
  ];
  return { at: 2, skip: 0, bytes: Buffer.concat(segments) };
}

function segment(marker: number, signature: string, payload: Uint8Array): Buffer {
  const length = signature.length + payload.length;
  // Metadata too long for one segment is omitted instead of truncated.
  if (length > MAX_PAYLOAD) return Buffer.alloc(0);
  const header = Buffer.from([0xff, marker, (length + 2) >> 8, (length + 2) & 255]);
  return Buffer.concat([header, Buffer.from(signature, 'latin1'), payload]);
}

function jfif(density = 72): Buffer {
  const bytes = Buffer.from([1, 2, 1, 0, 0, 0, 0, 0, 0]);
  const dots = Math.min(65_535, Math.max(1, Math.round(density)));
  bytes.writeUInt16BE(dots, 3);
  bytes.writeUInt16BE(dots, 5);
  return bytes;
}

function iccSegments(icc: Uint8Array): Buffer[] {
  const room = MAX_PAYLOAD - ICC_SIGNATURE.length - 2;
  const count = Math.ceil(icc.length / room);
  if (count > 255) return [];
  return Array.from({ length: count }, (_, i) =>
    segment(0xe2, ICC_SIGNATURE, Buffer.concat([Buffer.from([i + 1, count]), icc.subarray(i * room, (i + 1) * room)])),
  );
}
