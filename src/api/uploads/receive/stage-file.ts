import type { Readable } from 'node:stream';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { openBody, wholeBody, type OpenedBody } from '../../../storage/receive-file.ts';
import { newId } from '../../../database/new-id.ts';
import { originalKey } from '../../../domain/files/object-keys.ts';
import type { StagedFiles } from '../../../database/uploads/staged-files.ts';

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
