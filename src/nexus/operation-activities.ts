import { cancellationSignal } from '@temporalio/activity';
import { z } from 'zod';
import { Failure, isOver } from '@burnish/contract';
import type { Commands } from '../api/commands.ts';
import { createNotifier } from '../api/changes/notifier.ts';
import type { ChangeFanout } from '../api/changes/change-fanout.ts';
import { representEnhancement } from '../api/enhancements/enhancement-schemas.ts';
import type { FileUrls } from '../api/files/file-urls.ts';
import { requireRecord } from '../api/commands/checks.ts';
import type { AwaitedEnhancement, OperationActivities } from '../domain/temporal/operation-interface.ts';
import { OPERATION_LOOK_MS } from '../domain/temporal/timeouts.ts';
import { startDeadline } from '../process/deadline.ts';
import { readCaller } from './find-caller.ts';
import type { Tickets } from './ticket.ts';
import type { NexusEndpoints } from '../database/accounts/nexus-endpoints.ts';
import type { Accounts } from '../database/accounts/accounts.ts';
import type { Enhancements } from '../database/uploads/enhancements.ts';

export interface OperationActivitiesDeps {
  tickets: Tickets;
  nexusEndpoints: Pick<NexusEndpoints, 'get'>;
  accounts: Pick<Accounts, 'get' | 'getPlanOfAccount'>;
  enhancements: Pick<Enhancements, 'get'>;
  fanout: Pick<ChangeFanout, 'subscribe'>;
  urls: FileUrls;
  commands: Pick<Commands, 'cancel'>;
}

const awaitedSchema = z.strictObject({
  enhancementId: z.string().max(60),
  uploadId: z.string().max(60),
  ticket: z.string().max(2_000),
});

/** Activities of the operations' workflows. They read records and send commands; the upload's workflow changes the state. */
export function createOperationActivities(deps: OperationActivitiesDeps): OperationActivities {
  function opened(given: AwaitedEnhancement) {
    const awaited = awaitedSchema.parse(given);
    const ticket = deps.tickets.open(awaited);
    const assertGood = async (): Promise<void> =>
      deps.tickets.assertGood(ticket, await deps.nexusEndpoints.get(ticket.endpoint));
    return { ...awaited, ...ticket, assertGood };
  }

  return {
    async awaitEnhancement(given) {
      const { accountId, enhancementId, uploadId, assertGood } = opened(given);
      const cancelled = cancellationSignal();
      const { signal: over, clear } = startDeadline(OPERATION_LOOK_MS, cancelled);
      const notifier = createNotifier(over);
      const unsubscribe = deps.fanout.subscribe(uploadId, notifier.notify);
      try {
        while (!over.aborted) {
          notifier.reset();
          // It may end during the wait.
          await assertGood();
          const enhancement = requireRecord(await deps.enhancements.get(accountId, enhancementId));
          if (isOver(enhancement)) return representEnhancement(enhancement, deps.urls);
          await notifier.notified();
        }
        cancelled.throwIfAborted();
        return null;
      } finally {
        clear();
        unsubscribe();
      }
    },

    async cancelEnhancement(given) {
      const { accountId, endpoint, enhancementId, assertGood } = opened(given);
      await assertGood();
      const caller = requireRecord(await readCaller(deps, endpoint, accountId));
      const cancelling = deps.commands.cancel(caller, enhancementId, `nexus-cancel ${enhancementId}`);
      await cancelling.catch((error: unknown) => {
        // The enhancement has ended meanwhile.
        if (!(error instanceof Failure) || error.code !== 'CONFLICT') throw error;
      });
    },
  };
}
