import type { Command } from 'commander';

export interface ReplayOptions {
  /** Paths of histories; empty: the open workflows of the Temporal server */
  files: string[];
  query?: string;
  json?: boolean;
}

export function addReplayCommand(program: Command, run: (options: ReplayOptions) => Promise<void>): Command {
  return program
    .command('replay')
    .description(
      'before an upgrade: replay open workflows with the code of this build; exit code 1 if one does not fit',
    )
    .argument('[history...]', 'files of `temporal workflow show --output json`; default: all open workflows')
    .option('--query <query>', 'only open workflows that fit a query of Temporal, such as "StartTime > \'2030-01-31\'"')
    .option('--json', 'print JSON')
    .action((files: string[], options: Omit<ReplayOptions, 'files'>) => run({ ...options, files }));
}
