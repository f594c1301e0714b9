import { createHash, randomUUID, type Hash } from 'node:crypto';
import { Failure } from '@burnish/contract';
import type { UploadPart } from '../../database/uploads/upload-parts.ts';
import { partKey } from '../../domain/files/object-keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { wholeBody, type OpenedBody } from '../../storage/receive-file.ts';
import { ProtocolFailure } from '../http/problem.ts';
import type { Checksum } from './tus-headers.ts';

/**
 * Bytes of a stored part. A killed gateway loses less than this of a running PATCH, and none of its earlier parts. The number of
 * parts of a file stays small.
 */
const PART_BYTES = 8 * 1024 * 1024;

export interface PartsTarget {
  accountId: string;
  uploadId: string;
  /** Byte of the file at which the body starts */
  start: number;
  /** Bytes of the file */
  length: number;
  checksum: Checksum | undefined;
}

export interface ReceivePartsDeps {
  storage: Pick<ObjectStore, 'put' | 'delete'>;
  /** Adds stored parts to the upload. @returns false if the upload is no longer at this offset */
  append: (start: number, parts: readonly UploadPart[]) => Promise<boolean>;
}

/**
 * Appends a body to an upload, in parts that are durable one after another. After a lost connection, the bytes before it are kept.
 * With a checksum, all parts are added at the end or none.
 * @returns the new offset in bytes
 * @throws ProtocolFailure when another request appended first, or the checksum differs; Failure FILE_TOO_LARGE beyond the length;
 * the body's own error, after its bytes are stored
 */
export async function receiveParts(
  { storage, append }: ReceivePartsDeps,
  { accountId, uploadId, start, length, checksum }: PartsTarget,
  body: OpenedBody,
): Promise<number> {
  const source = readableInPieces(body, checksum && createHash(checksum.algorithm));
  const held: UploadPart[] = [];
  let offset = start;
  let end = start;

  async function add(parts: readonly UploadPart[]): Promise<void> {
    if (parts.length > 0 && !(await append(offset, parts))) {
      throw conflict('Another request has appended to the upload at the same time.');
    }
    offset = end;
  }
  const discard = (): Promise<unknown> => Promise.all(held.map(({ objectKey }) => storage.delete(objectKey)));

  try {
    while (await source.hasMore()) {
      if (end === length) throw beyondLength(length);
      const objectKey = partKey(accountId, uploadId, end, randomUUID());
      const { size } = await storage
        .put(objectKey, source.take(PART_BYTES), { maxBytes: length - end })
        .catch((error: unknown) => {
          throw error instanceof Failure && error.code === 'FILE_TOO_LARGE' ? beyondLength(length) : error;
        });
      held.push({ objectKey, size });
      end += size;
      // The last part counts only when the body ends with it.
      if (checksum === undefined && (end < length || !(await source.hasMore()))) {
        await add(held);
        held.length = 0;
      }
    }
    if (checksum !== undefined) {
      if (source.error !== undefined) throw source.error;
      if (source.digest() !== checksum.digest) {
        const detail = 'The bytes differ from their checksum, so they were not kept. Send them again.';
        throw new ProtocolFailure(460, 'UPLOAD_MISMATCH', { field: 'Upload-Checksum', detail });
      }
      await add(held);
      held.length = 0;
    }
  } catch (error) {
    await discard();
    throw error;
  }
  if (source.error !== undefined) throw source.error;
  return offset;
}

/** The refusal of a PATCH at another offset than that of its upload. */
export function conflict(fault: string): ProtocolFailure {
  const detail = `${fault} Read its offset by HEAD, and continue there.`;
  return new ProtocolFailure(409, 'BAD_USER_INPUT', { field: 'Upload-Offset', detail, retryable: true });
}

export function beyondLength(length: number): Failure {
  const detail = `The bytes exceed the Upload-Length of ${length}. Send the rest of the file only.`;
  return new Failure('FILE_TOO_LARGE', { detail });
}

interface PieceSource {
  /** Whether the body has more bytes. False after an error of the body */
  hasMore(): Promise<boolean>;
  /** The next bytes, up to a number of them. Ends early at an error of the body */
  take(bytes: number): AsyncGenerator<Uint8Array, void, undefined>;
  /** Why the body ended early; undefined if it did not */
  readonly error: Error | undefined;
  /** Hex digest of all bytes */
  digest(): string | undefined;
}

function readableInPieces(opened: OpenedBody, hash: Hash | undefined): PieceSource {
  const chunks = wholeBody(opened);
  let next: Uint8Array | undefined;
  let error: Error | undefined;
  let ended = false;

  async function hasMore(): Promise<boolean> {
    while (!ended && (next === undefined || next.byteLength === 0)) {
      try {
        const { done, value } = await chunks.next();
        if (done === true) ended = true;
        else {
          next = value;
          hash?.update(value);
        }
      } catch (cause) {
        error = cause instanceof Error ? cause : new Error('The body cannot be read.', { cause });
        ended = true;
      }
    }
    return next !== undefined && next.byteLength > 0;
  }

  return {
    hasMore,
    async *take(bytes) {
      for (let left = bytes; left > 0 && (await hasMore());) {
        const piece = next!.subarray(0, left);
        next = next!.subarray(piece.byteLength);
        left -= piece.byteLength;
        yield piece;
      }
    },
    get error() {
      return error;
    },
    digest: () => hash?.digest('hex'),
  };
}
