import type { Readable } from 'node:stream';
import {
  Failure,
  FILE_SIZE_BYTES,
  MAX_FILE_SIZE_BYTES,
  INPUT_MEDIA_TYPES,
  mediaKind,
  type MediaType,
  newId,
} from '@burnish/contract';
import { assertFileSize, fileTooLarge } from '../../../domain/upload/check-file-size.ts';
import type { ReceivedFile } from '../../commands/command-types.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { openBody, wholeBody, type OpenedBody } from '../../../storage/receive-file.ts';
import { originalKey } from '../../../domain/files/object-keys.ts';
import type { StagedFiles } from '../../../database/uploads/staged-files.ts';

/** Finds the type of a file from its first bytes. */
export type DetectMediaType = (head: Uint8Array) => Promise<MediaType | undefined>;

export interface ReceiveDeps extends StageDeps {
  detectMediaType: DetectMediaType;
}

export interface IncomingFile {
  accountId: string;
  body: Readable;
  /** Bytes, if the sender declares them */
  declaredSize?: number | undefined;
  /** Type, if the sender declares it; the content must match */
  declaredType?: MediaType | undefined;
  /** Refuses first bytes that cannot be a file, by throwing a Failure */
  checkHead?: (head: Buffer) => void;
}

/**
 * Receives a file for an upload that has not started yet. Determines its type from the first bytes and counts its
 * size. After an error nothing is left.
 * @throws Failure FILE_TOO_SMALL, FILE_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, UPLOAD_MISMATCH; errors of `checkHead` and the body's own
 */
export async function receiveUpload(
  deps: ReceiveDeps,
  { accountId, body, checkHead, ...declared }: IncomingFile,
): Promise<ReceivedFile> {
  if ((declared.declaredSize ?? 0) > MAX_FILE_SIZE_BYTES) throw fileTooLarge(MAX_FILE_SIZE_BYTES);
  const opened = await openRequestBody(body);
  checkHead?.(opened.head);
  const mimetype = await detectMediaType(deps, opened.head, declared.declaredType);
  // The head of such a short file may be all of it, so the declared size is checked before the rest is read.
  if (declared.declaredSize !== undefined) assertFileSize(mimetype, declared.declaredSize);
  const { max } = FILE_SIZE_BYTES[mediaKind(mimetype)];
  const check = (size: number): void => assertFileSize(mimetype, size);
  const { uploadId, objectKey, size, sha256 } = await stageFile(deps, accountId, opened, { maxBytes: max, check });
  return { uploadId, objectKey, file: { size, sha256, mimetype } };
}

/**
 * The type of a file by its first bytes.
 * @throws Failure UNSUPPORTED_MEDIA_TYPE; UPLOAD_MISMATCH if the type differs from the declared one
 */
export async function detectMediaType(
  deps: Pick<ReceiveDeps, 'detectMediaType'>,
  head: Buffer,
  declared: MediaType | undefined,
): Promise<MediaType> {
  const found = await deps.detectMediaType(head);
  if (found === undefined) {
    const known = INPUT_MEDIA_TYPES.join(', ');
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', {
      detail:
        declared === 'application/pdf'
          ? 'The first 1,024 bytes of the file have no PDF header. Save the file as a PDF again.'
          : `The content of the file has no supported type. Supported types: ${known}.`,
    });
  }
  if (declared !== undefined && declared !== found) {
    throw new Failure('UPLOAD_MISMATCH', {
      detail: `The file was declared as ${declared}, but its content is ${found}.`,
    });
  }
  return found;
}

export interface StageDeps {
  storage: Pick<ObjectStore, 'put' | 'delete'>;
  stagedFiles: Pick<StagedFiles, 'add' | 'remove'>;
  /** Milliseconds since the epoch */
  now: () => number;
}

/** Time in milliseconds within which an upload may accept waiting bytes; it outlasts failures of the infrastructure. */
export const TAKEN_WITHIN_MS = 24 * 3_600_000;
/** Interval in milliseconds that renews the row of a body in transfer, so that the sweep ignores it. */
const RENEW_MS = 10 * 60_000;

/** Bytes in storage without an upload, under an id for a new one. */
export interface StagedBody {
  uploadId: string;
  objectKey: string;
  /** Bytes */
  size: number;
  /** Hex SHA-256 */
  sha256: string;
}

/**
 * A request's body. It remains open if it is not read to its end, so that the connection can still carry a response.
 */
export function openRequestBody(body: Readable): Promise<OpenedBody> {
  return openBody(body.iterator({ destroyOnReturn: false }));
}

/**
 * Streams a body into storage with constant memory, and records it as staged, so that the sweep removes it if it
 * remains unused.
 * @param check of the size in bytes, once it is known; if it throws, nothing is left
 * @throws Failure FILE_TOO_LARGE above `maxBytes`; the body's own error; errors of `check`
 */
export async function stageFile(
  deps: StageDeps,
  accountId: string,
  body: OpenedBody,
  { maxBytes, check }: { maxBytes: number; check?: (size: number) => void },
): Promise<StagedBody> {
  // A new id for each attempt, so that a repeated request never overwrites the bytes of the first.
  const uploadId = newId('upl', deps.now());
  const objectKey = originalKey(accountId, uploadId);
  const { signal, abort } = failable();
  const noted = deps.stagedFiles.add(uploadId, objectKey);
  noted.catch(abort);
  // The database may be unavailable for a moment; the next renewal is long before the sweep.
  const renewal = setInterval(() => void deps.stagedFiles.add(uploadId, objectKey).catch(() => undefined), RENEW_MS);
  try {
    const { size, sha256 } = await deps.storage.put(objectKey, notedBody(body, noted), { maxBytes, signal });
    check?.(size);
    return { uploadId, objectKey, size, sha256 };
  } catch (error) {
    await noted.catch(() => undefined);
    await discardStaged(deps, { uploadId, objectKey });
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

/** Deletes a staged file and its row. */
export async function discardStaged(
  { storage, stagedFiles }: { storage: Pick<ObjectStore, 'delete'>; stagedFiles: Pick<StagedFiles, 'remove'> },
  { uploadId, objectKey }: Pick<StagedBody, 'uploadId' | 'objectKey'>,
): Promise<void> {
  await storage.delete(objectKey);
  await stagedFiles.remove(uploadId);
}

function failable(): { signal: AbortSignal; abort: (reason: unknown) => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason) => controller.abort(reason) };
}

/**
 * Writes the row during the transfer. Delays the end of the stream until the row is written, so that no object exists
 * without its row.
 */
async function* notedBody(body: OpenedBody, noted: Promise<unknown>): AsyncGenerator<Uint8Array, void, undefined> {
  yield* wholeBody(body);
  await noted;
}
