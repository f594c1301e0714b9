import type { Command } from 'commander';
import { addConnectionOptions, type ConnectionOptions } from '../connection-options.ts';
import { addOrderOptions, type EnhanceOptions, type OrderOptions } from './enhance-options.ts';

/** Adds `burnish enhance` with its flags. */
export function addEnhanceCommand(
  program: Command,
  run: (options: EnhanceOptions & ConnectionOptions) => Promise<void>,
): Command {
  const command = program
    .command('enhance')
    .description('enhance images and PDFs, and write the results into a folder')
    .argument(
      '<files...>',
      'JPEG, PNG, TIFF, HEIC, WebP, AVIF, GIF, BMP or PDF; - reads stdin and writes the result to stdout',
    );
  addOrderOptions(command);
  command
    .option('-o, --out <folder>', 'folder of the results', 'out')
    .option('--password-file <path>', 'file with the password of encrypted PDFs; - reads it from stdin')
    .option('--force', 'replace existing files in the folder')
    .option('--skip-unfit', 'leave out files to which no flag applies, such as PDFs with --upscale alone');
  return addConnectionOptions(command, 'the local instance, or a temporary one')
    .option('--json', 'print one JSON document instead of the table')
    .action((files: string[], options: Omit<EnhanceOptions, 'files'> & ConnectionOptions) =>
      run({ ...options, files }),
    );
}

export interface EstimateOptions extends OrderOptions, ConnectionOptions {
  /** Of the upload */
  id: string;
  /** The JSON of the REST interface instead of a sentence */
  json?: boolean;
}

/** Adds `burnish estimate`, with the parameters of `burnish enhance`. */
export function addEstimateCommand(program: Command, run: (options: EstimateOptions) => Promise<void>): Command {
  const command = program
    .command('estimate')
    .description('show the price of an enhancement of an upload, without an order')
    .argument('<id>', 'id of the upload (upl_…)');
  addOrderOptions(command);
  return addConnectionOptions(command)
    .option('--json', 'print the JSON of the REST interface')
    .action((id: string, options: Omit<EstimateOptions, 'id'>) => run({ ...options, id }));
}
