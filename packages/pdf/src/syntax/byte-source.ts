import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Random access to a file without loading it into memory. */
export interface ByteSource {
  readonly size: number;
  /**
   * Returns up to `length` bytes from `offset`; fewer only at the end of the file. The result may be shared and must
   * not change.
   */
  read(offset: number, length: number): Buffer;
  readInto(buffer: Buffer, offset: number): number;
  close(): void;
}

const BLOCK_BYTES = 16_384;
const BLOCKS_KEPT = 256;

/**
 * Opens a file for random reads. Reads are synchronous: an engine process serves one file, and a parser without an
 * await per token is several times faster. Small reads go through a cache of 4 MB.
 */
export function openByteSource(path: string): ByteSource {
  const fd = openSync(path, 'r');
  const { size } = fstatSync(fd);
  const blocks = new Map<number, Buffer>();

  function readInto(buffer: Buffer, offset: number): number {
    let filled = 0;
    while (filled < buffer.length) {
      const count = readSync(fd, buffer, filled, buffer.length - filled, offset + filled);
      if (count === 0) break;
      filled += count;
    }
    return filled;
  }

  function readThrough(offset: number, length: number): Buffer {
    const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - offset)));
    return buffer.subarray(0, readInto(buffer, offset));
  }

  function block(index: number): Buffer {
    let found = blocks.get(index);
    if (found === undefined) {
      found = readThrough(index * BLOCK_BYTES, BLOCK_BYTES);
      if (blocks.size >= BLOCKS_KEPT) blocks.delete(blocks.keys().next().value as number);
    } else blocks.delete(index);
    blocks.set(index, found);
    return found;
  }

  return {
    size,
    readInto,
    read(offset, length) {
      if (offset < 0 || offset >= size || length <= 0) return Buffer.alloc(0);
      if (length > BLOCK_BYTES) return readThrough(offset, length);
      const first = Math.floor(offset / BLOCK_BYTES);
      const last = Math.floor((Math.min(size, offset + length) - 1) / BLOCK_BYTES);
      const within = offset - first * BLOCK_BYTES;
      if (first === last) return block(first).subarray(within, within + length);
      const head = block(first).subarray(within);
      return Buffer.concat([head, block(last).subarray(0, length - head.length)]);
    },
    close: () => closeSync(fd),
  };
}

export function sourceFrom(source: ByteSource, base: number): ByteSource {
  if (base === 0) return source;
  return {
    size: source.size - base,
    read: (offset, length) => (offset < 0 ? Buffer.alloc(0) : source.read(offset + base, length)),
    readInto: (buffer, offset) => source.readInto(buffer, offset + base),
    close: source.close,
  };
}
