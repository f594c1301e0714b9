import type { LoggedDelivery } from '../../domain/events/delivery.ts';
import { startDelivery } from './start-delivery.ts';
import type { CommandDeps } from '../commands/command-types.ts';

/**
 * Starts the workflow of a delivery that repeats another one. The workflow enters itself into the log, so that the log and
 * what is sent agree whoever is killed; the entry is made here too, so that it can be read before a worker comes.
 */
export async function startRedelivery(
  { client, deliveries }: Pick<CommandDeps, 'client' | 'deliveries'>,
  { id, repeated }: { id: string; repeated: LoggedDelivery },
): Promise<void> {
  const { accountId, eventKind, url } = repeated;
  const { host } = new URL(url);
  await startDelivery(client, { deliveryId: id, accountId, host, eventKind, redeliveryOf: repeated.id }, 'again');
  await deliveries.recordRedelivery(accountId, id, repeated.id);
}
