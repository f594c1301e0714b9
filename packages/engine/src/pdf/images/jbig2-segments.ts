/** Length of a segment that ends at a marker (ITU-T T.88 section 7.2.7). Generic regions alone may have it. */
const UNKNOWN_LENGTH = 0xffffffff;
const GENERIC_REGIONS = [36, 38, 39];
/** The end of the page and of the file. Decoders ignore what follows, such as the padding of some writers. */
const ENDS = [49, 51];
/** Starts a file (Annex D.4.1). A PDF contains the segments alone, but some writers embed the whole file. */
const FILE_SIGNATURE = Buffer.from('974a42320d0a1a0a', 'hex');
const [SEQUENTIAL, UNKNOWN_PAGES] = [1, 2];

/**
 * Returns JBIG2 data without the header of a file.
 * @param data data of the image or of its globals
 */
export function withoutFileHeader(data: Buffer): Buffer {
  const flags = data[FILE_SIGNATURE.length] ?? 0;
  if (data.indexOf(FILE_SIGNATURE) !== 0 || (flags & SEQUENTIAL) === 0) return data;
  return data.subarray(FILE_SIGNATURE.length + 1 + (flags & UNKNOWN_PAGES ? 0 : 4));
}

/**
 * Returns whether JBIG2 data contains all bytes that its segments declare. Decoders draw a cut segment without a
 * complaint, with arbitrary pixels in place of the missing ones.
 * @param data segments of the image or of its globals, without the header of a file
 */
export function isWholeJbig2(data: Buffer): boolean {
  let at = 0;
  const read = (bytes: number): number => {
    at += bytes;
    return data.readUIntBE(at - bytes, bytes);
  };
  try {
    // Some writers add an end-of-line marker after the last segment.
    while (data.length - at > 2) {
      const number = read(4);
      const flags = read(1);
      let references = data.readUInt8(at) >> 5;
      if (references < 7) at += 1;
      else {
        references = read(4) & 0x1fffffff;
        at += Math.ceil((references + 1) / 8);
      }
      at += references * (number <= 256 ? 1 : number <= 65_536 ? 2 : 4) + (flags & 0x40 ? 4 : 1);
      const length = read(4);
      const type = flags & 63;
      if (length === UNKNOWN_LENGTH) return GENERIC_REGIONS.includes(type);
      if (ENDS.includes(type)) return true;
      at += length;
      if (at > data.length) return false;
    }
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
  return true;
}
