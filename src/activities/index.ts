import { createFileActivities, type FilesDeps } from './files.ts';
import { createLedgerActivities, type LedgerDeps } from './ledger.ts';
import { createNotifyActivities, type NotifyDeps } from './notify.ts';
import { createProviderActivities } from './provider/index.ts';
import type { Provider } from './provider/provider.ts';
import { createRecordActivities, type RecordsDeps } from './records.ts';

export type ActivityDeps = RecordsDeps & LedgerDeps & FilesDeps & NotifyDeps & { provider: Provider };

/** Light activities: records, ledger, files, notify. They run beside the workflows. */
export function createMainActivities(deps: Omit<ActivityDeps, 'provider'>) {
  return {
    ...createRecordActivities(deps),
    ...createLedgerActivities(deps),
    ...createFileActivities(deps),
    ...createNotifyActivities(deps),
  };
}

/** CPU work, for engine workers. */
export function createEngineActivities({ provider }: Pick<ActivityDeps, 'provider'>) {
  return createProviderActivities(provider);
}

export type Activities = ReturnType<typeof createMainActivities> & ReturnType<typeof createEngineActivities>;
