import type { Command } from 'commander';
import type { ConnectionOptions } from '../enhance/enhance-command.ts';

export interface ReportOptions extends ConnectionOptions {
  id: string;
  /** Path of the report; absent: named after the id, in the working folder */
  out?: string;
}

export function addReportCommand(program: Command, run: (options: ReportOptions) => Promise<void>): Command {
  return program
    .command('report')
    .description('save the preflight of an upload, or the proof of an enhancement, as PDF')
    .argument('<id>', 'id of the upload (upl_…) or of the enhancement (enh_…)')
    .option('-o, --out <file>', 'the report; default: <id>.pdf')
    .option('--url <address>', 'URL of an instance; default: BURNISH_URL or the local instance')
    .option('--api-key <key>', 'API key of the account')
    .action((id: string, options: Omit<ReportOptions, 'id'>) => run({ ...options, id }));
}
