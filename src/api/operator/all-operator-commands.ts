import { createOperatorCommands, topUpAccount } from '../commands/operator-commands.ts';
import type { OperatorCommands, OperatorDeps } from '../commands/operator-commands.ts';
import { createAccountCommands } from './account-commands.ts';
import type { AccountCommands, AccountCommandsDeps } from './account-commands.ts';

export type AllOperatorCommands = OperatorCommands & AccountCommands;

/** The command line's commands for the default account and for all accounts. */
export function allOperatorCommands(deps: OperatorDeps & Omit<AccountCommandsDeps, 'topUp'>): AllOperatorCommands {
  return {
    ...createOperatorCommands(deps),
    ...createAccountCommands({ ...deps, topUp: (account, order, by) => topUpAccount(deps, account, order, by) }),
  };
}
