import { Option, type Command } from 'commander';
import { BATCH_LIMITS, DEFAULT_SAMPLES } from '@burnish/contract';
import { parseNonNegativeInteger } from '../number-arguments.ts';
import { addConnectionOptions, type ConnectionOptions } from '../connection-options.ts';
import { addOrderOptions, type OrderOptions } from '../enhance/enhance-options.ts';

interface Common extends ConnectionOptions {
  /** The JSON of the REST interface instead of text */
  json?: boolean;
}

export interface CreateOptions extends Common, OrderOptions {
  /** Credits */
  maxCredits?: number;
  samples?: number;
  reference?: string;
}

export interface AddOptions extends Common {
  id: string;
  /** Files, folders, addresses; `-` is stdin */
  sources: string[];
  /** Name of a registered bucket */
  bucket?: string;
  prefix?: string;
  close?: boolean;
}

export interface ControlOptions extends Common {
  id: string;
  verb: ControlVerb;
  /** Credits, for `resume` */
  maxCredits?: number;
  /** Keys of items, for `retry` */
  key?: string[];
}

export interface ManifestOptions extends ConnectionOptions {
  id: string;
  format: 'ndjson' | 'csv';
  /** Path; absent: standard output */
  out?: string;
}

export type BatchCall =
  | { name: 'create'; options: CreateOptions }
  | { name: 'add'; options: AddOptions }
  | { name: 'status'; options: Common & { id?: string } }
  | { name: 'control'; options: ControlOptions }
  | { name: 'manifest'; options: ManifestOptions };

const CONTROLS = {
  close: 'add no further files; the samples start',
  approve: 'start the rest after the samples',
  pause: 'start no further file; running ones end',
  resume: 'continue a paused batch',
  cancel: 'cancel the files without a result, at no charge',
  retry: 'try failed files again',
} as const;
export type ControlVerb = keyof typeof CONTROLS;

const ID = 'id of the batch (bat_…)';

/** Adds `burnish batch` with its commands. */
export function addBatchCommand(program: Command, run: (call: BatchCall) => Promise<void>): void {
  const group = program.command('batch').description('enhance many files under one approval');
  const add = (name: string, description: string): Command =>
    addConnectionOptions(group.command(name).description(description)).option(
      '--json',
      'print the JSON of the REST interface',
    );

  const create = add('create', 'create a batch, and print its id');
  addOrderOptions(create);
  create
    .option(
      '--max-credits <n>',
      'credits of all files together; the batch pauses before it exceeds them',
      parseNonNegativeInteger,
    )
    .option(
      '--samples <n>',
      `files that run before the approval, at most ${BATCH_LIMITS.samples}; 0: no approval; default: ${DEFAULT_SAMPLES}`,
      parseNonNegativeInteger,
    )
    .option('--reference <text>', 'your own id of the batch')
    .action((options: CreateOptions) => run({ name: 'create', options }));

  add('add', 'add files to a batch; a repetition adds only the missing ones')
    .argument('<id>', ID)
    .argument(
      '[sources...]',
      'files, folders with all their files, or addresses; - reads addresses or NDJSON from stdin',
    )
    .option('--bucket <name>', 'registered bucket with files to add')
    .option('--prefix <text>', 'start of their keys in the bucket; default: all')
    .option('--close', 'close the batch afterwards')
    .action((id: string, sources: string[], options: Omit<AddOptions, 'id' | 'sources'>) =>
      run({ name: 'add', options: { ...options, id, sources } }),
    );

  add('status', 'show a batch, or the newest batches')
    .argument('[id]', ID)
    .action((id: string | undefined, options: Common) =>
      run({ name: 'status', options: id === undefined ? options : { ...options, id } }),
    );

  for (const [verb, description] of Object.entries(CONTROLS) as [ControlVerb, string][]) {
    const command = add(verb, description).argument('<id>', ID);
    if (verb === 'retry') command.option('--key <keys...>', 'keys of the files; default: all failed files');
    if (verb === 'resume') command.option('--max-credits <n>', 'a higher budget, in credits', parseNonNegativeInteger);
    command.action((id: string, options: Omit<ControlOptions, 'id' | 'verb'>) =>
      run({ name: 'control', options: { ...options, id, verb } }),
    );
  }

  addConnectionOptions(
    group.command('manifest').description('print each input of a batch with its result, price or error code'),
  )
    .argument('<id>', ID)
    .addOption(new Option('--format <format>', 'format of the manifest').choices(['ndjson', 'csv']).default('ndjson'))
    .addOption(new Option('--json', 'the same as --format ndjson').implies({ format: 'ndjson' }))
    .option('-o, --out <file>', 'the manifest; default: standard output')
    .action((id: string, options: Omit<ManifestOptions, 'id'>) =>
      run({ name: 'manifest', options: { ...options, id } }),
    );
}
