import { createBatchActivities, type BatchDeps } from './batches.ts';
import { createDestinationActivity, type DestinationDeps } from './destination.ts';
import { createFileActivities, type FilesDeps } from './files.ts';
import { createJoinPartsActivity, type JoinPartsDeps } from './join-parts.ts';
import { createNotifyActivities, type NotifyDeps } from './notify.ts';
import { createInspectActivity, createProviderActivities } from './provider/local.ts';
import type { Provider } from './provider/provider.ts';
import { createRecordActivities, type RecordsDeps } from './records.ts';

export type MainActivityDeps = RecordsDeps &
  FilesDeps &
  JoinPartsDeps &
  DestinationDeps &
  NotifyDeps &
  BatchDeps & {
    inspector: Pick<Provider, 'inspect'>;
  };

export interface EngineActivityDeps {
  provider: Omit<Provider, 'inspect'>;
}

/**
 * Light activities: records, files, notifications, inspection of images. They run in the main worker. Attempts to notify
 * receivers have a worker of their own; the main worker makes those that an earlier version scheduled.
 */
export function createMainActivities(deps: MainActivityDeps) {
  return {
    ...createRecordActivities(deps),
    ...createFileActivities(deps),
    ...createJoinPartsActivity(deps),
    ...createDestinationActivity(deps),
    ...createNotifyActivities(deps),
    ...createBatchActivities(deps),
    ...createInspectActivity(deps.inspector),
  };
}

export function createEngineActivities({ provider }: EngineActivityDeps) {
  return createProviderActivities(provider);
}

export type Activities = ReturnType<typeof createMainActivities> & ReturnType<typeof createEngineActivities>;
