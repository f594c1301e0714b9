import { Failure, FILE_SIZE_BYTES, mediaKind, DETECT_BYTES, type MediaType, type StoredFile } from '@burnish/contract';
import { assertFileSize } from '../domain/upload/check-file-size.ts';
import type { ObjectStore } from './object-store.ts';

/** A body with its first bytes already read, to detect its type before the rest arrives. */
export interface OpenedBody {
  /** `DETECT_BYTES` or more, or the whole body */
  head: Buffer;
  rest: AsyncIterator<Uint8Array>;
}

/** Opens a body. A body that is not read to its end remains open: its creator closes the source. */
export async function openBody(rest: AsyncIterator<Uint8Array>): Promise<OpenedBody> {
  const head: Uint8Array[] = [];
  for (let size = 0; size < DETECT_BYTES;) {
    const next = await rest.next();
    if (next.done === true) break;
    head.push(next.value);
    size += next.value.byteLength;
  }
  return { head: Buffer.concat(head), rest };
}

/** All bytes of a body, including its head. */
export async function* wholeBody({ head, rest }: OpenedBody): AsyncGenerator<Uint8Array, void, undefined> {
  yield head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

export interface ReceiveDeps {
  store: Pick<ObjectStore, 'put' | 'delete'>;
  /** Detects the media type by content; undefined for an unsupported type. */
  detect: (head: Uint8Array) => Promise<MediaType | undefined>;
}

export interface ReceiveOptions {
  /** Bytes announced by the sender */
  announcedSize?: number;
  signal?: AbortSignal;
}

/**
 * Streams an external file into storage. Detects its type from its first bytes, and limits the announced and the
 * actual size to the limits of that type. A refusal leaves nothing in storage.
 * @throws Failure UNSUPPORTED_MEDIA_TYPE, FILE_TOO_SMALL, FILE_TOO_LARGE; the body's own error
 */
export async function receiveFile(
  { store, detect }: ReceiveDeps,
  key: string,
  body: AsyncIterable<Uint8Array>,
  { announcedSize, signal }: ReceiveOptions = {},
): Promise<StoredFile> {
  const source = body[Symbol.asyncIterator]();
  try {
    const opened = await openBody(source);
    const mimetype = await detect(opened.head);
    if (mimetype === undefined) throw new Failure('UNSUPPORTED_MEDIA_TYPE');
    if (announcedSize !== undefined) assertFileSize(mimetype, announcedSize);
    const { size, sha256 } = await store.put(key, wholeBody(opened), {
      maxBytes: FILE_SIZE_BYTES[mediaKind(mimetype)].max,
      ...(signal ? { signal } : {}),
    });
    try {
      assertFileSize(mimetype, size);
    } catch (error) {
      await store.delete(key);
      throw error;
    }
    return { size, sha256, mimetype };
  } finally {
    // Signals the sender that reading has stopped.
    await source.return?.();
  }
}
