import type { Command } from 'commander';
import { addConnectionOptions, type ConnectionOptions } from '../connection-options.ts';
import { addOrderOptions, type OrderOptions } from '../enhance/enhance-options.ts';

export interface WatchOptions extends ConnectionOptions, OrderOptions {
  folder: string;
  /** Folder of the results */
  out: string;
  json?: boolean;
}

/** Adds `burnish watch`, with the parameters of `burnish enhance`. */
export function addWatchCommand(program: Command, run: (options: WatchOptions) => Promise<void>): void {
  const command = program
    .command('watch')
    .description('enhance every file that a folder has or receives, until Ctrl-C; originals stay as they are')
    .argument('<folder>', 'folder with the originals; its folders are watched too')
    .requiredOption('-o, --out <folder>', 'folder of the results, with the same folders')
    .option('--json', 'print a line of JSON for each ended file, and all other lines to standard error');
  addOrderOptions(command);
  addConnectionOptions(command).action((folder: string, options: Omit<WatchOptions, 'folder'>) =>
    run({ ...options, folder }),
  );
}
