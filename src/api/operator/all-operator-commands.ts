import { createOperatorCommands, topUpAccount } from '../commands/operator-commands.ts';
import type { OperatorCommands, OperatorDeps } from '../commands/operator-commands.ts';
import { createAccountCommands } from './account-commands.ts';
import type { AccountCommands, AccountCommandsDeps } from './account-commands.ts';
import { createEndpointCommands } from './endpoint-commands.ts';
import type { EndpointCommands, EndpointCommandsDeps } from './endpoint-commands.ts';

export type AllOperatorCommands = OperatorCommands & AccountCommands & EndpointCommands;

/** The command line's commands for the default account and for all accounts. */
export function allOperatorCommands(
  deps: OperatorDeps & Omit<AccountCommandsDeps, 'topUp'> & EndpointCommandsDeps,
): AllOperatorCommands {
  return {
    ...createOperatorCommands(deps),
    ...createEndpointCommands(deps),
    ...createAccountCommands({ ...deps, topUp: (account, order, by) => topUpAccount(deps, account, order, by) }),
  };
}
