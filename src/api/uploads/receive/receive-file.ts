import type { Readable } from 'node:stream';
import { counted } from '../../../domain/counted.ts';
import { Failure } from '../../../domain/failures.ts';
import { fileTooLarge } from '../../../domain/upload/file-size.ts';
import { FILE_SIZE_BYTES, MAX_FILE_SIZE_BYTES, MEDIA_TYPES, mediaKind } from '../../../domain/upload/media.ts';
import type { MediaType } from '../../../domain/upload/media.ts';
import type { ReceivedFile } from '../../commands/command-types.ts';
import type { DetectMediaType } from '../../ports.ts';
import { openRequestBody, stageFile } from './stage-file.ts';
import type { StageDeps } from './stage-file.ts';

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
export async function receiveFile(
  deps: ReceiveDeps,
  { accountId, body, ...declared }: IncomingFile,
): Promise<ReceivedFile> {
  if ((declared.declaredSize ?? 0) > MAX_FILE_SIZE_BYTES) throw fileTooLarge(MAX_FILE_SIZE_BYTES);
  const opened = await openRequestBody(body);
  const mimetype = await detectMediaType(deps, opened.head, declared.declaredType);
  const { min, max } = FILE_SIZE_BYTES[mediaKind(mimetype)];
  if ((declared.declaredSize ?? 0) > max) throw fileTooLarge(max);
  // Of a file this short, the head may be all there is.
  if (declared.declaredSize !== undefined && declared.declaredSize < min) throw tooSmall(min);

  const check = (size: number): void => {
    if (size < min) throw tooSmall(min);
  };
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

function tooSmall(min: number): Failure {
  return new Failure('FILE_TOO_SMALL', {
    detail: `The file is smaller than the minimum size of ${counted(min, 'byte')}.`,
  });
}
