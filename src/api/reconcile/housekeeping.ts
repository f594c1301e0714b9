import type { Logger } from 'pino';
import type { ObjectStore } from '../../storage/object-store.ts';
import { runAtInterval } from '../../process/run-at-interval.ts';
import { sweepStagedFiles, type SweepDeps } from './sweep-staged-files.ts';
import type { Changes } from '../../database/changes.ts';
import type { IdempotencyKeys } from '../../database/uploads/idempotency-keys.ts';
import type { Enhancements } from '../../database/uploads/enhancements.ts';
import type { UploadStarts } from '../../database/uploads/upload-starts.ts';
import type { UploadParts } from '../../database/uploads/upload-parts.ts';
import type { DestinationUrls } from '../../database/uploads/destination-urls.ts';
import type { UploadPasswords } from '../../database/uploads/upload-passwords.ts';
import type { Sessions } from '../../database/accounts/sessions.ts';
import type { HostedEvents } from '../../database/hosted/hosted-events.ts';
import type { EventLog } from '../../database/webhooks/event-log.ts';
import type { Erasure } from '../../database/uploads/erase-uploads.ts';

export interface HousekeepingDeps extends SweepDeps {
  changes: Changes;
  idempotencyKeys: IdempotencyKeys;
  enhancements: Enhancements;
  uploadStarts: UploadStarts;
  uploadParts: UploadParts;
  destinationUrls: DestinationUrls;
  uploadPasswords: UploadPasswords;
  sessions: Sessions;
  hostedEvents: HostedEvents;
  eventLog: EventLog;
  erasure: Erasure;
  storage: Pick<ObjectStore, 'delete' | 'sweepUnfinished'>;
  log: Pick<Logger, 'warn'>;
  /** Milliseconds since the epoch */
  now: () => number;
}

const HOUR_MS = 3_600_000;
/**
 * Age of an abandoned staged file. A running request renews the row of its file much earlier; an older row belongs to
 * a crash.
 */
const STAGED_FILES_AGE_MS = HOUR_MS;
/** Longer than any write into storage. */
const UNFINISHED_AGE_MS = 24 * HOUR_MS;
/** Retention of changes after the deletion of an upload, for readers of events that reconnect. */
const CHANGES_KEPT_MS = 7 * 24 * HOUR_MS;
/** Retention of labels. The gateway or the workflow writes the record of an enhancement much earlier. */
const LABELS_KEPT_MS = 7 * 24 * HOUR_MS;

/**
 * Deletes obsolete data: files left by crashes, changes of uploads deleted long ago, expired idempotency keys and
 * sessions. Several gateways may run it at once. It logs failures, and the next run retries them.
 */
export async function tidyUp(deps: HousekeepingDeps): Promise<void> {
  const tasks: [what: string, task: () => Promise<unknown>][] = [
    ['staged files', () => sweepStagedFiles(deps, STAGED_FILES_AGE_MS)],
    ['unfinished writes', () => deps.storage.sweepUnfinished(UNFINISHED_AGE_MS)],
    ['changes of deleted uploads', () => deps.changes.purge(new Date(deps.now() - CHANGES_KEPT_MS).toISOString())],
    ['expired idempotency keys', () => deps.idempotencyKeys.purge()],
    ['labels of accepted enhancements', () => deps.enhancements.purgeLabels(LABELS_KEPT_MS)],
    ['starts that are over', () => deps.uploadStarts.purge()],
    ['resumable uploads that are over', () => deps.uploadParts.purge()],
    ['URLs without a destination', () => deps.destinationUrls.purge()],
    ['passwords without a use', () => deps.uploadPasswords.purge()],
    ['sessions that are over', () => deps.sessions.purge()],
    ['what people gave to deleted uploads', () => deps.erasure.sweep()],
    ['old events without a delivery', () => deps.eventLog.purge()],
    ['events of the hosted service', () => deps.hostedEvents.purge()],
  ];
  for (const [what, task] of tasks) {
    await task().catch((error: unknown) => deps.log.warn({ err: error }, `${what} could not be cleared away`));
  }
}

/** Tidies up now and every hour. @returns a function that stops after the current run */
export function startHousekeeping(deps: HousekeepingDeps): () => Promise<void> {
  return runAtInterval(HOUR_MS, () => tidyUp(deps));
}
