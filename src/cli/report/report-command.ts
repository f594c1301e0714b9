import type { Command } from 'commander';
import { addConnectionOptions, type ConnectionOptions } from '../connection-options.ts';

export interface ReportOptions extends ConnectionOptions {
  id: string;
  /** Path of the report; absent: named after the id, in the working folder */
  out?: string;
  json?: boolean;
}

export function addReportCommand(program: Command, run: (options: ReportOptions) => Promise<void>): Command {
  const command = program
    .command('report')
    .description('save the preflight of an upload, or the proof of an enhancement, as PDF')
    .argument('<id>', 'id of the upload (upl_…) or of the enhancement (enh_…)')
    .option('-o, --out <file>', 'the report; default: <id>.pdf')
    .option('--json', 'print the path of the report as JSON');
  return addConnectionOptions(command).action((id: string, options: Omit<ReportOptions, 'id'>) =>
    run({ ...options, id }),
  );
}
