/** Bytes after the last pixel that an encoder may leave. libwebp leaves up to 3. */
const SLACK = 32;
const RIFF_HEADER = 12;
const CHUNK_HEADER = 8;

/**
 * Whether a lossy WebP has coded data left when its pixels are complete, which libwebp does not report: other bytes stand in place of
 * its own, so all later pixels are wrong. libwebp reports missing data. So a sound file does not decode without its last bytes, and a
 * damaged one does (RFC 6386, 7.3).
 * @param decode rejects for data that ends early
 */
export async function hasLeftoverData(file: Buffer, decode: (file: Buffer) => Promise<unknown>): Promise<boolean> {
  const shorter = withoutEnd(file);
  if (shorter === undefined) return false;
  return decode(shorter).then(
    () => true,
    () => false,
  );
}

/**
 * Removes the last bytes of the lossy pixels, besides padding of equal bytes.
 * @returns undefined without such pixels: a lossless picture ends where its data ends in spite of damage, and frames of an animation are
 * inside other chunks
 */
function withoutEnd(file: Buffer): Buffer | undefined {
  const at = findChunk(file, 'VP8 ');
  if (at === undefined) return undefined;
  const start = at + CHUNK_HEADER;
  const length = file.readUInt32LE(at + 4);
  const data = file.subarray(start, start + length);
  const end = data.findLastIndex((byte) => byte !== data.at(-1)) + 1 - SLACK;
  if (end <= 0) return undefined;
  const header = Buffer.from(file.subarray(at, start));
  header.writeUInt32LE(end, 4);
  const parts = [file.subarray(0, at), header, data.subarray(0, end), Buffer.alloc(end & 1)];
  const shorter = Buffer.concat([...parts, file.subarray(start + length + (length & 1))]);
  shorter.writeUInt32LE(shorter.length - 8, 4);
  return shorter;
}

function findChunk(file: Buffer, name: string): number | undefined {
  let at = RIFF_HEADER;
  while (at + CHUNK_HEADER <= file.length) {
    if (file.toString('latin1', at, at + 4) === name) return at;
    const length = file.readUInt32LE(at + 4);
    at += CHUNK_HEADER + length + (length & 1);
  }
  return undefined;
}
