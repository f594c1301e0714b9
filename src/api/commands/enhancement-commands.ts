import type { UpdateDefinition } from '@temporalio/common';
import { isTerminal } from '../../domain/enhancement.ts';
import type { Enhancement } from '../../domain/enhancement.ts';
import { Failure } from '../../domain/failures.ts';
import * as messages from '../../domain/messages.ts';
import { claim } from './claim.ts';
import { found } from './found.ts';
import { updateIdFor } from './ids.ts';
import { sendUpdate } from './send-update.ts';
import type { UpdateOutcome } from './send-update.ts';
import type { Caller, CommandDeps, IdempotencyKey } from './types.ts';

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
    found(await deps.enhancements.get(account.id, id));

  async function send(
    caller: Caller,
    id: string,
    key: IdempotencyKey,
    update: UpdateDefinition<Enhancement>,
  ): Promise<{ outcome: UpdateOutcome<Enhancement>; repeated: boolean }> {
    const { id: accountId } = caller.account;
    const operation = update.name;
    const repeated = await claim(deps.idempotencyKeys, { accountId, key, operation, fingerprint: id, subjectId: id });
    const call = {
      workflowId: messages.enhancementWorkflowId(id),
      update,
      args: [] as [],
      updateId: updateIdFor(accountId, `${operation} ${id}`, key),
    };
    return { outcome: await sendUpdate(deps.client, call, deps.commandWaitMs), repeated };
  }

  function decision(update: UpdateDefinition<Enhancement>): Command {
    return async (caller, id, key) => {
      await read(caller, id);
      const { outcome, repeated } = await send(caller, id, key, update);
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
      if (isTerminal(enhancement.status)) return enhancement;
      const { outcome } = await send(caller, id, key, messages.cancelEnhancement);
      if (outcome.kind === 'done') return outcome.value;
      const now = await read(caller, id);
      if (outcome.kind === 'accepted' || isTerminal(now.status)) return now;
      throw new Failure('INTERNAL', {
        detail: 'The enhancement waits for its upload and cannot be cancelled yet. Try again, or delete the upload.',
        retryAfterSeconds: 5,
      });
    },
  };
}
