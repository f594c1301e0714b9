import type { BuildWork, Fleet, WorkerDeployment } from '@burnish/contract';
import { StartupError } from '../../domain/startup-error.ts';
import { createOperatorCommands, topUpAccount, type OperatorDeps } from './operator-commands.ts';
import { createAccountCommands, type AccountCommandsDeps } from './account-commands.ts';
import { createBucketCommands, type BucketCommandsDeps } from './bucket-commands.ts';
import { createEndpointCommands, type EndpointCommandsDeps } from './endpoint-commands.ts';
import { createStorageCheck, type StorageCheckDeps } from './storage-check.ts';

/** Commands about the workers. @throws StartupError without a Temporal server; Failure about builds without a deployment */
export interface FleetCommands {
  /** Lists the workers, and counts open uploads by version. */
  workers(): Promise<Fleet>;
  /** Gives a build all work, or a percentage of it. A repetition changes nothing. @throws Failure for an unknown build */
  promoteBuild(order: { build: string; percent?: number | undefined }): Promise<WorkerDeployment>;
  /** What the workers of a build do. @throws Failure for an unknown build */
  buildWork(build: string): Promise<BuildWork>;
}

export type AllOperatorCommands = ReturnType<typeof allOperatorCommands>;

/** The command line's commands for the default account and for all accounts. */
export function allOperatorCommands(
  deps: OperatorDeps &
    Omit<AccountCommandsDeps, 'topUp'> &
    BucketCommandsDeps &
    EndpointCommandsDeps &
    StorageCheckDeps & { fleet: FleetCommands | undefined },
) {
  const fleet = (): FleetCommands => {
    if (deps.fleet !== undefined) return deps.fleet;
    throw new StartupError('No instance runs on this data folder. Start it, or set TEMPORAL_ADDRESS.');
  };
  const fleetCommands: FleetCommands = {
    workers: async () => await fleet().workers(),
    promoteBuild: async (order) => await fleet().promoteBuild(order),
    buildWork: async (build) => await fleet().buildWork(build),
  };
  return {
    ...fleetCommands,
    ...createOperatorCommands(deps),
    ...createBucketCommands(deps),
    ...createEndpointCommands(deps),
    ...createStorageCheck(deps),
    ...createAccountCommands({ ...deps, topUp: (account, order, by) => topUpAccount(deps, account, order, by) }),
  };
}
