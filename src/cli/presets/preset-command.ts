import type { Command } from 'commander';
import { addConnectionOptions, type ConnectionOptions } from '../connection-options.ts';
import { addParameterOptions, type ParameterOptions } from '../enhance/enhance-options.ts';

interface Common extends ConnectionOptions {
  /** The JSON of the REST interface instead of text */
  json?: boolean;
}

export type PresetCall =
  | { name: 'list'; options: Common }
  | { name: 'show' | 'delete'; options: Common & { preset: string } }
  | { name: 'save'; options: Common & ParameterOptions & { preset: string } };

/** Adds `burnish presets` with its commands. */
export function addPresetCommand(program: Command, run: (call: PresetCall) => Promise<void>): void {
  const group = program.command('presets').description('save parameters under a name, for --preset');
  const add = (name: string, description: string): Command =>
    addConnectionOptions(group.command(name).description(description)).option(
      '--json',
      'print the JSON of the REST interface',
    );

  add('list', 'list the presets with their latest versions').action((options: Common) =>
    run({ name: 'list', options }),
  );
  add('show', 'show a preset')
    .argument('<preset>', 'name, or name and version such as web@3')
    .action((preset: string, options: Common) => run({ name: 'show', options: { ...options, preset } }));
  addParameterOptions(add('save', 'save the given parameters as the latest version of a preset'))
    .argument('<preset>', 'name of the preset')
    .action((preset: string, options: Common & ParameterOptions) =>
      run({ name: 'save', options: { ...options, preset } }),
    );
  add('delete', 'delete a preset with all versions')
    .argument('<preset>', 'name of the preset')
    .action((preset: string, options: Common) => run({ name: 'delete', options: { ...options, preset } }));
}
