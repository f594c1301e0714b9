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
import { SHARED_MODE } from '../isolation/jail.ts';
import { JailError } from '../jail-error.ts';
import { COLLECTION_MS, MAX_LEFT_FILES } from '../limits.ts';
import type { ResultCheck, TaskFiles } from '../tasks.ts';
import { invalidOutput } from './child-errors.ts';
import {
  startChild,
  failedChild,
  type Child,
  type ChildOptions,
  type ChildRunOptions,
  type SharedFolders,
} from './child-process.ts';
import { removeFolder } from './remove-folder.ts';

export interface IsolatedChildOptions<P> extends Omit<ChildOptions<P>, 'shared' | 'folder'> {
  /** A folder that does not exist yet, only for this child */
  folder: string;
  files: Partial<Record<string, TaskFiles>>;
  results: Partial<Record<string, ResultCheck>>;
}

/**
 * A child that can access only the files of its task: inputs are passed before it, and outputs are collected after it. Never
 * throws: if the machine cannot start a process, only a task fails, which may be repeated, and the pool keeps its size.
 */
export function createIsolatedChild<P>(options: IsolatedChildOptions<P>): Child<P> {
  try {
    return startIsolatedChild(options);
  } catch (error) {
    return failedChild(error);
  }
}

function startIsolatedChild<P>({ folder, files, results, ...options }: IsolatedChildOptions<P>): Child<P> {
  const { program, jail } = options;
  const shared: SharedFolders = { ...jail.createSharedFolders(folder), taken: join(folder, 'taken') };
  mkdirSync(shared.taken, { mode: 0o700 });
  const child = startChild({ ...options, folder, shared });

  async function run(task: string, input: unknown, options: ChildRunOptions<P>): Promise<unknown> {
    try {
      const { signal, wallMs } = options;
      const handed = await handOver({ ...(input as object) }, files[task] ?? {}, shared, stepsOf(wallMs, signal)).catch(
        (cause: unknown) => {
          throw errorOfFiles(cause, signal);
        },
      );
      try {
        const onProgress: ChildRunOptions<P>['onProgress'] = (progress) => {
          handed.collect(stepsOf(wallMs, signal));
          options.onProgress?.(progress);
        };
        const check = results[task];
        const output = await child.run(task, handed.input, { ...options, onProgress, result: check?.limits });
        await handed.take(stepsOf(wallMs, signal)).catch(async (cause: unknown) => {
          // The child may have left something else than a file. Its end removes its folder.
          await child.kill();
          throw isRefused(cause) ? invalidOutput(cause) : errorOfFiles(cause, signal);
        });
        if (check === undefined) return output;
        return await check.check(input, output).catch(async (cause: Error) => {
          await child.kill();
          throw invalidOutput(cause);
        });
      } catch (error) {
        // Complete files of an ended task are kept, as far as a moment is enough.
        await handed.takeFilled(stepsOf(COLLECTION_MS)).catch(() => undefined);
        // The child loads most parts of its program with the first task that needs them.
        if (isOfTask(error) && !options.signal?.aborted) program.assertUnchanged();
        throw error;
      }
    } finally {
      if (child.usable() && !(await emptyFolders(shared).catch(() => false))) await child.kill();
    }
  }

  const end = async (): Promise<void> => {
    await child.kill();
    // An empty folder needs no program of the system. What remains is removed with the folder of all children, or by the next
    // process that removes folders of dead ones.
    await removeEmpty(folder, shared).catch(() => removeFolder(folder).catch(() => undefined));
  };
  let ended: Promise<void> | undefined;
  // A sandbox that closes waits for a removal that has already begun.
  return { ...child, run, kill: () => (ended ??= end()) };
}

/** Whether the code of the task, or its files, are the reason, and nothing that ended the child. */
const isOfTask = (error: unknown): boolean =>
  !(error instanceof JailError) || error.code === 'TASK_FAILED' || error.code === 'FILE_ERROR';

/** @throws Error if a folder is not empty */
async function removeEmpty(folder: string, { inbox, outbox, taken }: SharedFolders): Promise<void> {
  for (const path of [inbox, outbox, taken, folder]) await rmdir(path);
}

/** Called before each step of the parent's own work on a task. @throws the signal's reason; JailError STARVED after its time */
type Steps = () => void;

/** A child decides how many files there are, and a disk how long each takes, so this work has the bounds of the task too. */
function stepsOf(wallMs: number, signal?: AbortSignal): Steps {
  const end = performance.now() + wallMs;
  return () => {
    signal?.throwIfAborted();
    if (performance.now() > end) throw new JailError('STARVED', { mayRepeat: true });
  };
}

interface Handover {
  /** The input with the paths of the child */
  input: Record<string, unknown>;
  /** Takes complete files of a folder that the child still writes, at most once in `COLLECTION_MS` */
  collect(step: Steps): void;
  /** Takes all complete files of that folder. @throws JailError INVALID_OUTPUT as `take` */
  takeFilled(step: Steps): Promise<void>;
  take(step: Steps): Promise<void>;
}

/**
 * Passes the files of a task. Inputs are hard links in a folder that the child can only read, or copies on another disk and for a
 * child with another user id. Outputs are collected from a folder that it writes. A file is moved out of the child's reach before
 * it is checked, so that the child cannot replace it after the check.
 * @throws errors of the file system, such as a missing input
 */
async function handOver(
  input: Record<string, unknown>,
  { reads = [], writes = [], readsFolder, fillsFolder, fillsNumbers }: TaskFiles,
  { inbox, outbox, taken, uid }: SharedFolders,
  step: Steps,
): Promise<Handover> {
  const childInput = { ...input };
  for (const field of reads) {
    step();
    if (typeof input[field] === 'string') childInput[field] = await pass(input[field], join(inbox, field), uid);
  }
  if (readsFolder !== undefined) {
    childInput[readsFolder] = join(inbox, readsFolder);
    await passFolder(String(input[readsFolder]), join(inbox, readsFolder), uid, step);
  }
  for (const field of writes) childInput[field] = join(outbox, field);
  if (fillsFolder !== undefined) childInput[fillsFolder] = outbox;

  const takeAs = (name: string, target: string): Promise<boolean> =>
    takeFile(join(outbox, name), join(taken, name), target);
  // The child may leave other files without number, so the parent asks for each that it lacks, and lists none.
  const wanted = new Set(((fillsNumbers && input[fillsNumbers]) as number[] | undefined)?.map(String));
  let filling = Promise.resolve();
  const takeWanted = async (step: Steps): Promise<void> => {
    if (fillsFolder === undefined) return;
    for (const name of wanted) {
      step();
      if (await takeAs(name, join(String(input[fillsFolder]), name))) wanted.delete(name);
    }
  };
  const takeFilled = (step: Steps): Promise<void> =>
    (filling = filling.catch(() => undefined).then(() => takeWanted(step)));
  let next = 0;
  return {
    input: childInput,
    collect(step) {
      if (fillsFolder === undefined || performance.now() < next) return;
      next = Infinity;
      void takeFilled(step)
        .catch(() => undefined)
        .then(() => (next = performance.now() + COLLECTION_MS));
    },
    takeFilled,
    async take(step) {
      await takeFilled(step);
      for (const field of writes) {
        step();
        await takeAs(field, String(input[field]));
      }
    },
  };
}

/**
 * Empties the shared folders.
 * @returns false if something remains: a folder, which is not safe to traverse while the child could change it, more files than a child
 * may leave, or an outbox with other permissions
 * @throws Error when the child has removed or replaced one meanwhile
 */
async function emptyFolders({ inbox, outbox }: SharedFolders): Promise<boolean> {
  const left: Dirent[] = [];
  for await (const entry of await opendir(outbox)) if (left.push(entry) > MAX_LEFT_FILES) return false;
  if (((await lstat(outbox)).mode & 0o777) !== SHARED_MODE) return false;
  for (const entry of left) if (!entry.isDirectory()) await unlink(join(outbox, entry.name));
  for (const entry of await readdir(inbox, { withFileTypes: true })) {
    const path = join(inbox, entry.name);
    await (entry.isDirectory() ? rm(path, { recursive: true }) : unlink(path));
  }
  return !left.some((entry) => entry.isDirectory());
}

/** A child can take permissions away from its result and its outbox; a disk cannot. */
const isRefused = (cause: unknown): cause is Error =>
  cause instanceof Error && 'code' in cause && cause.code === 'EACCES';

/** @returns the reason of the signal, where it has aborted the work */
function errorOfFiles(cause: unknown, signal: AbortSignal | undefined): unknown {
  if (cause instanceof JailError || signal?.aborted) return cause;
  return new JailError('FILE_ERROR', { cause });
}

async function passFolder(from: string, to: string, uid: number | undefined, step: Steps): Promise<void> {
  await mkdir(to);
  if (uid !== undefined) await chown(to, uid, uid);
  for (const name of await readdir(from)) {
    step();
    await pass(join(from, name), join(to, name), uid);
  }
}

/** Passes a file as a link, which costs nothing. A child with another user id gets a copy that it can read. */
async function pass(path: string, to: string, uid: number | undefined): Promise<string> {
  const copy = (): Promise<void> => copyFile(path, to, constants.COPYFILE_FICLONE);
  if (uid === undefined) {
    await link(await realpath(path), to).catch(copy);
    return to;
  }
  await copy();
  await chown(to, uid, uid);
  return to;
}

/**
 * Copies a file that the child has written, so that no descriptor of the child belongs to the result. An output that the task has
 * not written stays missing; its reader reports that.
 * @returns whether there was one
 */
async function takeFile(from: string, taken: string, target: string): Promise<boolean> {
  try {
    await rename(from, taken);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  const stats = await lstat(taken);
  if (!stats.isFile() || stats.nlink !== 1) {
    throw invalidOutput(new Error('The child left something else than a file.'));
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
  return true;
}
