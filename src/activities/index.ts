import { createBatchActivities, type BatchDeps } from './batches.ts';
import { createFileActivities, type FilesDeps } from './files.ts';
import { createJoinPartsActivity, type JoinPartsDeps } from './join-parts.ts';
import { createNotifyActivities, type NotifyDeps } from './notify.ts';
import { createInspectionActivities, createProviderActivities, type Provider } from './provider/local.ts';
import { createStoresProof, type StoresProofDeps } from './progress.ts';
import { createRecordActivities, type RecordsDeps } from './records.ts';
import type { createTransferActivities } from './transfers.ts';

export type MainActivityDeps = RecordsDeps & FilesDeps & JoinPartsDeps & NotifyDeps & BatchDeps & StoresProofDeps;

export interface InspectionActivityDeps {
  inspector: Pick<Provider, 'inspect' | 'inspectQuickly' | 'proveDecoder'>;
}

export interface EngineActivityDeps {
  provider: Omit<Provider, 'inspect' | 'inspectQuickly' | 'proveDecoder'>;
}

/** Light activities: records, files, batches. Attempts to notify receivers and transfers have workers of their own. */
export function createMainActivities(deps: MainActivityDeps) {
  const { recordRedelivery } = createNotifyActivities(deps);
  return {
    ...createRecordActivities(deps),
    ...createFileActivities(deps),
    ...createJoinPartsActivity(deps),
    ...createBatchActivities(deps),
    ...createStoresProof(deps),
    recordRedelivery,
  };
}

export { createInspectionActivities };

export function createEngineActivities({ provider }: EngineActivityDeps) {
  return createProviderActivities(provider);
}

type Transfers = ReturnType<typeof createTransferActivities>;

export type Activities = Omit<ReturnType<typeof createMainActivities>, keyof Transfers> &
  Transfers &
  ReturnType<typeof createNotifyActivities> &
  ReturnType<typeof createInspectionActivities> &
  ReturnType<typeof createEngineActivities>;
