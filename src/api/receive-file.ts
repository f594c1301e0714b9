import type { Readable } from 'node:stream';
import { Failure } from '../domain/failures.ts';
import { FILE_SIZE_BYTES, MAX_FILE_SIZE_BYTES, MEDIA_TYPES, mediaKind } from '../domain/media.ts';
import type { MediaType } from '../domain/media.ts';
import { DETECT_BYTES } from '../engine/detect.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { newId, originalKey } from './commands/ids.ts';
import type { ReceivedFile } from './commands/types.ts';
import type { DetectMediaType, StagedFiles } from './ports.ts';

export interface ReceiveDeps {
  storage: Pick<ObjectStore, 'put' | 'delete'>;
  stagedFiles: Pick<StagedFiles, 'add' | 'remove'>;
  detectMediaType: DetectMediaType;
  /** Milliseconds since the epoch */
  now: () => number;
}

export interface IncomingFile {
  accountId: string;
  /** Stays open when it is not read to its end: whoever made it decides what becomes of the connection. */
  body: Readable;
  /** Bytes, where the sender says so */
  declaredSize?: number | undefined;
  /** Where the sender says so; the content has to agree */
  declaredType?: MediaType | undefined;
}

/**
 * Streams a file into storage with flat memory: its type by the first bytes, its size by all of them.
 * What it wrote is noted as staged, for the case that nobody comes to use it; after an error nothing is left.
 * @throws Failure FILE_TOO_SMALL, FILE_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, UPLOAD_MISMATCH; the body's own error
 */
export async function receiveFile(
  deps: ReceiveDeps,
  { accountId, body, ...declared }: IncomingFile,
): Promise<ReceivedFile> {
  if ((declared.declaredSize ?? 0) > MAX_FILE_SIZE_BYTES) throw tooLarge(MAX_FILE_SIZE_BYTES);
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>;
  const head = await readHead(chunks);
  const mimetype = await detectMediaType(deps, head, declared.declaredType);
  const { min, max } = FILE_SIZE_BYTES[mediaKind(mimetype)];
  if ((declared.declaredSize ?? 0) > max) throw tooLarge(max);
  // Of a file this short, the head may be all there is.
  if (declared.declaredSize !== undefined && declared.declaredSize < min) throw tooSmall(min);

  // A new id for each try, so that a repeated request never writes over the bytes of the first.
  const uploadId = newId('upl', deps.now());
  const objectKey = originalKey(accountId, uploadId);
  const { signal, abort } = failable();
  const noted = deps.stagedFiles.add(uploadId, objectKey);
  noted.catch(abort);
  try {
    const stored = await deps.storage.put(objectKey, wholeBody(head, chunks, noted), { maxBytes: max, signal });
    if (stored.size < min) throw tooSmall(min);
    return { uploadId, objectKey, file: { size: stored.size, sha256: stored.sha256, mimetype } };
  } catch (error) {
    await noted.catch(() => undefined);
    await deps.storage.delete(objectKey);
    await deps.stagedFiles.remove(uploadId);
    throw error;
  }
}

async function readHead(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array[]> {
  const head: Uint8Array[] = [];
  for (let size = 0; size < DETECT_BYTES;) {
    const next = await chunks.next();
    if (next.done === true) break;
    head.push(next.value);
    size += next.value.byteLength;
  }
  return head;
}

function failable(): { signal: AbortSignal; abort: (reason: unknown) => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason) => controller.abort(reason) };
}

/** The note is written while the bytes come; the end is held back for it, so that no object is there without its note. */
async function* wholeBody(
  head: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
  noted: Promise<unknown>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  await noted;
}

async function detectMediaType(
  deps: ReceiveDeps,
  head: readonly Uint8Array[],
  declared: MediaType | undefined,
): Promise<MediaType> {
  const found = await deps.detectMediaType(Buffer.concat(head));
  if (found === undefined) {
    const known = Object.keys(MEDIA_TYPES).join(', ');
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

function tooLarge(max: number): Failure {
  return new Failure('FILE_TOO_LARGE', { detail: `The file is larger than the maximum size of ${max} bytes.` });
}

function tooSmall(min: number): Failure {
  return new Failure('FILE_TOO_SMALL', { detail: `The file is smaller than the minimum size of ${min} bytes.` });
}
