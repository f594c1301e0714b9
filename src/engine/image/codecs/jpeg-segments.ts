import type { Insertion, Metadata } from '../metadata/metadata.ts';

/** A segment's length field counts itself and holds 16 bits. */
const MAX_PAYLOAD = 65_533;
const ICC_SIGNATURE = 'ICC_PROFILE\0';

/** Segments that carry the metadata, to stand after the first marker of a JPEG (JFIF 1.02; EXIF 2.32; ICC.1 annex B.4). */
export function jpegSegments(head: Uint8Array, { icc, exif, xmp, density }: Metadata): Insertion {
  const segments = [
    // A JPEG in CMYK begins with Adobe's marker, which says what the channels are, in place of JFIF's.
    ...(head[2] === 0xff && head[3] === 0xee ? [] : [segment(0xe0, 'JFIF\0', jfif(density))]),
    ...(exif ? [segment(0xe1, 'Exif\0\0', exif)] : []),
    ...(xmp ? [segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0', xmp)] : []),
    ...(icc ? iccSegments(icc) : []),
  ];
  return { at: 2, skip: 0, bytes: Buffer.concat(segments) };
}

function segment(marker: number, signature: string, payload: Uint8Array): Buffer {
  const length = signature.length + payload.length;
  // Too long for one segment: it cannot be kept, and is left out rather than cut.
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
