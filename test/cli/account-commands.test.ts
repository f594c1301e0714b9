import { expect, test } from '@jest/globals';
import { Command } from 'commander';
import type { AllOperatorCommands } from '../../src/api/operator/all-operator-commands.ts';
import { UsageError } from '../../src/cli/command-error.ts';
import { addAccountCommands } from '../../src/cli/operator/account-commands.ts';

/** An instance with one account. */
const commands = {
  listAccounts: () => Promise.resolve([{ id: 'acc_1', name: 'Shop', status: 'ACTIVE' }]),
  showAccount: () => Promise.resolve({ id: 'acc_1', name: 'Shop' }),
  listPlans: () => Promise.resolve([]),
} as unknown as AllOperatorCommands;

// Commander prints its own errors, so an action that threw one ended without a word.
test.each([
  [['accounts', 'show', 'nobody'], 'No account has the name nobody.'],
  [['accounts', 'delete', 'Shop'], 'This command deletes Shop (acc_1) with all its files. Repeat it with --yes.'],
  [['plans', 'set', 'GOLD', '--dpi', '300'], 'The plan GOLD is new. Set --dpi, --credits,'],
])('burnish %j is a usage error that names the missing part', async (args, sentence) => {
  const program = new Command('burnish');
  addAccountCommands(program, async (work) => void (await work(commands)));
  const failed = program.parseAsync(args, { from: 'user' });
  await expect(failed).rejects.toThrow(UsageError);
  await expect(failed).rejects.toThrow(sentence);
});
