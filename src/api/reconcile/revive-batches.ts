import { startBatch } from '../batches/send-to-batch.ts';
import { OWN_WORK } from '../commands/workflow-commands.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';

/** Minimum age in milliseconds of a batch whose workflow may be missing: longer than a start takes. */
const SETTLED_MS = 30_000;
const BATCHES = 200;

/** Starts the workflow of each open batch. A running one is not changed, and a lost one continues from the record. */
export async function reviveBatches(
  { client, batches, accounts }: Pick<ReconcileDeps, 'client' | 'batches' | 'accounts'>,
  signal: AbortSignal,
): Promise<void> {
  for (let afterId = ''; ;) {
    const open = await batches.listOpen(afterId, SETTLED_MS, BATCHES);
    for (const batch of open) {
      signal.throwIfAborted();
      const plan = await accounts.getPlanOfAccount(batch.accountId);
      if (plan !== undefined) await startBatch(client, OWN_WORK, batch, plan);
    }
    if (open.length < BATCHES) return;
    afterId = open.at(-1)!.id;
  }
}
