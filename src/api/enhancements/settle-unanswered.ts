import { Failure } from '@burnish/contract';
import { cancelEnhancement, uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import type { IdempotencyKey, TemporalClient } from '../commands/command-types.ts';
import { sendUpdate, UnansweredCommand } from '../commands/workflow-commands.ts';
import type { Enhancements } from '../../database/uploads/enhancements.ts';

/** Time for a withdrawal to reach the workflow, milliseconds. It waits in the workflow service behind its order. */
const WITHDRAWAL_MS = 60_000;

interface Order {
  accountId: string;
  uploadId: string;
  /** Ids of the enhancements */
  ids: readonly string[];
  idempotencyKey: IdempotencyKey;
}

/**
 * Decides about an order that its workflow has not answered in time. A record of one of its enhancements proves that the
 * workflow has accepted all. A repetition with the caller's key finds a later acceptance. An order without a key is
 * withdrawn, because its caller could not find it. Returns after an acceptance.
 * @param error of the command
 * @throws Failure that tells the caller what became of the order; any other error unchanged
 */
export async function settleUnanswered(
  deps: { client: TemporalClient; enhancements: Enhancements },
  { accountId, uploadId, ids, idempotencyKey }: Order,
  error: unknown,
): Promise<void> {
  if (!(error instanceof UnansweredCommand)) throw error;
  const records = await Promise.all(ids.map((id) => deps.enhancements.get(accountId, id)));
  if (records.some((each) => each !== undefined)) return;
  let outlook = 'The order does not exist. Try again.';
  if (error.mayArrive && idempotencyKey !== null)
    outlook = 'Try again with the same Idempotency-Key, which never orders twice.';
  else if (error.mayArrive) {
    outlook = 'The order is withdrawn and costs nothing. Try again.';
    const workflowId = uploadWorkflowId(uploadId);
    for (const id of ids) {
      const call = { permitOf: accountId, workflowId, update: cancelEnhancement, updateId: `withdraw ${id}` };
      void sendUpdate(deps.client, { ...call, args: [{ enhancementId: id }] }, WITHDRAWAL_MS).catch(() => undefined);
    }
  }
  const { message, retryAfterSeconds } = error;
  const detail = message.replace(/Try again\.$/, outlook);
  throw new Failure('INTERNAL', { detail, ...(retryAfterSeconds && { retryAfterSeconds }), cause: error.cause });
}
