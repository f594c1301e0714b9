import type { UpdateDefinition } from '@temporalio/common';
import { isTerminal } from '../../domain/enhancement/enhancement.ts';
import type { Enhancement } from '../../domain/enhancement/enhancement.ts';
import { Failure } from '../../domain/failures.ts';
import * as messages from '../../domain/temporal/messages.ts';
import type { AuditAction } from '../../domain/accounts/audit.ts';
import { actorOf } from '../commands/actor.ts';
import { claim } from '../commands/claim-idempotency-key.ts';
import { foundById } from '../commands/require-record.ts';
import { updateIdFor } from '../commands/ids.ts';
import { sendUpdate } from '../commands/send-update.ts';
import type { UpdateOutcome } from '../commands/send-update.ts';
import type { Caller, CommandDeps, IdempotencyKey } from '../commands/command-types.ts';

type Command = (caller: Caller, enhancementId: string, key: IdempotencyKey) => Promise<Enhancement>;
type EnhancementUpdate = UpdateDefinition<Enhancement | null, [messages.EnhancementSubject]>;

export interface EnhancementCommands {
  approve: Command;
  reject: Command;
  /** A no-op on an enhancement that has ended. */
  cancel: Command;
}

/** What can be asked of an enhancement that is there. */
export function createEnhancementOperations(deps: CommandDeps): EnhancementCommands {
  const read = async ({ account }: Caller, id: string): Promise<Enhancement> =>
    foundById('enh', id, (each) => deps.enhancements.get(account.id, each));

  /** @returns whether the same command has come under the same key before */
  function claimCommand(caller: Caller, id: string, key: IdempotencyKey, operation: string): Promise<boolean> {
    const { id: accountId } = caller.account;
    return claim(deps.idempotencyKeys, { accountId, key, operation, fingerprint: id, subjectId: id });
  }

  /** Asks the workflow of the upload, which runs its enhancements. */
  function send(
    { account }: Caller,
    { id, uploadId }: Enhancement,
    key: IdempotencyKey,
    update: EnhancementUpdate,
  ): Promise<UpdateOutcome<Enhancement | null>> {
    const updateId = updateIdFor(account.id, `${update.name} ${id}`, key);
    const args: [messages.EnhancementSubject] = [{ enhancementId: id }];
    return sendUpdate(
      deps.client,
      { workflowId: messages.uploadWorkflowId(uploadId), update, args, updateId },
      deps.commandWaitMs,
    );
  }

  /** Written once for each enhancement, when the workflow has taken the command. */
  async function record(caller: Caller, action: AuditAction, { id, uploadId }: Enhancement): Promise<void> {
    const entry = { accountId: caller.account.id, action, subjectId: id, details: { uploadId } };
    await deps.audit.record({ ...actorOf(caller), ...entry, once: true });
  }

  function decision(update: EnhancementUpdate, action: AuditAction): Command {
    return async (caller, id, key) => {
      const enhancement = await read(caller, id);
      const repeated = await claimCommand(caller, id, key, update.name);
      const outcome = await send(caller, enhancement, key, update);
      const isTaken = outcome.kind === 'accepted' || (outcome.kind === 'done' && outcome.value !== null);
      if (isTaken || repeated) await record(caller, action, enhancement);
      if (outcome.kind === 'done' && outcome.value !== null) return outcome.value;
      const now = await read(caller, id);
      if (outcome.kind === 'accepted' || repeated) return now;
      throw new Failure('BAD_USER_INPUT', {
        detail: `The enhancement is ${now.status}; only one that is AWAITING_APPROVAL can be decided on.`,
      });
    };
  }

  return {
    approve: decision(messages.approveEnhancement, 'enhancement.approve'),
    reject: decision(messages.rejectEnhancement, 'enhancement.reject'),
    async cancel(caller, id, key) {
      const enhancement = await read(caller, id);
      await claimCommand(caller, id, key, messages.cancelEnhancement.name);
      if (isTerminal(enhancement.status)) return enhancement;
      const outcome = await send(caller, enhancement, key, messages.cancelEnhancement);
      const isTaken = outcome.kind === 'accepted' || (outcome.kind === 'done' && outcome.value !== null);
      if (isTaken) await record(caller, 'enhancement.cancel', enhancement);
      if (outcome.kind === 'done' && outcome.value !== null) return outcome.value;
      const now = await read(caller, id);
      if (outcome.kind === 'accepted' || isTerminal(now.status)) return now;
      throw new Failure('INTERNAL', {
        detail: 'The enhancement cannot be cancelled at this moment. Try again, or delete the upload.',
        retryAfterSeconds: 5,
      });
    },
  };
}
