import type { Command } from 'commander';
import { addConnectionOptions, type ConnectionOptions } from '../connection-options.ts';

interface Common extends ConnectionOptions {
  /** The JSON of the REST interface instead of text */
  json?: boolean;
}

export type LookCall =
  | { name: 'list'; options: Common }
  | { name: 'show' | 'delete'; options: Common & { look: string } }
  | { name: 'build'; options: Common & { look: string; pictures: string[]; try?: boolean } };

/** Adds `burnish looks` with its commands. */
export function addLookCommand(program: Command, run: (call: LookCall) => Promise<void>): void {
  const group = program.command('looks').description('make a look from finished pictures, for --look');
  const add = (name: string, description: string): Command =>
    addConnectionOptions(group.command(name).description(description)).option(
      '--json',
      'print the JSON of the REST interface',
    );

  add('list', 'list the looks with their latest versions').action((options: Common) => run({ name: 'list', options }));
  add('show', 'show a look')
    .argument('<look>', 'name, or name and version such as warm@3')
    .action((look: string, options: Common) => run({ name: 'show', options: { ...options, look } }));
  add('build', 'build the latest version of a look from 16 to 48 finished pictures')
    .argument('<look>', 'name of the look')
    .argument('<pictures...>', 'ids of uploads or enhancements; an original before its finished picture: upl_a:upl_b')
    .option('--try', 'tell the figures, and save nothing')
    .action((look: string, pictures: string[], options: Common & { try?: boolean }) =>
      run({ name: 'build', options: { ...options, look, pictures } }),
    );
  add('delete', 'delete a look with all versions')
    .argument('<look>', 'name of the look')
    .action((look: string, options: Common) => run({ name: 'delete', options: { ...options, look } }));
}
