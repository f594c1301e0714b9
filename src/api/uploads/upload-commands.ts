import type { Enhancement } from '../../domain/enhancement/enhancement.ts';
import { Failure } from '../../domain/failures.ts';
import { isId } from '../../domain/ids.ts';
import { initialEnhancement } from '../../domain/upload/initial-states.ts';
import { mediaKind } from '../../domain/upload/media.ts';
import * as messages from '../../domain/temporal/messages.ts';
import type { Upload } from '../../domain/upload/upload.ts';
import { actorOf } from '../commands/actor.ts';
import { admitParameters } from './check-order.ts';
import { claim, fingerprint } from '../commands/claim-idempotency-key.ts';
import { endedUpload } from './ended-upload.ts';
import { foundById } from '../commands/require-record.ts';
import { keyedId, newId, updateIdFor } from '../commands/ids.ts';
import { sendUpdate } from '../commands/send-update.ts';
import type { Caller, CommandDeps, EnhancementOrder, IdempotencyKey } from '../commands/command-types.ts';

/** The most uploads that one deletion names. */
export const MAX_DELETED_UPLOADS = 100;

export interface UploadCommands {
  requestEnhancement(
    caller: Caller,
    uploadId: string,
    order: EnhancementOrder,
    key: IdempotencyKey,
  ): Promise<Enhancement>;
  analyzeAgain(caller: Caller, uploadId: string, key: IdempotencyKey): Promise<Upload>;
  /** Deletes bytes and results; the tombstone is what it returns, then and ever after. */
  deleteUpload(caller: Caller, uploadId: string, key: IdempotencyKey): Promise<Upload>;
  /** Ids that are unknown or of another account are left out of the answer. */
  deleteUploads(caller: Caller, uploadIds: readonly string[], key: IdempotencyKey): Promise<string[]>;
}

/** What can be asked of an upload that is there. */
export function createUploadOperations(deps: CommandDeps): UploadCommands {
  const { client, idempotencyKeys, commandWaitMs } = deps;

  async function readUpload({ account }: Caller, uploadId: string): Promise<Upload> {
    return await foundById('upl', uploadId, (id) => deps.uploads.get(account.id, id));
  }

  async function deleteOne(caller: Caller, upload: Upload, key: IdempotencyKey): Promise<Upload> {
    if (upload.status === 'UPLOAD_DELETED') return upload;
    const outcome = await sendUpdate(
      client,
      {
        workflowId: messages.uploadWorkflowId(upload.id),
        update: messages.deleteUpload,
        args: [],
        updateId: updateIdFor(caller.account.id, `deleteUpload ${upload.id}`, key),
      },
      commandWaitMs,
    );
    const entry = { accountId: caller.account.id, action: 'upload.delete', subjectId: upload.id } as const;
    if (outcome.kind !== 'ended') await deps.audit.record({ ...actorOf(caller), ...entry, once: true });
    return outcome.kind === 'done' ? outcome.value : await readUpload(caller, upload.id);
  }

  return {
    async requestEnhancement(caller, uploadId, order, key) {
      const { id: accountId } = caller.account;
      const upload = await readUpload(caller, uploadId);
      admitParameters(caller, order.parameters, upload.file && mediaKind(upload.file.mimetype));
      const operation = 'requestEnhancement';
      const print = fingerprint({ uploadId, order });
      const id = key === null ? newId('enh', deps.now()) : keyedId('enh', accountId, key, print);
      await claim(idempotencyKeys, { accountId, key, operation, fingerprint: print, subjectId: id });
      const earlier = key === null ? undefined : await deps.enhancements.get(accountId, id);
      if (earlier !== undefined) return earlier;

      const urgency = order.urgency ?? (caller.waits === true ? 'interactive' : 'single');
      const request = { id, ...order, plan: caller.account.plan, urgency };
      const outcome = await sendUpdate(
        client,
        {
          workflowId: messages.uploadWorkflowId(uploadId),
          update: messages.requestEnhancement,
          args: [request],
          updateId: id,
        },
        commandWaitMs,
      );
      if (outcome.kind === 'ended') throw endedUpload(await readUpload(caller, uploadId));
      const at = new Date(deps.now()).toISOString();
      const accepted = outcome.kind === 'done' ? outcome.value : initialEnhancement(request, upload, at);
      // The workflow may begin it later, and the answer has to be readable now.
      await deps.enhancements.project(accepted);
      return accepted;
    },

    async analyzeAgain(caller, uploadId, key) {
      const { id: accountId } = caller.account;
      await readUpload(caller, uploadId);
      const operation = 'analyzeAgain';
      await claim(idempotencyKeys, { accountId, key, operation, fingerprint: uploadId, subjectId: uploadId });
      const outcome = await sendUpdate(
        client,
        {
          workflowId: messages.uploadWorkflowId(uploadId),
          update: messages.analyzeAgain,
          args: [],
          updateId: updateIdFor(accountId, `${operation} ${uploadId}`, key),
        },
        commandWaitMs,
      );
      if (outcome.kind === 'ended') throw endedUpload(await readUpload(caller, uploadId));
      return outcome.kind === 'done' ? outcome.value : await readUpload(caller, uploadId);
    },

    async deleteUpload(caller, uploadId, key) {
      const upload = await readUpload(caller, uploadId);
      const operation = 'deleteUpload';
      await claim(idempotencyKeys, {
        accountId: caller.account.id,
        key,
        operation,
        fingerprint: uploadId,
        subjectId: uploadId,
      });
      return await deleteOne(caller, upload, key);
    },

    async deleteUploads(caller, uploadIds, key) {
      if (uploadIds.length > MAX_DELETED_UPLOADS) {
        const detail = `Expected at most ${MAX_DELETED_UPLOADS} ids but received ${uploadIds.length}.`;
        throw new Failure('BAD_USER_INPUT', { field: 'ids', detail });
      }
      const operation = 'deleteUploads';
      await claim(idempotencyKeys, {
        accountId: caller.account.id,
        key,
        operation,
        fingerprint: fingerprint(uploadIds),
        subjectId: operation,
      });
      const ids = [...new Set(uploadIds)].filter((id) => isId('upl', id));
      const known = await Promise.all(ids.map((id) => deps.uploads.get(caller.account.id, id)));
      const present = known.filter((upload) => upload !== undefined);
      await Promise.all(present.map((upload) => deleteOne(caller, upload, key)));
      return present.map(({ id }) => id);
    },
  };
}
