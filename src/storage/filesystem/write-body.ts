import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { fileTooLarge } from '../../domain/upload/media.ts';
import type { PutOptions } from '../object-store.ts';

export interface WriteOptions extends PutOptions {
  /** Whether the file has to outlive a power failure once this returns; default: yes */
  sync?: boolean;
}

/**
 * Writes a body to an open file, piece by piece, and syncs it.
 * @throws Failure FILE_TOO_LARGE as soon as more than `maxBytes` have come; the reason of `signal`
 */
export async function writeBody(
  handle: FileHandle,
  body: AsyncIterable<Uint8Array>,
  { maxBytes, signal, sync = true }: WriteOptions,
): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of untilAborted(body, signal)) {
    size += chunk.byteLength;
    if (size > maxBytes) throw fileTooLarge(maxBytes);
    hash.update(chunk);
    for (let written = 0; written < chunk.byteLength;) {
      written += (await handle.write(chunk, written, chunk.byteLength - written)).bytesWritten;
    }
  }
  if (sync) await handle.sync();
  return { size, sha256: hash.digest('hex') };
}

/** Hex SHA-256 of a local file, read piece by piece. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** A body that ends with the signal's reason at once, even when its source never answers again. */
async function* untilAborted(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (signal === undefined) return yield* body;
  const source = body[Symbol.asyncIterator]();
  // One promise a piece: racing every piece against one long-lived promise would keep them all in memory.
  let interrupt: (reason: unknown) => void = () => undefined;
  const onAbort = (): void => interrupt(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await new Promise<IteratorResult<Uint8Array, unknown>>((resolve, reject) => {
        interrupt = reject;
        source.next().then(resolve, reject);
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a source that hangs would never let go.
    source.return?.()?.catch(() => undefined);
  }
}
