import type { Request, Response } from 'express';
import { counted, DETECT_BYTES, mediaTypeNamed, Failure } from '@burnish/contract';
import {
  MAX_PARTS,
  type ResumableUpload,
  type UploadPart,
  type UploadParts,
} from '../../database/uploads/upload-parts.ts';
import { assertFileSize } from '../../domain/upload/check-file-size.ts';
import type { OpenedBody } from '../../storage/receive-file.ts';
import type { Caller } from '../commands/command-types.ts';
import { ProtocolFailure } from '../http/problem.ts';
import { readHeader } from '../http/request-context.ts';
import { detectMediaType, openRequestBody, type ReceiveDeps } from '../uploads/receive/stage-file.ts';
import { beyondLength, conflict, receiveParts, type ReceivePartsDeps } from './receive-parts.ts';
import { assertPartType, parseMetadata, readChecksum, readUploadOffset } from './tus-headers.ts';
import type { FairLimiter } from '../../process/fair-limiter.ts';
import type { Admission } from '../http/admission.ts';
import type { createResumableUploadCommands } from './resumable-upload-commands.ts';

export interface AppendNeeds extends Pick<ReceiveDeps, 'detectMediaType'>, Pick<ReceivePartsDeps, 'storage'> {
  admission: Admission;
  uploadParts: UploadParts;
  /** Limits the appends to one upload */
  appendLimit: FairLimiter;
  commands: ReturnType<typeof createResumableUploadCommands>;
}

/**
 * Appends the body of a PATCH to an upload.
 * @returns the upload with its new offset, in bytes
 * @throws ProtocolFailure for a wrong offset, a wrong checksum, or too many concurrent requests; Failure
 */
export async function appendBytes(
  deps: AppendNeeds,
  caller: Caller,
  uploadId: string,
  req: Request<object>,
  res: Response,
): Promise<ResumableUpload> {
  const upload = await deps.commands.readResumableUpload(caller, uploadId);
  assertPartType(req);
  const start = readUploadOffset(req);
  const checksum = readChecksum(req);
  const { length, offset } = upload;
  if (start !== offset) {
    const fault = `The upload has ${counted(offset, 'byte')}, but Upload-Offset is ${start}.`;
    throw conflict(fault);
  }
  if (Number(readHeader(req, 'content-length') ?? 0) > length - offset) throw beyondLength(length);
  if (upload.parts >= MAX_PARTS && offset < length) {
    const detail = `The upload has arrived in ${MAX_PARTS} parts. Send the file with a new upload, and at least 100,000 bytes with each PATCH.`;
    throw new Failure('BAD_USER_INPUT', { detail });
  }

  const work = async (): Promise<number> => {
    await deps.admission.admit(caller.account.id, res);
    const body = await openRequestBody(req);
    if (start === 0) await assertGoodStart(deps, upload, body);
    const target = { accountId: caller.account.id, uploadId, start, length, checksum };
    const append = (at: number, parts: readonly UploadPart[]): Promise<boolean> =>
      deps.uploadParts.append(uploadId, at, parts);
    return await receiveParts({ storage: deps.storage, append }, target, body);
  };
  const tooMany = (max: number): ProtocolFailure => {
    const detail = `${max} other requests append to the upload. Wait for their end.`;
    return new ProtocolFailure(423, 'RATE_LIMITED', { detail, retryAfterSeconds: 5 });
  };
  const end = await deps.appendLimit.run({ owner: uploadId, refusal: tooMany }, work);
  if (end === length) await deps.commands.completeResumableUpload(uploadId);
  return { ...upload, offset: end };
}

/** Refuses a file by its first bytes, if they have all arrived. @throws Failure */
async function assertGoodStart(
  deps: Pick<AppendNeeds, 'detectMediaType'>,
  { length, metadata }: ResumableUpload,
  { head }: OpenedBody,
): Promise<void> {
  if (head.byteLength < Math.min(DETECT_BYTES, length)) return;
  const mimetype = await detectMediaType(deps, head, mediaTypeNamed(parseMetadata(metadata)['filetype'] ?? ''));
  assertFileSize(mimetype, length);
}
