import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { Burnish } from '@burnish/client';
import { callersUmask } from '../../process/private-umask.ts';
import { enhanceFile, failed, type FileOutcome } from './enhance-file.ts';
import type { Place } from './save-result.ts';
import { inspectInput, type InputFile } from './enhance-input.ts';
import { listenForInterrupt } from './enhance-interrupt.ts';
import { readPassword } from './enhance-password.ts';
import { UsageError } from '../command-error.ts';
import { printable, printableName } from '../printable.ts';
import { assertManyResults, readParameters, type EnhanceOptions, type ParametersByKind } from './enhance-options.ts';
import { findUnfit } from './unfit-files.ts';
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
  let plan: Plan;
  try {
    plan = await planWork(options, err);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    err.write(`${error.message}\n`);
    return 2;
  }
  const { inputs } = plan;
  const good = inputs.some((input) => typeof input !== 'string');
  const folderProblem = good ? await makeFolder(options.out) : undefined;
  if (folderProblem !== undefined) {
    err.write(`${folderProblem}\n`);
    return 1;
  }

  const progress = createProgress(options.json === true ? { write: (text) => err.write(text) } : out);
  const interrupt = listenForInterrupt(() => progress.line('Cancelling. Press Ctrl-C again to exit at once.'));
  let outcomes: FileOutcome[];
  try {
    const connection = good ? await connect() : undefined;
    try {
      const client = connection && new Burnish(connection);
      outcomes = await enhanceAll(client, inputs, {
        ...options,
        ...plan,
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

interface Plan {
  /** Paths without those that are left out */
  files: string[];
  /** For each path, its file, or why it cannot be sent */
  inputs: (InputFile | string)[];
  parameters: ParametersByKind;
  password: string | undefined;
}

/** Checks the options, and all files before the first one is sent. @throws UsageError */
async function planWork(options: EnhanceOptions, err: Output): Promise<Plan> {
  const { files, passwordFile, skipUnfit = false } = options;
  if (files.length === 0) throw new UsageError('Name at least one file.');
  const parameters = readParameters(options);
  if (files.length > 1) assertManyResults(parameters);
  const password = passwordFile === undefined ? undefined : await readPassword(passwordFile);
  const limit = pLimit(CONCURRENCY);
  const inputs = await Promise.all(files.map((path) => limit(() => inspectInput(path))));
  const sendable = inputs.filter((input) => typeof input !== 'string');
  const unfit = findUnfit(sendable, parameters, skipUnfit);
  for (const [{ path }, reason] of unfit) err.write(`${printableName(path)}: left out, since ${reason}.\n`);
  const isFit = (n: number): boolean => !unfit.has(inputs[n] as InputFile);
  return {
    files: files.filter((_, n) => isFit(n)),
    inputs: inputs.filter((_, n) => isFit(n)),
    parameters,
    password,
  };
}

type Work = Pick<EnhanceOptions, 'out' | 'force'> & {
  files: string[];
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

async function makeFolder(path: string): Promise<string | undefined> {
  try {
    await mkdir(path, { recursive: true, mode: 0o777 & ~callersUmask() });
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
