import { InvalidArgumentError, type Command } from 'commander';
import { z } from 'zod';
import { counted, type UsageRow } from '@burnish/contract';
import { MAX_USAGE_DAYS, usageCsv, usagePeriod, type UsageDays } from '../../domain/accounts/usage.ts';
import { findAccountId } from './account-commands.ts';
import { answer, type Run } from './answer.ts';

interface Options extends UsageDays {
  csv?: true;
}

/** Adds `burnish usage`. */
export function addUsageCommand(program: Command, run: Run): void {
  answer(
    program
      .command('usage')
      .description(`report usage by account, day and kind of file, for at most ${MAX_USAGE_DAYS} days`)
      .argument('[account]', 'id or name of an account; default: all accounts')
      .option('--since <day>', 'first day, such as 2026-03-01; default: 30 days before the last day', parseDay)
      .option('--until <day>', 'last day; default: today', parseDay)
      .option('--csv', 'print CSV'),
    run,
    async (commands, account: string | undefined, { csv, ...days }: Options) => {
      const period = usagePeriod(days, Date.now());
      const accountId = account === undefined ? {} : { accountId: await findAccountId(commands, account) };
      const rows = await commands.usage({ ...accountId, ...period });
      return { json: rows, lines: csv ? usageCsv(rows).trimEnd().split('\r\n') : rows.map(line) };
    },
  );
}

function parseDay(text: string): string {
  if (!z.iso.date().safeParse(text).success) throw new InvalidArgumentError('Expected a day such as 2026-03-01.');
  return text;
}

const line = ({ accountId, accountName, day, kind, finished, failed, credits }: UsageRow): string =>
  `${day}  ${accountId}  ${kind.padEnd(5)}  ${finished} finished  ${failed} failed  ${counted(credits, 'credit')}  ${accountName}`;
