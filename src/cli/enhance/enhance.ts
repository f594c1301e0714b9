import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { callersUmask } from '../../process/private-umask.ts';
import { Burnish } from '../../client/burnish.ts';
import { enhanceFile, failed, type FileOutcome } from './enhance-file.ts';
import type { Place } from './save-result.ts';
import { inspectInput, type InputFile } from './enhance-input.ts';
import { listenForInterrupt } from './enhance-interrupt.ts';
import { readPassword } from './enhance-password.ts';
import { UsageError } from '../command-error.ts';
import { printable, printableName } from '../printable.ts';
import { assertManyResults, readParameters, type EnhanceOptions, type ParametersByKind } from './enhance-options.ts';
import { createProgress, type Output, type Progress } from './enhance-progress.ts';
import { summaryTable } from './enhance-table.ts';

/** Parallel files; the instance has its own limit on parallel work, and this number keeps it busy. */
const CONCURRENCY = 4;

export interface Connection {
  baseUrl: string;
  apiKey: string;
  close(): Promise<void>;
}

export interface EnhanceDeps {
  /** Connects to an instance or starts one. It leaves SIGINT and SIGTERM to this command. */
  connect: () => Promise<Connection>;
  out?: Output;
  err?: Output;
  /** The file came from stdin and its result goes to stdout */
  piped?: boolean;
}

/**
 * `burnish enhance`: sends files to an instance and writes their results into a folder.
 * @returns the exit code: 0 for success, 1 if some failed, 2 for a usage error, 130 interrupted by Ctrl-C
 * @throws the errors of `connect`
 */
export async function runEnhance(options: EnhanceOptions, deps: EnhanceDeps): Promise<number> {
  const { connect, out = process.stdout, err = process.stderr, piped = false } = deps;
  let parameters: ParametersByKind;
  let password: string | undefined;
  try {
    if (options.files.length === 0) throw new UsageError('Name at least one file.');
    parameters = readParameters(options);
    if (options.files.length > 1) assertManyResults(parameters);
    if (options.passwordFile !== undefined) password = await readPassword(options.passwordFile);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    err.write(`${error.message}\n`);
    return 2;
  }
  const turns = pLimit(CONCURRENCY);
  const inputs = await Promise.all(options.files.map((path) => turns(() => inspectInput(path))));
  const good = inputs.some((input) => typeof input !== 'string');
  const folderProblem = good ? await makeFolder(options.out) : undefined;
  if (folderProblem !== undefined) {
    err.write(`${folderProblem}\n`);
    return 1;
  }
  warnOfUnusedFlags(inputs, parameters, err);

  const progress = createProgress(options.json === true ? { write: (text) => err.write(text) } : out);
  const interrupt = listenForInterrupt(() => progress.line('Cancelling. Press Ctrl-C again to exit at once.'));
  let outcomes: FileOutcome[];
  try {
    const connection = good ? await connect() : undefined;
    try {
      const client = connection && new Burnish(connection);
      outcomes = await enhanceAll(client, inputs, {
        ...options,
        parameters,
        password,
        progress,
        signal: interrupt.signal,
        piped,
      });
    } finally {
      await connection?.close();
    }
  } finally {
    progress.close();
    interrupt.release();
  }
  out.write(
    options.json === true ? `${printable(JSON.stringify(outcomes, null, 2))}\n` : `\n${summaryTable(outcomes)}`,
  );
  return interrupt.exitCode() ?? (outcomes.every(({ state, error }) => state === 'FINISHED' && error === null) ? 0 : 1);
}

type Work = Pick<EnhanceOptions, 'files' | 'out' | 'force'> & {
  parameters: ParametersByKind;
  password: string | undefined;
  progress: Progress;
  signal: AbortSignal;
  piped: boolean;
};

async function enhanceAll(
  client: Burnish | undefined,
  inputs: (InputFile | string)[],
  work: Work,
): Promise<FileOutcome[]> {
  const { files, out: folder, force = false, parameters, password, progress, signal, piped } = work;
  const outcomes: FileOutcome[] = [];
  const taken = new Set<string>();
  // Two files of one name in one call: the second never replaces the result of the first.
  const place = (path: string): Place => ({
    path,
    overwrite: force && !taken.has(path) && taken.add(path) !== undefined,
  });
  const queue = inputs.entries();

  async function worker(): Promise<void> {
    for (const [n, input] of queue) {
      if (typeof input === 'string') {
        progress.line(`${printableName(files[n]!)}: ${input}`);
        outcomes[n] = failed(files[n]!, input);
      } else if (signal.aborted) {
        outcomes[n] = { ...failed(input.path, 'Not sent.'), state: 'CANCELLED' };
      } else {
        const batch = inputs.length > 1;
        const transfer = { batch, folder, place, progress, signal, piped };
        const options = { parameters: parameters[input.kind].parameters, ...transfer };
        const secret = input.kind === 'pdf' && password !== undefined ? { password } : {};
        outcomes[n] = await enhanceFile(client!, input, { ...options, ...secret });
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return outcomes;
}

/** A flag that applies to none of the files is not an error, but its lack of effect must be visible. */
function warnOfUnusedFlags(inputs: readonly (InputFile | string)[], parameters: ParametersByKind, err: Output): void {
  const kinds = new Set(inputs.flatMap((input) => (typeof input === 'string' ? [] : [input.kind])));
  if (kinds.size === 0) return;
  const used = new Set([...kinds].flatMap((kind) => parameters[kind].flags));
  for (const kind of ['image', 'pdf'] as const) {
    const flags = parameters[kind].flags.filter((flag) => !used.has(flag));
    if (flags.length > 0)
      err.write(
        `${flags.join(', ')}: for ${kind === 'pdf' ? 'PDFs' : 'images'} only, but the input has no such file.\n`,
      );
  }
}

async function makeFolder(path: string): Promise<string | undefined> {
  try {
    await mkdir(path, { recursive: true, mode: 0o777 & ~callersUmask });
    // Before anything is paid. Permissions alone say nothing about a full disk or a file system that is read-only.
    const trial = join(path, `.${randomUUID()}.part`);
    await writeFile(trial, 'trial', { flag: 'wx' }).finally(() => rm(trial, { force: true }));
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === 'EEXIST' || code === 'ENOTDIR'
        ? 'a file exists at its path'
        : `it cannot be written (${code ?? 'unknown reason'})`;
    return `The folder ${path} cannot be used: ${reason}.`;
  }
}
