import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import type { ByteSource } from '../syntax/byte-source.ts';

export interface Output {
  /** Bytes written so far */
  position(): number;
  write(data: string | Buffer): void;
  /** Copies bytes of another file in chunks. */
  copy(source: ByteSource, from: number, length: number): void;
  /** Returns the MD5 of all bytes written since the last call. It identifies a revision and provides no security. */
  fingerprint(): Buffer;
  close(): void;
}

const COPY_BYTES = 1_000_000;
const BUFFERED_BYTES = 262_144;

/** @param start number of existing bytes in the file to keep */
export function openOutput(path: string, start = 0): Output {
  const fd = openSync(path, start === 0 ? 'w' : 'r+');
  let position = start;
  let hash = createHash('md5');
  let waiting: Buffer[] = [];
  let waitingBytes = 0;

  function flush(): void {
    const bytes = Buffer.concat(waiting);
    for (let done = 0; done < bytes.length;)
      done += writeSync(fd, bytes, done, bytes.length - done, position - bytes.length + done);
    [waiting, waitingBytes] = [[], 0];
  }
  function write(data: string | Buffer): void {
    const bytes = typeof data === 'string' ? Buffer.from(data, 'latin1') : data;
    hash.update(bytes);
    waiting.push(bytes);
    waitingBytes += bytes.length;
    position += bytes.length;
    if (waitingBytes >= BUFFERED_BYTES) flush();
  }

  return {
    position: () => position,
    write,
    copy(source, from, length) {
      for (let done = 0; done < length;) {
        const part = source.read(from + done, Math.min(COPY_BYTES, length - done));
        if (part.length === 0) throw new Error('The source is shorter than it was.');
        // The source may reuse the buffer of a read for its cache, so this call copies it.
        write(Buffer.from(part));
        done += part.length;
      }
    },
    fingerprint() {
      const digest = hash.digest();
      hash = createHash('md5');
      return digest;
    },
    close() {
      try {
        flush();
      } finally {
        closeSync(fd);
      }
    },
  };
}
