import { WorkflowNotFoundError } from '@temporalio/client';
import {
  Failure,
  FILE_SIZE_BYTES,
  MAX_FILE_SIZE_BYTES,
  INPUT_MEDIA_TYPES,
  mediaKind,
  mediaTypeNamed,
  type MediaType,
} from '@burnish/contract';
import type { ResumableUpload, UploadParts } from '../../database/uploads/upload-parts.ts';
import { partsComplete, uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import { assertFileSize, fileTooLarge } from '../../domain/upload/check-file-size.ts';
import type { UploadSource } from '../../domain/upload/new-upload.ts';
import { requireById } from '../commands/checks.ts';
import type { Caller, UploadIdempotencyKey, UploadOrder, UploadWithEnhancements } from '../commands/command-types.ts';
import { temporalFailure } from '../commands/workflow-commands.ts';
import { ProtocolFailure } from '../http/problem.ts';
import { baseFilename, defaultFilename } from '../schemas/fields.ts';
import { acceptUpload, type AcceptDeps } from '../uploads/accept-upload.ts';

/** Time in milliseconds for all bytes of a resumable upload to arrive (docs/contract.md). */
const RESUMABLE_MS = 24 * 3_600_000;

export interface ResumableUploadOrder extends UploadOrder {
  /** Bytes */
  length: number;
  /** The caller's text; absent or `application/octet-stream`: the content decides */
  filetype?: string | undefined;
  /** `Upload-Metadata`, which the client reads again */
  metadata: string;
}

export interface CreatedResumableUpload extends UploadWithEnhancements {
  /** ISO 8601 */
  expiresAt: string;
}

export interface ResumableUploadCommandDeps extends AcceptDeps {
  uploadParts: UploadParts;
  /** Maximum duration of a command, in milliseconds */
  commandWaitMs: number;
}

/** Commands of uploads that arrive in parts by tus. */
export function createResumableUploadCommands(deps: ResumableUploadCommandDeps) {
  const { client, commandWaitMs, uploadParts } = deps;

  async function completeResumableUpload(uploadId: string): Promise<void> {
    try {
      await client.withDeadline(Date.now() + commandWaitMs, () =>
        client.workflow.getHandle(uploadWorkflowId(uploadId)).signal(partsComplete),
      );
    } catch (error) {
      // The upload has ended, or the reconciler starts its workflow again.
      if (!(error instanceof WorkflowNotFoundError)) throw temporalFailure(error);
    }
  }

  return {
    /** Continues an upload whose bytes are all in storage. @throws a temporary Failure */
    completeResumableUpload,

    /** Starts an upload that receives its file in parts. @throws Failure with the field at fault */
    async createResumableUpload(
      caller: Caller,
      { length, filetype, metadata, ...order }: ResumableUploadOrder,
      idempotencyKey: UploadIdempotencyKey,
    ): Promise<CreatedResumableUpload> {
      const mimetype = checkDeclaration(length, filetype);
      const { account } = caller;
      const filename = order.filename === null ? null : baseFilename(order.filename);
      let expiresAt: string | undefined;
      const offered = {
        operation: 'createResumableUpload',
        order,
        kind: mimetype && mediaKind(mimetype),
        originalFilename: filename ?? (mimetype === null ? 'upload' : defaultFilename(mimetype)),
        request: { order, length, mimetype },
        async source(uploadId: string, nowMs: number): Promise<UploadSource> {
          const until = new Date(nowMs + RESUMABLE_MS).toISOString();
          await uploadParts.create({ uploadId, accountId: account.id, length, metadata, expiresAt: until });
          expiresAt = until;
          return { kind: 'resumable', declared: { size: length, mimetype }, expiresAt: until };
        },
      };
      const made = await acceptUpload(deps, caller, offered, idempotencyKey);
      expiresAt ??= (await requireById('upl', made.upload.id, (id) => uploadParts.get(account.id, id))).expiresAt;
      return { ...made, expiresAt };
    },

    /**
     * Reads the offset of an upload. If all its bytes are in storage, the upload continues with them.
     * @throws Failure NOT_FOUND; ProtocolFailure when the upload has failed
     */
    async readResumableUpload({ account }: Caller, uploadId: string): Promise<ResumableUpload> {
      const parts = await requireById('upl', uploadId, (id) => uploadParts.get(account.id, id));
      const upload = await requireById('upl', uploadId, (id) => deps.uploads.get(account.id, id));
      if (upload.status === 'UPLOAD_DELETED')
        throw new Failure('NOT_FOUND', { detail: 'The upload has been deleted. Send the file with a new upload.' });
      if (upload.status === 'UPLOAD_FAILED') {
        throw new ProtocolFailure(410, upload.errorCode ?? 'INTERNAL', {
          detail: upload.errorDetail ?? 'The upload has failed.',
          retryable: false,
        });
      }
      if (upload.status !== 'UPLOAD_PENDING') return { ...parts, offset: parts.length };
      if (parts.offset === parts.length) await completeResumableUpload(uploadId);
      return parts;
    },
  };
}

/** Bytes of the smallest file of any type. */
const MIN_FILE_SIZE_BYTES = Math.min(...Object.values(FILE_SIZE_BYTES).map(({ min }) => min));

/**
 * The type that the caller declares; null if the content decides.
 * @throws Failure UNSUPPORTED_MEDIA_TYPE, FILE_TOO_SMALL, FILE_TOO_LARGE
 */
function checkDeclaration(length: number, filetype: string | undefined): MediaType | null {
  const field = 'Upload-Length';
  if (filetype === undefined || filetype === '' || filetype === 'application/octet-stream') {
    if (length > MAX_FILE_SIZE_BYTES)
      throw new Failure('FILE_TOO_LARGE', { field, detail: fileTooLarge(MAX_FILE_SIZE_BYTES).message });
    if (length < MIN_FILE_SIZE_BYTES)
      throw new Failure('FILE_TOO_SMALL', { field, detail: `A file has at least ${MIN_FILE_SIZE_BYTES} bytes.` });
    return null;
  }
  const mimetype = mediaTypeNamed(filetype);
  if (mimetype === undefined) {
    const detail = `Expected filetype to be one of ${INPUT_MEDIA_TYPES.join(', ')}.`;
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', { field: 'filetype', detail });
  }
  assertFileSize(mimetype, length, field);
  return mimetype;
}
