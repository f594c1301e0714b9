import { InvalidArgumentError, type Command } from 'commander';
import type { OperatorCommands } from '../../api/commands/operator-commands.ts';
import { counted } from '../../domain/counted.ts';
import type { CreditBalance } from '../../domain/accounts/credits.ts';

/** Adds `burnish credits`, `burnish keys` and `burnish dashboard`. @param run connects, and prints the lines that it is given */
export function addOperatorCommands(
  program: Command,
  run: (work: (commands: OperatorCommands) => Promise<string[]>) => Promise<void>,
): void {
  const credits = program
    .command('credits')
    .description('show the credits of this period')
    .action(() => run(async (commands) => balanceLines(await commands.credits())));
  credits
    .command('top-up')
    .description('add credits to this period, once for each reference; what waits for credits goes on')
    .argument('<credits>', 'whole number, 1 or more', wholeNumber)
    .requiredOption('--reference <text>', 'what they are for, such as the number of an invoice')
    .action((amount: number, { reference }: { reference: string }) =>
      run(async (commands) => {
        const { added, balance } = await commands.topUp({ credits: amount, reference });
        const said = added
          ? `Added ${counted(amount, 'credit')}.`
          : `Nothing was added: ${reference} has been entered before, with ${counted(amount, 'credit')}.`;
        return [said, ...balanceLines(balance)];
      }),
    );

  const keys = program.command('keys').description('API keys of the account');
  keys
    .command('create')
    .description('make a key, and show it this once')
    .argument('<name>', 'what it is for')
    .action((name: string) => run(async (commands) => [(await commands.createKey(name)).key]));
  keys
    .command('list')
    .description('list the keys')
    .action(() =>
      run(async (commands) =>
        (await commands.listKeys()).map(
          ({ id, prefix, createdAt, lastUsedAt, name }) =>
            `${id}  ${`${prefix}…`.padEnd(10)} made ${createdAt.slice(0, 10)}  used ${lastUsedAt?.slice(0, 16) ?? 'never'}  ${name}`,
        ),
      ),
    );
  keys
    .command('delete')
    .description('delete a key; it is refused from the next request on')
    .argument('<id>', 'id of the key, as the list shows it')
    .action((id: string) =>
      run(async (commands) => {
        await commands.deleteKey(id);
        return [`Deleted ${id}.`];
      }),
    );

  program
    .command('dashboard')
    .description('print a link that signs in at the dashboard once, within 15 minutes')
    .action(() => run(async (commands) => [(await commands.signInLink()).url]));
}

function balanceLines({ period, granted, used, reserved, remaining }: CreditBalance): string[] {
  return [
    `Period     ${period.start.slice(0, 10)} to ${period.end.slice(0, 10)}`,
    `Granted    ${granted}`,
    `Used       ${used}`,
    `Reserved   ${reserved}`,
    `Remaining  ${remaining}`,
  ];
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('Expected a whole number, 1 or more.');
  return Number(text);
}
