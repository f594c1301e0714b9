import { createReadStream, createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { jpegSegments } from '../codecs/jpeg-segments.ts';
import type { Insertion, Metadata } from './metadata.ts';
import { pngChunks } from '../codecs/png-chunks.ts';
import { appendTiffTags } from '../codecs/tiff-tags.ts';

/**
 * Writes metadata into a file that sharp has encoded without any, and moves it to its place. sharp itself can attach a
 * profile only by converting the pixels to it, and EXIF only by rebuilding it.
 * @param from the encoded file; it is gone afterwards
 */
export async function embedMetadata(
  format: 'jpeg' | 'png' | 'tiff',
  from: string,
  to: string,
  metadata: Metadata,
): Promise<void> {
  const head = await readHead(from);
  const { at, skip, bytes } =
    format === 'jpeg' ? jpegSegments(head, metadata) : format === 'png' ? pngChunks(head, metadata) : NOTHING;
  await pipeline(async function* () {
    yield head.subarray(0, at);
    yield bytes;
    yield* createReadStream(from, { start: at + skip });
  }, createWriteStream(to));
  await rm(from);
  if (format === 'tiff') await appendTiffTags(to, metadata);
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
