import type { Fleet } from '../../domain/representations/operator.ts';
import { StartupError } from '../../domain/startup-error.ts';
import { createOperatorCommands, topUpAccount } from '../commands/operator-commands.ts';
import type { OperatorCommands, OperatorDeps } from '../commands/operator-commands.ts';
import { createAccountCommands } from './account-commands.ts';
import type { AccountCommands, AccountCommandsDeps } from './account-commands.ts';
import { createBucketCommands } from './bucket-commands.ts';
import type { BucketCommands, BucketCommandsDeps } from './bucket-commands.ts';
import { createEndpointCommands } from './endpoint-commands.ts';
import type { EndpointCommands, EndpointCommandsDeps } from './endpoint-commands.ts';

export interface FleetCommands {
  /** Lists the workers, and counts open uploads by version. @throws StartupError without a Temporal server */
  workers(): Promise<Fleet>;
}

export type AllOperatorCommands = OperatorCommands &
  AccountCommands &
  BucketCommands &
  EndpointCommands &
  FleetCommands;

/** The command line's commands for the default account and for all accounts. */
export function allOperatorCommands(
  deps: OperatorDeps &
    Omit<AccountCommandsDeps, 'topUp'> &
    BucketCommandsDeps &
    EndpointCommandsDeps & { fleet: FleetCommands['workers'] | undefined },
): AllOperatorCommands {
  return {
    async workers() {
      if (deps.fleet === undefined) {
        throw new StartupError('No instance runs on this data folder. Start it, or set TEMPORAL_ADDRESS.');
      }
      return deps.fleet();
    },
    ...createOperatorCommands(deps),
    ...createBucketCommands(deps),
    ...createEndpointCommands(deps),
    ...createAccountCommands({ ...deps, topUp: (account, order, by) => topUpAccount(deps, account, order, by) }),
  };
}
