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
import { openRequestBody, stageFile } from './stage-file.ts';
import type { StageDeps } from './stage-file.ts';

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
