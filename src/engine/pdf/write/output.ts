import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import type { ByteSource } from '../syntax/byte-source.ts';

/** A file that is written from its beginning to its end. */
export interface Output {
  /** Bytes written so far */
  position(): number;
  write(data: string | Buffer): void;
  /** Copies bytes of another file without holding more than a part of them. */
  copy(source: ByteSource, from: number, length: number): void;
  /** MD5 of what was written since the last call; names a revision, guards nothing. */
  fingerprint(): Buffer;
  close(): void;
}

const COPY_BYTES = 1_000_000;
const BUFFERED_BYTES = 262_144;

/** @param start bytes that the file holds already and that stay */
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
        // A read may share its buffer with a cache, so it is not kept beyond this call.
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
