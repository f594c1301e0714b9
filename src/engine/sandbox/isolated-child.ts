import { mkdirSync, type Dirent } from 'node:fs';
import {
  chmod,
  chown,
  constants,
  copyFile,
  link,
  lstat,
  mkdir,
  opendir,
  readdir,
  realpath,
  rename,
  rm,
  rmdir,
  unlink,
} from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../domain/failures.ts';
import { removeFolder } from '../../process/process-folders.ts';
import { BOX_MODE, boxesIn } from './jail.ts';
import {
  startChild,
  failedChild,
  type Boxes,
  type ChildOptions,
  type ChildRunOptions,
  type SandboxChild,
} from './child-process.ts';
import { brokenFailure } from './failures.ts';
import { refuseReplacedProgram } from './replaced-program.ts';
import { checkResult, type ResultCheck } from './results.ts';
import type { TaskFiles } from './task-files.ts';

/** Files in the outbox of a child at once. A part of a PDF has a file for each of its images, until the parent takes them. */
const MAX_ENTRIES = 50_000;

export interface IsolatedChildOptions extends Omit<ChildOptions, 'boxes' | 'folder'> {
  /** A folder that does not exist yet, only for this child */
  folder: string;
  files: Partial<Record<string, TaskFiles>>;
  results: Partial<Record<string, ResultCheck>>;
}

/**
 * A child that can access only the files of its task: inputs are passed before it, and outputs are collected after it. Never
 * throws: if the machine cannot start a process, only a task fails, which may be repeated, and the pool keeps its size.
 */
export function createIsolatedChild(options: IsolatedChildOptions): SandboxChild {
  try {
    return startIsolatedChild(options);
  } catch (error) {
    return failedChild(error);
  }
}

function startIsolatedChild({ folder, files, results, ...options }: IsolatedChildOptions): SandboxChild {
  const { owner } = options.jail;
  const boxes: Boxes = { ...boxesIn(folder, owner), taken: join(folder, 'taken') };
  mkdirSync(boxes.taken, { mode: 0o700 });
  const child = startChild({ ...options, folder, boxes });

  async function run(task: string, input: unknown, options: ChildRunOptions): Promise<unknown> {
    try {
      const handed = await handOver({ ...(input as object) }, files[task] ?? {}, boxes, owner).catch(
        (cause: unknown) => {
          throw new Failure('INTERNAL', { cause });
        },
      );
      try {
        const onProgress: ChildRunOptions['onProgress'] = (progress) => {
          handed.takeFilled().catch(() => undefined);
          options.onProgress?.(progress);
        };
        const check = results[task];
        const output = await child.run(task, handed.input, { ...options, onProgress, result: check?.limits });
        await handed.take().catch(async (cause: unknown) => {
          // What the child left instead of a file stays in its folder, which goes with it.
          await child.kill();
          throw failureOfTaking(cause);
        });
        if (check === undefined) return output;
        return await checkResult(check, input, output).catch(async (cause: Error) => {
          await child.kill();
          throw brokenFailure(cause);
        });
      } catch (error) {
        // Complete files of an ended task are kept.
        await handed.takeFilled().catch(() => undefined);
        // The child loads most parts of its program with the first task that needs them.
        if (error instanceof Failure && error.code === 'INTERNAL') refuseReplacedProgram();
        throw error;
      }
    } finally {
      if (child.usable() && !(await emptyBoxes(boxes).catch(() => false))) await child.kill();
    }
  }

  const end = async (): Promise<void> => {
    await child.kill();
    // A program of the system costs a process, which a folder of empty boxes does not need. What remains is removed with the
    // folder of all children, or by the next process that sweeps.
    await removeEmpty(folder, boxes).catch(() => removeFolder(folder).catch(() => undefined));
  };
  let ended: Promise<void> | undefined;
  // A sandbox that closes waits for a removal that has already begun.
  return { ...child, run, kill: () => (ended ??= end()) };
}

/** @throws Error if a box is not empty */
async function removeEmpty(folder: string, boxes: Boxes): Promise<void> {
  for (const path of [...Object.values(boxes), folder]) await rmdir(path);
}

export interface Handover {
  /** The input with the paths of the child */
  input: Record<string, unknown>;
  /** Collects the complete files of a folder that the child still writes. @throws Failure CORRUPT_FILE as `take` */
  takeFilled(): Promise<void>;
  take(): Promise<void>;
}

/**
 * Passes the files of a task: inputs as hard links in a folder that the child can only read, or as copies on another disk and for a
 * child with another owner; outputs are collected from a folder that it writes. A file is moved out of the child's reach before it is checked, so that the child cannot
 * replace it after the check.
 * @throws errors of the file system, such as a missing input
 */
async function handOver(
  input: Record<string, unknown>,
  { reads = [], writes = [], readsFolder, fillsFolder, fillsNumbers }: TaskFiles,
  { inbox, outbox, taken }: Boxes,
  owner: number | undefined,
): Promise<Handover> {
  const childInput = { ...input };
  for (const field of reads) {
    if (typeof input[field] === 'string') childInput[field] = await pass(input[field], join(inbox, field), owner);
  }
  if (readsFolder !== undefined) {
    childInput[readsFolder] = join(inbox, readsFolder);
    await passFolder(String(input[readsFolder]), join(inbox, readsFolder), owner);
  }
  for (const field of writes) childInput[field] = join(outbox, field);
  if (fillsFolder !== undefined) childInput[fillsFolder] = outbox;

  const takeAs = (name: string, target: string): Promise<void> =>
    takeFile(join(outbox, name), join(taken, name), target);
  const wanted = new Set(((fillsNumbers && input[fillsNumbers]) as number[] | undefined)?.map(String));
  let filling = Promise.resolve();
  const takeFilled = async (): Promise<void> => {
    if (fillsFolder === undefined) return;
    for (const { name } of await list(outbox)) {
      if (wanted.has(name)) await takeAs(name, join(String(input[fillsFolder]), name));
    }
  };
  const inTurn = (): Promise<void> => (filling = filling.catch(() => undefined).then(takeFilled));
  return {
    input: childInput,
    takeFilled: inTurn,
    async take() {
      await inTurn();
      for (const field of writes) await takeAs(field, String(input[field]));
    },
  };
}

/**
 * Empties the boxes.
 * @returns false if something remains: a folder, which is not safe to traverse while the child could change it, or an outbox with
 * other permissions
 * @throws Error for more files than a child may leave, or when the child has removed or replaced one meanwhile
 */
async function emptyBoxes({ inbox, outbox }: Boxes): Promise<boolean> {
  const left = await list(outbox);
  if (((await lstat(outbox)).mode & 0o777) !== BOX_MODE) return false;
  for (const entry of left) if (!entry.isDirectory()) await unlink(join(outbox, entry.name));
  for (const entry of await readdir(inbox, { withFileTypes: true })) {
    const path = join(inbox, entry.name);
    await (entry.isDirectory() ? rm(path, { recursive: true }) : unlink(path));
  }
  return !left.some((entry) => entry.isDirectory());
}

/** @throws Failure CORRUPT_FILE for more entries than a child may leave, since native code could fill the memory of the parent */
async function list(outbox: string): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(outbox)) {
    if (entries.push(entry) > MAX_ENTRIES) throw brokenFailure(new Error('The child left too many files.'));
  }
  return entries;
}

/** A child can take permissions away from its result and its outbox; a disk cannot. */
function failureOfTaking(cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  const isRefused = cause instanceof Error && 'code' in cause && cause.code === 'EACCES';
  return isRefused ? brokenFailure(cause) : new Failure('INTERNAL', { cause });
}

async function passFolder(from: string, to: string, owner: number | undefined): Promise<void> {
  await mkdir(to);
  if (owner !== undefined) await chown(to, owner, owner);
  for (const name of await readdir(from)) await pass(join(from, name), join(to, name), owner);
}

/** Passes a file as a link, which costs nothing. A child with another owner gets a copy that it can read. */
async function pass(path: string, to: string, owner: number | undefined): Promise<string> {
  const copy = (): Promise<void> => copyFile(path, to, constants.COPYFILE_FICLONE);
  if (owner === undefined) {
    await link(await realpath(path), to).catch(copy);
    return to;
  }
  await copy();
  await chown(to, owner, owner);
  return to;
}

/**
 * Copies a file that the child has written, so that no descriptor of the child belongs to the result. An output that the task has
 * not written stays missing; its reader reports that.
 */
async function takeFile(from: string, taken: string, target: string): Promise<void> {
  try {
    await rename(from, taken);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const stats = await lstat(taken);
  if (!stats.isFile() || stats.nlink !== 1) {
    throw new Failure('CORRUPT_FILE', { cause: new Error('The child left something else than a file.') });
  }
  const copy = `${taken}-copy`;
  await copyFile(taken, copy, constants.COPYFILE_FICLONE);
  // The copy has the bits of the child, and the owner of the parent.
  await chmod(copy, 0o600);
  await unlink(taken);
  await rename(copy, target).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EXDEV') throw error;
    await copyFile(copy, target);
    await unlink(copy);
  });
}
