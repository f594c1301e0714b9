const AFTER_SIGNATURE = 8;
/** Length, type and checksum of a chunk. */
const AROUND_DATA = 12;

/**
 * Frames of a PNG: 1, or what the chunk `acTL` of an animated one says (W3C PNG, third edition, section 11.3.5).
 * @param head the first bytes of the file, as far as its pixels
 */
export function pngFrames(head: Uint8Array): number {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  for (let at = AFTER_SIGNATURE; at + AROUND_DATA <= bytes.length; at += AROUND_DATA + bytes.readUInt32BE(at)) {
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') return 1;
    if (type === 'acTL') return Math.max(1, bytes.readUInt32BE(at + 8));
  }
  return 1;
}
