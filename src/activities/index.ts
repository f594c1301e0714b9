import { createBatchActivities, type BatchDeps } from './batches.ts';
import { createDestinationActivity, type DestinationDeps } from './destination.ts';
import { createFileActivities, type FilesDeps } from './files.ts';
import { createJoinPartsActivity, type JoinPartsDeps } from './join-parts.ts';
import { createNotifyActivities, type NotifyDeps } from './notify.ts';
import { createInspectActivity, createInspectionActivities, createProviderActivities } from './provider/local.ts';
import type { Provider } from './provider/provider.ts';
import { createRecordActivities, type RecordsDeps } from './records.ts';
import type { createTransferActivities } from './transfers.ts';

export type MainActivityDeps = RecordsDeps &
  FilesDeps &
  JoinPartsDeps &
  DestinationDeps &
  NotifyDeps &
  BatchDeps & {
    inspector: Pick<Provider, 'inspect'>;
  };

export interface InspectionActivityDeps {
  inspector: Pick<Provider, 'inspect' | 'inspectQuickly'>;
}

export interface EngineActivityDeps {
  provider: Omit<Provider, 'inspect' | 'inspectQuickly'>;
}

/**
 * Light activities: records, files. They run in the main worker. Attempts to notify receivers and transfers have workers of
 * their own; the main worker makes those that an earlier version scheduled.
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

export { createInspectionActivities };

export function createEngineActivities({ provider }: EngineActivityDeps) {
  return createProviderActivities(provider);
}

type Transfers = ReturnType<typeof createTransferActivities>;

export type Activities = Omit<ReturnType<typeof createMainActivities>, keyof Transfers> &
  Transfers &
  ReturnType<typeof createInspectionActivities> &
  ReturnType<typeof createEngineActivities>;
