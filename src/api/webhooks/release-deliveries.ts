import { randomUUID } from 'node:crypto';
import type { Leases } from '../../database/leases.ts';
import type { Deliveries } from '../../database/webhooks/deliveries.ts';
import { runAtInterval } from '../../process/run-at-interval.ts';
import type { TemporalClient } from '../commands/command-types.ts';
import { continueDelivery } from './start-delivery.ts';

export interface ReleaseDeps {
  client: TemporalClient;
  deliveries: Pick<Deliveries, 'attempts' | 'releasable' | 'noteReleased'>;
  leases: Leases;
  log: { warn(facts: object, message: string): void };
}

/** Milliseconds between two looks while deliveries wait, and while none does. */
const LOOK_MS = { busy: 250, idle: 5_000 } as const;
/** Lease time in milliseconds. After a gateway was killed, the next one goes on within it. */
const LEASE_MS = 10_000;
const LEASE = 'deliveries';

/**
 * Starts the deliveries that waited behind others to their receiver, in one gateway at a time. A delivery whose start is repeated
 * has one workflow all the same.
 * @param lookMs milliseconds between two looks
 * @returns a function that stops after the current work
 */
export function keepReleasing(
  deps: ReleaseDeps,
  lookMs: { busy: number; idle: number } = LOOK_MS,
): () => Promise<void> {
  const holder = randomUUID();
  let idleUntil = 0;
  const look = async (): Promise<void> => {
    if (performance.now() < idleUntil) return;
    const started = await release(deps, holder).catch((error: unknown) => {
      deps.log.warn({ err: error }, 'waiting deliveries could not be started');
      return 0;
    });
    if (started === 0) idleUntil = performance.now() + lookMs.idle;
  };
  const stop = runAtInterval(lookMs.busy, look);
  return async () => {
    await stop();
    await deps.leases.release(LEASE, holder).catch(() => undefined);
  };
}

/** @returns the number of started deliveries */
async function release({ client, deliveries, leases }: ReleaseDeps, holder: string): Promise<number> {
  const found = await deliveries.releasable();
  if (found.length === 0 || !(await leases.take(LEASE, holder, LEASE_MS))) return 0;
  const started = await Promise.allSettled(
    found.map(async (each) => {
      await continueDelivery({ client, deliveries }, each, 'in its turn');
      return each.deliveryId;
    }),
  );
  const ids = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  await deliveries.noteReleased(ids);
  const failure = started.find((each) => each.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
  return ids.length;
}
