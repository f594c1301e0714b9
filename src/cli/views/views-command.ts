import type { Command } from 'commander';

export interface ViewsOptions {
  account?: string;
  script?: boolean;
  json?: boolean;
}

export function addViewsCommand(program: Command, run: (options: ViewsOptions) => Promise<void>): Command {
  return program
    .command('views')
    .description("print links into Temporal's Web UI: failed uploads, waits for people and machinery, deliveries")
    .option('--account <id>', 'only the workflows of this account')
    .option('--script', "print a script for the browser's console on the Web UI, which saves the views there")
    .option('--json', 'print JSON')
    .action(run);
}
