import { OPERATOR } from '@burnish/contract';
import type { AccountDeletion } from '../../database/accounts/account-deletion.ts';
import type { AuditLog } from '../../database/accounts/audit-log.ts';
import { deleteUpload, uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import type { TemporalClient } from '../commands/command-types.ts';
import { sendUpdate, OWN_WORK } from '../commands/workflow-commands.ts';

export interface DeleteAccountsDeps {
  client: TemporalClient;
  deletion: Pick<AccountDeletion, 'open' | 'uploadsLeft' | 'finish'>;
  audit: Pick<AuditLog, 'record'>;
  log: { warn(facts: object, message: string): void };
  /** Milliseconds since the epoch */
  now: () => number;
}

const ACCOUNTS = 100;
/** Number of concurrent deletions of an account's uploads. */
const AT_ONCE = 20;
const DELETE_WITHIN_MS = 30_000;

/**
 * Deletes the uploads of deleted accounts through their workflows, and completes the receipts. The next call retries
 * failures. The reconciler restarts a lost workflow, which then accepts the command.
 */
export async function deleteAccounts(deps: DeleteAccountsDeps, signal: AbortSignal): Promise<void> {
  for (const accountId of await deps.deletion.open(ACCOUNTS)) {
    if (await deleteUploads(deps, accountId, signal)) await finish(deps, accountId);
    if (signal.aborted) return;
  }
}

async function deleteUploads(deps: DeleteAccountsDeps, accountId: string, signal: AbortSignal): Promise<boolean> {
  let before = '';
  while (!signal.aborted) {
    const ids = await deps.deletion.uploadsLeft(accountId, AT_ONCE);
    if (ids.length === 0) return true;
    // The same uploads again: they cannot be deleted now.
    if (ids.join() === before) return false;
    before = ids.join();
    const ended = await Promise.allSettled(ids.map((id) => deleteOne(deps, id)));
    const failed = ended.find((each) => each.status === 'rejected');
    if (failed !== undefined) {
      deps.log.warn(
        { err: failed.reason as unknown, accountId },
        'an upload of a deleted account could not be deleted',
      );
    }
  }
  return false;
}

function deleteOne({ client }: DeleteAccountsDeps, uploadId: string): Promise<unknown> {
  const workflowId = uploadWorkflowId(uploadId);
  const updateId = `account-deletion ${uploadId}`;
  const call = { permitOf: OWN_WORK, workflowId, update: deleteUpload, args: [] as [], updateId };
  return sendUpdate(client, call, DELETE_WITHIN_MS);
}

async function finish({ deletion, audit, now }: DeleteAccountsDeps, accountId: string): Promise<void> {
  const { orderedAt: _, ...details } = await deletion.finish(accountId, new Date(now()).toISOString());
  await audit.record({ ...OPERATOR, accountId, action: 'account.deleted', subjectId: null, details });
}
