import type { Readable } from 'node:stream';
import type { detectMediaType as detectByContent } from '../../../engine/detect.ts';
import { Failure } from '../../../domain/failures.ts';
import {
  assertFileSize,
  fileTooLarge,
  FILE_SIZE_BYTES,
  MAX_FILE_SIZE_BYTES,
  INPUT_MEDIA_TYPES,
  mediaKind,
  type MediaType,
} from '../../../domain/upload/media.ts';
import type { ReceivedFile } from '../../commands/command-types.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { openBody, wholeBody, type OpenedBody } from '../../../storage/receive-file.ts';
import { newId } from '../../../database/new-id.ts';
import { originalKey } from '../../../domain/files/object-keys.ts';
import type { StagedFiles } from '../../../database/uploads/upload-starts.ts';

export type DetectMediaType = typeof detectByContent;

export interface ReceiveDeps extends StageDeps {
  detectMediaType: DetectMediaType;
}

export interface IncomingFile {
  accountId: string;
  body: Readable;
  /** Bytes, where the sender says so */
  declaredSize?: number | undefined;
  /** Where the sender says so; the content has to agree */
  declaredType?: MediaType | undefined;
}

/**
 * Takes in a file for an upload that is about to start: its type by the first bytes, its size by all of them.
 * After an error nothing is left.
 * @throws Failure FILE_TOO_SMALL, FILE_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, UPLOAD_MISMATCH; the body's own error
 */
export async function receiveUpload(
  deps: ReceiveDeps,
  { accountId, body, ...declared }: IncomingFile,
): Promise<ReceivedFile> {
  if ((declared.declaredSize ?? 0) > MAX_FILE_SIZE_BYTES) throw fileTooLarge(MAX_FILE_SIZE_BYTES);
  const opened = await openRequestBody(body);
  const mimetype = await detectMediaType(deps, opened.head, declared.declaredType);
  // The head of a file this short may be all of it, so a declared size is checked before the rest is read.
  if (declared.declaredSize !== undefined) assertFileSize(mimetype, declared.declaredSize);
  const { max } = FILE_SIZE_BYTES[mediaKind(mimetype)];
  const check = (size: number): void => assertFileSize(mimetype, size);
  const { uploadId, objectKey, size, sha256 } = await stageFile(deps, accountId, opened, { maxBytes: max, check });
  return { uploadId, objectKey, file: { size, sha256, mimetype } };
}

async function detectMediaType(
  deps: Pick<ReceiveDeps, 'detectMediaType'>,
  head: Buffer,
  declared: MediaType | undefined,
): Promise<MediaType> {
  const found = await deps.detectMediaType(head);
  if (found === undefined) {
    const known = INPUT_MEDIA_TYPES.join(', ');
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', {
      detail: `The content of the file is of none of the supported types: ${known}.`,
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

/** An upload may take bytes that wait for it for so long, milliseconds: trouble of the infrastructure is waited out. */
export const TAKEN_WITHIN_MS = 24 * 3_600_000;
/** The note of a body that keeps coming is renewed this often, milliseconds: the sweep leaves it alone. */
const RENEW_MS = 10 * 60_000;

/** Bytes in storage that belong to no upload yet, under an id that one may take. */
export interface StagedBody {
  uploadId: string;
  objectKey: string;
  /** Bytes */
  size: number;
  /** Hex SHA-256 */
  sha256: string;
}

/** A request's body, which stays open when it is not read to its end: the connection may still be answered. */
export function openRequestBody(body: Readable): Promise<OpenedBody> {
  return openBody(body.iterator({ destroyOnReturn: false }));
}

/**
 * Streams a body into storage with flat memory, and notes it as staged for the case that nobody comes to use it.
 * @param check of the size in bytes, once it is known; when it throws, nothing is left
 * @throws Failure FILE_TOO_LARGE above `maxBytes`; the body's own error; what `check` throws
 */
export async function stageFile(
  deps: StageDeps,
  accountId: string,
  body: OpenedBody,
  { maxBytes, check }: { maxBytes: number; check?: (size: number) => void },
): Promise<StagedBody> {
  // A new id for each try, so that a repeated request never writes over the bytes of the first.
  const uploadId = newId('upl', deps.now());
  const objectKey = originalKey(accountId, uploadId);
  const { signal, abort } = failable();
  const noted = deps.stagedFiles.add(uploadId, objectKey);
  noted.catch(abort);
  // The database may be away for a moment; the next renewal is long before the sweep.
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

/** Gives up what was staged. */
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

/** The note is written while the bytes come; the end is held back for it, so that no object is there without its note. */
async function* notedBody(body: OpenedBody, noted: Promise<unknown>): AsyncGenerator<Uint8Array, void, undefined> {
  yield* wholeBody(body);
  await noted;
}
