import { Failure, isId, nameFieldAsync, mediaKind, type Labelled, type Upload } from '@burnish/contract';
import { effectiveStoredBytes, storageLimit } from '../../domain/accounts/account-limits.ts';
import { originalKey } from '../../domain/files/object-keys.ts';
import * as messages from '../../domain/temporal/workflow-interface.ts';
import { toLabels } from '../../domain/upload/labels.ts';
import type { UploadSource } from '../../domain/upload/new-upload.ts';
import {
  auditEntry,
  type Caller,
  type UploadIdempotencyKey,
  type IdempotencyKey,
  type ReceivedFile,
  type UploadOrder,
  type UploadWithEnhancements,
} from '../commands/command-types.ts';
import { claimIdempotencyKey, fingerprint, updateIdFor } from '../commands/idempotency.ts';
import { requireById } from '../commands/checks.ts';
import { sendUpdate } from '../commands/workflow-commands.ts';
import { baseFilename, defaultFilename, filenameOfUrl } from '../schemas/fields.ts';
import { Unavailable } from '../trouble/unavailable.ts';
import { assertBucketKnown } from '../enhancements/check-enhancement-order.ts';
import { acceptUpload, type AcceptDeps } from './accept-upload.ts';
import { assertPasswordAllowed } from './check-order.ts';
import { discardStaged, type ReceiveDeps } from './receive/stage-file.ts';
import { MAX_DELETED_UPLOADS } from './upload-schemas.ts';
import type { Enhancements } from '../../database/uploads/enhancements.ts';
import type { Uploads } from '../../database/uploads/uploads.ts';
import type { PreferredWaits } from '../changes/preferred-wait.ts';
import type { FileUrls } from '../files/file-urls.ts';
import type { AuditLog } from '../../database/accounts/audit-log.ts';
import type { StagedFiles } from '../../database/uploads/staged-files.ts';
import type { ObjectStore } from '../../storage/object-store.ts';

const CREATE = 'createUpload';

/** A file in a registered bucket. */
export interface BucketSource {
  bucket: string;
  key: string;
}

export interface UploadCommandDeps extends AcceptDeps {
  audit: AuditLog;
  stagedFiles: StagedFiles;
  storage: Pick<ObjectStore, 'copy' | 'delete'>;
  /** Maximum duration of a command, in milliseconds */
  commandWaitMs: number;
}

/**
 * Commands that create, analyze and delete uploads. The id of an upload is derived from the caller's key. The
 * workflow's id then ensures that the start happens exactly once.
 */
export function createUploadCommands(deps: UploadCommandDeps) {
  const { client, idempotencyKeys, commandWaitMs } = deps;

  async function readUpload({ account }: Caller, uploadId: string): Promise<Labelled<Upload>> {
    return await requireById('upl', uploadId, (id) => deps.uploads.get(account.id, id));
  }

  async function deleteOne(caller: Caller, upload: Labelled<Upload>): Promise<Labelled<Upload>> {
    if (upload.status === 'UPLOAD_DELETED') return upload;
    const outcome = await sendUpdate(
      client,
      {
        permitOf: caller.account.id,
        workflowId: messages.uploadWorkflowId(upload.id),
        update: messages.deleteUpload,
        args: [],
        // Repeated deletions are one update, however long storage takes.
        updateId: `delete ${upload.id}`,
      },
      commandWaitMs,
    );
    if (outcome.kind !== 'ended')
      await deps.audit.record(auditEntry(caller, { action: 'upload.delete', subjectId: upload.id, once: true }));
    return outcome.kind === 'done' ? { ...outcome.value, ...toLabels(upload) } : await readUpload(caller, upload.id);
  }

  const discardReceived = (received: ReceivedFile): Promise<void> => discardStaged(deps, received);

  return {
    /** Deletes a received file that no upload will use. */
    discardReceived,

    /**
     * Refuses a file before its transfer, unless the request may repeat an earlier one.
     * @param bytes that the file has at least @throws Failure STORAGE_LIMIT
     */
    async assertFits(
      { account, plan, storedBytes: stored = 0 }: Caller,
      bytes: number,
      { key, made }: UploadIdempotencyKey,
    ): Promise<void> {
      const bound = effectiveStoredBytes(account, plan);
      if (stored + bytes <= bound || (!made && (await idempotencyKeys.isClaimed(account.id, key)))) return;
      throw storageLimit(stored, bound);
    },

    /**
     * Starts the upload of a file in storage. Afterwards the file belongs to the upload, or is deleted: after a
     * refusal, and for a repeated request.
     */
    async createUploadFromStored(
      caller: Caller,
      { received, ...order }: UploadOrder & { received: ReceivedFile },
      idempotencyKey: UploadIdempotencyKey,
    ): Promise<UploadWithEnhancements> {
      const { file } = received;
      /** The file of the upload, once the upload begins */
      let owned: Pick<ReceivedFile, 'uploadId' | 'objectKey'> | undefined;
      try {
        const offered = {
          operation: CREATE,
          order,
          kind: mediaKind(file.mimetype),
          originalFilename: (order.filename && baseFilename(order.filename)) || defaultFilename(file.mimetype),
          request: { order, sha256: file.sha256 },
          id: received.uploadId,
          async source(uploadId: string): Promise<UploadSource> {
            let { objectKey } = received;
            if (uploadId !== received.uploadId) {
              // Concurrent equal requests write the same bytes to the same key, and one of them starts the upload.
              objectKey = originalKey(caller.account.id, uploadId);
              await deps.stagedFiles.add(uploadId, objectKey);
              await deps.storage.copy(received.objectKey, objectKey);
              await discardReceived(received);
            }
            owned = { uploadId, objectKey };
            return { kind: 'stored', objectKey, file };
          },
        };
        const upload = await acceptUpload(deps, caller, offered, idempotencyKey);
        if (owned === undefined) await discardReceived(received);
        return upload;
      } catch (error) {
        // After any other error the file may already belong to the upload, or is left to the sweep.
        if (owned === undefined || isRefusedBeforeStart(error)) await discardStaged(deps, owned ?? received);
        throw error;
      }
    },

    /** Starts the upload of a file that the workflow fetches. @throws Failure with field `url` for the URL */
    async createUploadFromUrl(
      caller: Caller,
      { url, ...order }: UploadOrder & { url: string },
      idempotencyKey: UploadIdempotencyKey,
    ): Promise<UploadWithEnhancements> {
      await nameFieldAsync('url', async () => deps.assertAllowedUrl(url));
      const filename = order.filename === null ? null : baseFilename(order.filename);
      const source: UploadSource = { kind: 'url', url, ...(filename === null ? { unnamed: true } : {}) };
      const offered = {
        ...{ operation: CREATE, order, kind: null, request: { order, url }, source: () => source },
        originalFilename: filename ?? filenameOfUrl(url),
      };
      return await acceptUpload(deps, caller, offered, idempotencyKey);
    },

    /** Starts the upload of a file in a registered bucket, as `createUploadFromUrl`. @throws Failure with field `bucket` */
    async createUploadFromBucket(
      caller: Caller,
      { bucket, key: objectKey, ...order }: UploadOrder & BucketSource,
      idempotencyKey: UploadIdempotencyKey,
    ): Promise<UploadWithEnhancements> {
      await assertBucketKnown(deps, caller.account.id, bucket, 'bucket');
      const source: UploadSource = { kind: 'bucket', bucket, key: objectKey };
      const filename = order.filename === null ? null : baseFilename(order.filename);
      const offered = {
        ...{ operation: CREATE, order, kind: null, request: { order, bucket, objectKey }, source: () => source },
        originalFilename: filename ?? baseFilename(objectKey) ?? 'upload',
      };
      return await acceptUpload(deps, caller, offered, idempotencyKey);
    },

    /** @param password of the PDF; it replaces an earlier one after a failed analysis */
    async analyzeAgain(
      caller: Caller,
      uploadId: string,
      idempotencyKey: IdempotencyKey,
      password?: string,
    ): Promise<Labelled<Upload>> {
      const { id: accountId } = caller.account;
      const upload = await readUpload(caller, uploadId);
      if (password !== undefined)
        assertPasswordAllowed(upload.file && mediaKind(upload.file.mimetype), upload.provider);
      const operation = 'analyzeAgain';
      await claimIdempotencyKey(idempotencyKeys, { accountId, idempotencyKey, operation, subjectId: uploadId });
      // A running or successful analysis keeps its original password.
      if (password !== undefined && upload.subStatus === 'METADATA_ANALYZED_FAILED')
        await deps.uploadPasswords.put(uploadId, password);
      const outcome = await sendUpdate(
        client,
        {
          permitOf: accountId,
          workflowId: messages.uploadWorkflowId(uploadId),
          update: messages.analyzeAgain,
          args: [],
          updateId: updateIdFor(accountId, `${operation} ${uploadId}`, idempotencyKey),
        },
        commandWaitMs,
      );
      if (outcome.kind === 'ended') throw endedUpload(await readUpload(caller, uploadId));
      return outcome.kind === 'done' ? { ...outcome.value, ...toLabels(upload) } : await readUpload(caller, uploadId);
    },

    /** Deletes bytes and results, and returns the tombstone, also on repetitions. */
    async deleteUpload(caller: Caller, uploadId: string, idempotencyKey: IdempotencyKey): Promise<Labelled<Upload>> {
      const upload = await readUpload(caller, uploadId);
      const { accountId } = upload;
      await claimIdempotencyKey(idempotencyKeys, {
        accountId,
        idempotencyKey,
        operation: 'deleteUpload',
        subjectId: uploadId,
      });
      return await deleteOne(caller, upload);
    },

    /** Omits unknown ids and those of another account from the response. */
    async deleteUploads(
      caller: Caller,
      uploadIds: readonly string[],
      idempotencyKey: IdempotencyKey,
    ): Promise<string[]> {
      if (uploadIds.length > MAX_DELETED_UPLOADS) {
        const detail = `The list has ${uploadIds.length} ids. Send at most ${MAX_DELETED_UPLOADS} at once.`;
        throw new Failure('BAD_USER_INPUT', { field: 'ids', detail });
      }
      const { id: accountId } = caller.account;
      const operation = 'deleteUploads';
      const claim = { operation, subjectId: operation, fingerprint: fingerprint(uploadIds) };
      await claimIdempotencyKey(idempotencyKeys, { accountId, idempotencyKey, ...claim });
      const ids = [...new Set(uploadIds)].filter((id) => isId('upl', id));
      const known = await Promise.all(ids.map((id) => deps.uploads.get(accountId, id)));
      const present = known.filter((upload) => upload !== undefined);
      await Promise.all(present.map((upload) => deleteOne(caller, upload)));
      return present.map(({ id }) => id);
    },
  };
}

export type UploadCommands = ReturnType<typeof createUploadCommands>;

function isRefusedBeforeStart(error: unknown): boolean {
  if (error instanceof Unavailable) return error.part === 'gateway';
  return error instanceof Failure && (error.code === 'RATE_LIMITED' || error.code === 'STORAGE_LIMIT');
}

/** The refusal of a command to an upload with a closed workflow. */
export function endedUpload(upload: Upload): Failure {
  return upload.status === 'UPLOAD_DELETED'
    ? new Failure('NOT_FOUND', { detail: 'The upload has been deleted. Send the file again.' })
    : new Failure('BAD_USER_INPUT', { detail: `The upload is ${upload.status} and no longer accepts commands.` });
}

/** What the operations and the fields of this resource use. */
export interface UploadNeeds extends ReceiveDeps {
  uploads: Uploads;
  enhancements: Enhancements;
  urls: FileUrls;
  preferredWait: PreferredWaits;
  commands: UploadCommands;
}
