import { Failure } from '../domain/failures.ts';
import { assertFileSize } from '../domain/upload/file-size.ts';
import { FILE_SIZE_BYTES, mediaKind, type MediaType } from '../domain/upload/media.ts';
import type { StoredFile } from '../domain/upload/upload.ts';
import type { ObjectStore } from './object-store.ts';
import { openBody, wholeBody } from './opened-body.ts';

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
 * Streams a file from outside into storage: its type is told by its first bytes, its size is held to the bounds of that
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
    // Tells the sender that reading has stopped.
    await source.return?.();
  }
}
