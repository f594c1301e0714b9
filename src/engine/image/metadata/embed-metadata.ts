import { createReadStream, createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { OutputCodec } from '../codecs/output-formats.ts';
import type { Insertion, Metadata } from './metadata.ts';

/**
 * Copies an encoded file without metadata to `to`, with metadata. sharp converts pixels to a profile that it attaches, and
 * rebuilds EXIF, so it attaches neither.
 * @param from the encoded file; this function removes it
 */
export async function embedMetadata(
  { insert, append }: Pick<OutputCodec, 'insert' | 'append'>,
  from: string,
  to: string,
  metadata: Metadata,
): Promise<void> {
  const head = await readHead(from);
  const { at, skip, bytes } = insert?.(head, metadata) ?? NOTHING;
  await pipeline(async function* () {
    yield head.subarray(0, at);
    yield bytes;
    yield* createReadStream(from, { start: at + skip });
  }, createWriteStream(to));
  await rm(from);
  await append?.(to, metadata);
}

const NOTHING: Insertion = { at: 0, skip: 0, bytes: new Uint8Array() };

async function readHead(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
