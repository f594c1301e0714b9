import { randomUUID } from 'node:crypto';
import type { UpdateDefinition } from '@temporalio/common';
import { isTerminal } from '../../domain/enhancement.ts';
import type { Enhancement } from '../../domain/enhancement.ts';
import { Failure } from '../../domain/failures.ts';
import * as messages from '../../domain/messages.ts';
import { claim } from './claim.ts';
import { foundById } from './found.ts';
import { updateIdFor } from './ids.ts';
import { sendUpdate } from './send-update.ts';
import type { UpdateOutcome } from './send-update.ts';
import type { Caller, CommandDeps, IdempotencyKey } from './types.ts';

/** Looks at both places where an enhancement can be: it moves once, from its upload to a workflow of its own. */
const CANCEL_ATTEMPTS = 2;

type Command = (caller: Caller, enhancementId: string, key: IdempotencyKey) => Promise<Enhancement>;

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

  function send(
    { account }: Caller,
    id: string,
    key: IdempotencyKey,
    update: UpdateDefinition<Enhancement>,
  ): Promise<UpdateOutcome<Enhancement>> {
    const updateId = updateIdFor(account.id, `${update.name} ${id}`, key);
    const call = { workflowId: messages.enhancementWorkflowId(id), update, args: [] as [], updateId };
    return sendUpdate(deps.client, call, deps.commandWaitMs);
  }

  /** Asks the upload, which has those in its care that wait for it and have no workflow yet. */
  async function cancelInUpload({ id, uploadId }: Enhancement): Promise<Enhancement | null> {
    const call = {
      workflowId: messages.uploadWorkflowId(uploadId),
      update: messages.cancelWaiting,
      args: [{ enhancementId: id }] as [{ enhancementId: string }],
      updateId: randomUUID(),
    };
    const outcome = await sendUpdate(deps.client, call, deps.commandWaitMs);
    return outcome.kind === 'done' ? outcome.value : null;
  }

  function decision(update: UpdateDefinition<Enhancement>): Command {
    return async (caller, id, key) => {
      await read(caller, id);
      const repeated = await claimCommand(caller, id, key, update.name);
      const outcome = await send(caller, id, key, update);
      if (outcome.kind === 'done') return outcome.value;
      const now = await read(caller, id);
      if (outcome.kind === 'accepted' || repeated) return now;
      throw new Failure('BAD_USER_INPUT', {
        detail: `The enhancement is ${now.status}; only one that is AWAITING_APPROVAL can be decided on.`,
      });
    };
  }

  return {
    approve: decision(messages.approveEnhancement),
    reject: decision(messages.rejectEnhancement),
    async cancel(caller, id, key) {
      const enhancement = await read(caller, id);
      await claimCommand(caller, id, key, messages.cancelEnhancement.name);
      if (isTerminal(enhancement.status)) return enhancement;
      for (let attempt = 1; attempt <= CANCEL_ATTEMPTS; attempt += 1) {
        const outcome = await send(caller, id, key, messages.cancelEnhancement);
        if (outcome.kind === 'done') return outcome.value;
        const now = await read(caller, id);
        if (outcome.kind === 'accepted' || isTerminal(now.status)) return now;
        const cancelled = await cancelInUpload(now);
        if (cancelled !== null) return cancelled;
        // It has got a workflow of its own in the meantime.
      }
      throw new Failure('INTERNAL', {
        detail: 'The enhancement cannot be cancelled at this moment. Try again, or delete the upload.',
        retryAfterSeconds: 5,
      });
    },
  };
}
