import { Failure } from '../domain/failures.ts';
import { assertFileSize, FILE_SIZE_BYTES, mediaKind, DETECT_BYTES, type MediaType } from '../domain/upload/media.ts';
import type { StoredFile } from '../domain/upload/upload.ts';
import type { ObjectStore } from './object-store.ts';

/** A body whose first bytes have been read, to tell its type before the rest comes. */
export interface OpenedBody {
  /** `DETECT_BYTES` or more, or all there is */
  head: Buffer;
  rest: AsyncIterator<Uint8Array>;
}

/** A body that is not read to its end stays open: its maker decides on the source. */
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

/** All of its bytes, from the first. */
export async function* wholeBody({ head, rest }: OpenedBody): AsyncGenerator<Uint8Array, void, undefined> {
  yield head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

export interface ReceiveDeps {
  store: Pick<ObjectStore, 'put' | 'delete'>;
  /** The media type by content; undefined for a type that is not served. */
  detect: (head: Uint8Array) => Promise<MediaType | undefined>;
}

export interface ReceiveOptions {
  /** Bytes that the sender announced, if it did */
  announcedSize?: number;
  signal?: AbortSignal;
}

/**
 * Streams a file from outside into storage: its type is detected by its first bytes, its size is limited to the bounds of that
 * type as announced and as it really arrives. Nothing is left in storage when it is refused.
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
