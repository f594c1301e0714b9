import {
  Failure,
  INPUT_MEDIA_TYPES,
  mediaKind,
  mediaTypeNamed,
  type MediaType,
  type Labelled,
  type Upload,
} from '@burnish/contract';
import { assertFileSize } from '../../domain/upload/check-file-size.ts';
import * as messages from '../../domain/temporal/workflow-interface.ts';
import { incomingKey, originalKey } from '../../domain/files/object-keys.ts';
import { toLabels } from '../../domain/upload/labels.ts';
import type { ArrivedFile, UploadSource } from '../../domain/upload/new-upload.ts';
import type { PutGrant, ObjectStore } from '../../storage/object-store.ts';
import { acceptUpload, type AcceptDeps } from '../uploads/accept-upload.ts';
import { claimIdempotencyKey, updateIdFor } from '../commands/idempotency.ts';
import { requireById } from '../commands/checks.ts';
import { endedUpload } from '../uploads/upload-commands.ts';
import { baseFilename, defaultFilename } from '../schemas/fields.ts';
import { sendUpdate } from '../commands/workflow-commands.ts';
import { TAKEN_WITHIN_MS } from '../uploads/receive/stage-file.ts';
import type {
  Caller,
  UploadIdempotencyKey,
  IdempotencyKey,
  UploadOrder,
  UploadWithEnhancements,
} from '../commands/command-types.ts';
import type { FileUrls } from '../files/file-urls.ts';
import type { UrlSigner } from '../../storage/signed-url.ts';
import type { StagedFiles } from '../../database/uploads/staged-files.ts';

/** Lifetime of a signed URL in milliseconds (docs/contract.md). */
const SIGNED_URL_MS = 3_600_000;

export interface SignedUploadOrder extends UploadOrder {
  filename: string;
  /** Bytes */
  filesize: number;
  /** The caller's text; refused unless it names one of `INPUT_MEDIA_TYPES` */
  mimetype: string;
}

export interface SignedUpload extends UploadWithEnhancements {
  /** Accepts a PUT of the file, with the declared type as its `Content-Type` */
  uploadUrl: string;
  /** ISO 8601 */
  expiresAt: string;
}

export interface SignedUploadCommandDeps extends AcceptDeps {
  /** Base URL of the gateway for callers, without a trailing slash */
  publicUrl: string;
  signer: Pick<UrlSigner, 'sign'>;
  stagedFiles: StagedFiles;
  storage: Pick<ObjectStore, 'get' | 'signPut'>;
  /** Maximum duration of a command, in milliseconds */
  commandWaitMs: number;
}

/** Uploads directly from a browser or curl, in three steps: announce, PUT, complete. */
export function createSignedUploadCommands(deps: SignedUploadCommandDeps) {
  const { client, commandWaitMs } = deps;

  return {
    /**
     * Starts an upload that receives its file by PUT to a signed URL. @throws Failure with field `filename`, `filesize`
     * or `mimetype`
     */
    async createSignedUpload(
      caller: Caller,
      { filesize, mimetype: named, filename, ...order }: SignedUploadOrder,
      idempotencyKey: UploadIdempotencyKey,
    ): Promise<SignedUpload> {
      const mimetype = checkDeclaration(filesize, named);
      const isDirect = deps.storage.signPut !== undefined;
      const offered = {
        operation: 'createSignedUpload',
        order: { ...order, filename },
        kind: mediaKind(mimetype),
        originalFilename: baseFilename(filename) ?? defaultFilename(mimetype),
        request: { ...order, filename, filesize, mimetype: named },
        async source(uploadId: string, nowMs: number): Promise<UploadSource> {
          const expiresAt = new Date(nowMs + SIGNED_URL_MS).toISOString();
          const source = { kind: 'signed' as const, declared: { size: filesize, mimetype }, expiresAt };
          if (!isDirect) return source;
          // A storage service that callers can reach receives the bytes directly, without the gateway.
          const key = incomingKey(caller.account.id, uploadId);
          // Through this row, the sweep deletes bytes that arrive after the upload has its file.
          await deps.stagedFiles.add(uploadId, key, TAKEN_WITHIN_MS);
          return { ...source, incomingKey: key };
        },
      };
      const made = await acceptUpload(deps, caller, offered, idempotencyKey);
      const { id: uploadId } = made.upload;
      const direct = isDirect ? incomingKey(caller.account.id, uploadId) : undefined;
      // Based on the record's time, so that a repetition returns the same URL.
      const grant = {
        size: filesize,
        // Storage compares the header as text, and callers send the declared type.
        type: direct === undefined ? mimetype : named,
        signedAtMs: Date.parse(made.upload.createdAt),
        validMs: SIGNED_URL_MS,
      };
      const uploadUrl = (direct && (await deps.storage.signPut?.(direct, grant))) ?? gatewayUrl(deps, uploadId, grant);
      return { ...made, uploadUrl, expiresAt: new Date(grant.signedAtMs + grant.validMs).toISOString() };
    },

    /**
     * Completes an upload after its PUT. A file that differs from the declaration fails the upload: UPLOAD_FAILED with
     * UPLOAD_MISMATCH. The command returns that record, also on repetitions.
     * @throws Failure CONFLICT when no file has arrived yet, without any change
     */
    async completeSignedUpload(
      caller: Caller,
      uploadId: string,
      idempotencyKey: IdempotencyKey,
    ): Promise<Labelled<Upload>> {
      const { id: accountId } = caller.account;
      const read = (): Promise<Labelled<Upload>> =>
        requireById('upl', uploadId, (id) => deps.uploads.get(accountId, id));
      const before = await read();
      const operation = 'completeSignedUpload';
      await claimIdempotencyKey(deps.idempotencyKeys, { accountId, idempotencyKey, operation, subjectId: uploadId });
      if (before.status === 'UPLOAD_PENDING' && before.objectKey === null) await assertSent(deps, accountId, uploadId);
      const call = {
        permitOf: accountId,
        workflowId: messages.uploadWorkflowId(uploadId),
        update: messages.completeUpload,
        args: [] as [],
        updateId: updateIdFor(accountId, `${operation} ${uploadId}`, idempotencyKey),
      };
      const outcome = await sendUpdate(client, call, commandWaitMs);
      if (outcome.kind === 'done') return { ...outcome.value, ...toLabels(before) };
      const now = await read();
      if (now.status === 'UPLOAD_DELETED') throw endedUpload(now);
      return now;
    },

    /**
     * Passes a file from a PUT to its upload.
     * @returns whether the upload has accepted it; if not, it still may, so the file must remain
     * @throws Failure CONFLICT when the upload accepts no file (any more)
     */
    async putSignedFile(
      { id: uploadId, accountId: permitOf }: Pick<Upload, 'id' | 'accountId'>,
      file: ArrivedFile,
    ): Promise<boolean> {
      const call = {
        permitOf,
        workflowId: messages.uploadWorkflowId(uploadId),
        update: messages.putFile,
        args: [file] as [ArrivedFile],
        updateId: file.objectKey,
      };
      const outcome = await sendUpdate(client, call, commandWaitMs);
      if (outcome.kind === 'ended')
        throw new Failure('CONFLICT', {
          detail: 'The upload no longer accepts a file. Create another signed upload.',
        });
      return outcome.kind === 'done';
    },

    /**
     * Fails an upload with a PUT of more bytes than declared: UPLOAD_FAILED with UPLOAD_MISMATCH.
     * @throws Failure CONFLICT when the upload has another file, or has ended
     */
    async refuseLongFile({ id: uploadId, accountId: permitOf }: Pick<Upload, 'id' | 'accountId'>): Promise<void> {
      const workflowId = messages.uploadWorkflowId(uploadId);
      const call = {
        permitOf,
        workflowId,
        update: messages.refuseLongFile,
        args: [] as [],
        updateId: 'refuseLongFile',
      };
      const outcome = await sendUpdate(client, call, commandWaitMs);
      if (outcome.kind === 'ended') throw new Failure('CONFLICT', { detail: 'The upload has ended.' });
    },
  };
}

function gatewayUrl(
  deps: { publicUrl: string; signer: Pick<UrlSigner, 'sign'> },
  uploadId: string,
  { size, type, signedAtMs, validMs }: PutGrant,
): string {
  return deps.publicUrl + deps.signer.sign(`/uploads/${uploadId}`, { size, type }, signedAtMs + validMs);
}

/**
 * Checks that the file exists before the update of the workflow. A refusal of the workflow is stored: the same
 * idempotency key would return it even after the file arrives.
 * @throws Failure CONFLICT
 */
async function assertSent(
  { storage }: { storage: Pick<ObjectStore, 'get' | 'signPut'> },
  accountId: string,
  uploadId: string,
): Promise<void> {
  if (storage.signPut === undefined) return;
  // A concurrent call may already have moved the file to its final key.
  for (const key of [incomingKey(accountId, uploadId), originalKey(accountId, uploadId)]) {
    try {
      (await storage.get(key, { start: 0, end: 0 })).destroy();
      return;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
  }
  throw new Failure('CONFLICT', {
    detail: 'No file has been sent to the signed URL yet. Send it, and complete the upload again.',
  });
}

/**
 * @throws Failure UNSUPPORTED_MEDIA_TYPE, BAD_USER_INPUT, FILE_TOO_SMALL, FILE_TOO_LARGE, with the name of the field
 */
function checkDeclaration(filesize: number, named: string): MediaType {
  const mimetype = mediaTypeNamed(named);
  if (mimetype === undefined) {
    const detail = `The type in mimetype is not supported. Send one of ${INPUT_MEDIA_TYPES.join(', ')}.`;
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', { field: 'mimetype', detail });
  }
  if (!Number.isInteger(filesize) || filesize < 0) {
    throw new Failure('BAD_USER_INPUT', {
      field: 'filesize',
      detail: 'The size in filesize is no number of bytes. Send the exact size of the file as a whole number.',
    });
  }
  assertFileSize(mimetype, filesize, 'filesize');
  return mimetype;
}

export type SignedUploadCommands = ReturnType<typeof createSignedUploadCommands>;

/** What the operations and the fields of this resource use. */
export interface SignedUploadNeeds {
  urls: FileUrls;
  commands: SignedUploadCommands;
}
