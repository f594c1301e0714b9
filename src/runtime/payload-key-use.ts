import type { PayloadKeys } from '../database/payload-keys.ts';
import { StartupError } from '../domain/startup-error.ts';
import { NEXUS_TASK_QUEUE } from '../domain/temporal/operation-interface.ts';
import { MAIN_TASK_QUEUE } from '../domain/temporal/workflow-interface.ts';
import { runAtInterval } from '../process/run-at-interval.ts';
import type { KeyRing } from '../secrets/key-ring.ts';

/** Interval of a process between two notes that it uses its key, milliseconds. */
const NOTE_EVERY_MS = 3_600_000;

const TASK_QUEUES = [MAIN_TASK_QUEUE, NEXUS_TASK_QUEUE].map((name) => `'${name}'`).join(', ');

export interface PayloadKeyUseDeps {
  keyRing: Pick<KeyRing, 'keyIds'>;
  payloadKeys: PayloadKeys;
  /** Counts workflows by a query of Temporal */
  count: (query: string) => Promise<{ count: number }>;
  log: { warn(facts: object, message: string): void };
}

/**
 * Notes that this process uses its key, now and every hour. Only a key that was used before, and that this process lacks, costs
 * a request to Temporal.
 * @returns ends the notes
 * @throws StartupError when a running workflow may need such a key
 */
export async function notePayloadKeyUse({
  keyRing,
  payloadKeys,
  count,
  log,
}: PayloadKeyUseDeps): Promise<() => Promise<void>> {
  for (const { id, usedAt } of await payloadKeys.except(keyRing.keyIds)) {
    const usedUntil = new Date(Date.parse(usedAt) + NOTE_EVERY_MS).toISOString();
    const query = `TaskQueue IN (${TASK_QUEUES}) AND ExecutionStatus = 'Running' ` + `AND StartTime <= '${usedUntil}'`;
    const { count: running } = await count(query);
    if (running > 0) throw keyMissing(id, running, query);
    await payloadKeys.forget(id);
  }
  const note = (): Promise<void> => payloadKeys.noteUse(keyRing.keyIds[0]);
  await note();
  const noteAgain = (): Promise<void> =>
    note().catch((error: unknown) => log.warn({ err: error }, 'the use of the encryption key could not be recorded'));
  return runAtInterval(NOTE_EVERY_MS, noteAgain, false);
}

function keyMissing(id: string, running: number, query: string): StartupError {
  const [needs, it] = running === 1 ? ['1 workflow needs', 'it has'] : [`${running} workflows need`, 'they have'];
  return new StartupError(
    `${needs} the encryption key ${id}, which this process does not have. Add this key at the end of BURNISH_ENCRYPTION_KEY, and ` +
      `remove it when ${it} ended: temporal workflow list --query "${query}"`,
  );
}
