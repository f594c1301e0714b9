import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JailError } from '../jail-error.ts';
import { MAX_FILE_BYTES, MAX_OPEN_FILES } from '../limits.ts';
import { bubblewrapIsolation } from './bubblewrap.ts';
import { withoutInherited } from './descriptors.ts';
import { findProgram, type Command, type Isolation, type MissingPart } from './isolation.ts';
import { readOnlyMounts, type Mounts } from './mounts.ts';

/**
 * Only a separate process, for machines whose kernel offers nothing else. With `setpriv` the child ends with its
 * parent and gains no rights.
 */
export function processIsolation(): Isolation {
  const setpriv = process.platform === 'linux' ? findProgram('setpriv') : undefined;
  return {
    name: 'process',
    layers: setpriv === undefined ? [] : ['no new privileges'],
    isolates: false,
    endsWithParent: setpriv !== undefined,
    wrap: (command) =>
      setpriv === undefined ? command : [setpriv, '--pdeathsig', 'KILL', '--no-new-privs', '--', ...command],
  };
}

/**
 * Node.js' own permission model: JavaScript in the child reads the mounts, writes to its outbox, and starts no program.
 * It does not bind native code. Threads are not bound by it either, so a child that needs one for itself is not held by it.
 * @returns the flags, or undefined where this Node.js has no such model that lets addons load
 */
function permissionFlags({ readOnly, inbox, outbox }: Omit<Mounts, 'uid'>): string[] | undefined {
  const has = (flag: string): boolean => process.allowedNodeEnvironmentFlags.has(flag);
  const model = ['--permission', '--experimental-permission'].find(has);
  if (model === undefined || !has('--allow-addons')) return undefined;
  const reads = [...readOnly, inbox, outbox].map((path) => `--allow-fs-read=${path}`);
  return [model, '--allow-addons', '--no-warnings', ...reads, `--allow-fs-write=${outbox}`];
}

const PERMISSIONS = 'Node.js permissions';

/**
 * Checks the paths of mounts before any child starts. Node.js takes an asterisk in a permitted path for a pattern, and ends.
 * @throws JailError UNUSABLE_PATH
 */
export function refusePatterns({ layers }: Pick<Jail, 'layers'>, paths: readonly string[]): void {
  const path = layers.includes(PERMISSIONS) ? paths.find((each) => each.includes('*')) : undefined;
  if (path !== undefined) throw new JailError('UNUSABLE_PATH', { path });
}

/** What everybody may do with a folder that a child reads, and with a file. */
const ENTER_AND_READ = 0o005;
const READ = 0o004;

/**
 * Checks that a child of root, which runs as another user, may read its mounts.
 * @throws JailError PRIVATE_PATH
 */
export function refusePrivate({ changesUser }: Pick<Jail, 'changesUser'>, paths: readonly string[]): void {
  if (!changesUser) return;
  const path = readOnlyMounts(paths).find((each) => {
    const found = statSync(each);
    const needed = found.isDirectory() ? ENTER_AND_READ : READ;
    return (found.mode & needed) !== needed;
  });
  if (path !== undefined) throw new JailError('PRIVATE_PATH', { path });
}

/** `required`: isolation by the kernel or no start. `auto`: the strongest there is. `off`: a process and no more. */
export type SandboxPolicy = 'required' | 'auto' | 'off';

/** The isolation of child processes on this machine. */
export interface Jail {
  name: Isolation['name'];
  layers: readonly string[];
  isolates: boolean;
  /** What the machine lacks for a stronger jail; null with the strongest */
  missing: MissingPart | null;
  /** Whether a child has another user than its parent */
  changesUser: boolean;
  watchesParent: boolean;
  /** Makes the folders that the next child shares with its parent, in `folder`, which is only for this child */
  createSharedFolders(folder: string): SharedMounts;
  /** Starts Node.js inside, with a stream on descriptor 3 */
  start(run: JailedRun & { nodeArguments: readonly string[] }): ChildProcess;
  /** Starts another program inside, whose output is read */
  startProgram(run: JailedRun & { command: Command }): ChildProcess;
}

export interface JailedRun {
  env: Record<string, string>;
  mounts: Mounts;
  /** Only for this child, outside its mounts */
  folder: string;
  memoryLimitBytes: number;
}

/** A machine that needs longer to start an empty child, milliseconds, is not one to wait for. */
const TRIAL_MS = 10_000;

export interface JailOptions {
  /** Whether Node.js' permission model applies too. It does not bind threads, so a child that needs one goes without */
  permissions?: boolean;
  /** Paths that every child reads, for the trial */
  readable?: readonly string[];
}

/**
 * The strongest jail that works on this machine. It is tested with a small program, which takes some 100 milliseconds.
 * @throws JailError NOT_ISOLATED when `required` and the kernel offers no isolation; NO_TEMPORARY_FOLDER
 */
export function findJail(
  policy: SandboxPolicy = 'auto',
  { permissions = true, readable = [] }: JailOptions = {},
): Jail {
  const strongest = policy === 'off' ? 'policy' : bubblewrapIsolation();
  const found = typeof strongest === 'string' || works(strongest, readable) ? strongest : 'user-namespaces';
  if (typeof found !== 'string') return createJail(found, permissions);
  if (policy === 'required') throw new JailError('NOT_ISOLATED', { missing: found });
  return { ...createJail(processIsolation(), permissions && policy !== 'off'), missing: found };
}

export function createJail(isolation: Isolation, withPermissions = true): Jail {
  // A child that watches its parent does so in a thread, to which the model does not apply.
  const permitted = withPermissions && isolation.endsWithParent;
  const permissions = permitted && permissionFlags({ readOnly: [], inbox: '/', outbox: '/' }) !== undefined;
  return {
    name: isolation.name,
    layers: [...isolation.layers, ...(permissions ? [PERMISSIONS] : []), 'limits'],
    isolates: isolation.isolates,
    missing: null,
    changesUser: isolation.nextUid !== undefined,
    createSharedFolders: (folder) => createSharedFolders(folder, isolation.nextUid?.()),
    watchesParent: !isolation.endsWithParent,
    start({ nodeArguments, ...run }) {
      const flags = permissions ? (permissionFlags(run.mounts) ?? []) : [];
      return launch(isolation, [process.execPath, ...flags, ...nodeArguments], run, ['ignore', 'pipe', 'pipe']);
    },
    startProgram: ({ command, ...run }) => launch(isolation, command, run, ['pipe', 'pipe', 'ignore']),
  };
}

/** @param stdio of descriptors 1 to 3. The child gets no others, except one with its filter */
function launch(
  isolation: Isolation,
  command: Command,
  { env, mounts, folder, memoryLimitBytes }: JailedRun,
  stdio: readonly ('ignore' | 'pipe')[],
): ChildProcess {
  const bounded = limited(isolation.wrap(command, mounts), memoryLimitBytes);
  return withFilter(isolation, folder, (filter) =>
    withoutInherited(['ignore', ...stdio, filter], (all) => spawnCommand(bounded, { env, cwd: '/', stdio: all })),
  );
}

function spawnCommand([program, ...args]: Command, options: SpawnOptions): ChildProcess {
  return spawn(program, args, options);
}

/**
 * Limits that hold even where nothing else does: size of a file, open files, no core dumps, and data as a bound for what grows faster
 * than the memory watch looks. Address space is not limited, since V8 reserves far more than it uses. Ctrl-C reaches the whole
 * group of processes; when to stop is the parent's to say.
 */
function limited(command: Command, memoryLimitBytes: number): Command {
  if (process.platform === 'win32') return command;
  const dataKib = Math.ceil((memoryLimitBytes * 2) / 1024) + 1024 ** 2;
  const limits = [`-c 0`, `-n ${MAX_OPEN_FILES}`, `-f ${MAX_FILE_BYTES / 512}`, `-d ${dataKib}`];
  const script = `trap '' INT TERM HUP; ${limits.map((limit) => `ulimit ${limit} 2>/dev/null;`).join(' ')} exec "$@"`;
  return ['/bin/sh', '-c', script, 'sh', ...command];
}

/** Passes a filter as an open file, whose name is gone by the time anybody could look for it. */
function withFilter<T>({ filter }: Isolation, folder: string, use: (file: number | 'ignore') => T): T {
  if (filter === undefined) return use('ignore');
  const path = join(folder, 'filter');
  writeFileSync(path, filter, { mode: 0o600 });
  const file = openSync(path, 'r');
  try {
    rmSync(path);
    return use(file);
  } finally {
    closeSync(file);
  }
}

/** Reads what a child reads, which another user may be refused. */
const TRIAL = 'for (const path of process.argv.slice(1)) require("node:fs").accessSync(path, 4)';

/**
 * Whether a program can read what a child reads inside a jail, and its processes can be counted from outside.
 * @throws JailError NO_TEMPORARY_FOLDER for one that is missing or full, which says nothing about the jail
 */
export function works(isolation: Isolation, readable: readonly string[]): boolean {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(tmpdir(), 'jail-trial-'));
    const mounts = { readOnly: readOnlyMounts(readable), ...createSharedFolders(folder, isolation.nextUid?.()) };
    const paths = [...mounts.readOnly, mounts.inbox, mounts.outbox];
    const [program, ...args] = isolation.wrap([process.execPath, '-e', TRIAL, ...paths], mounts);
    const { status } = withFilter(isolation, folder, (filter) =>
      spawnSync(program, args, {
        env: {},
        cwd: '/',
        stdio: ['ignore', 'ignore', 'ignore', 'ignore', filter],
        timeout: TRIAL_MS,
        killSignal: 'SIGKILL',
      }),
    );
    return status === 0 && existsSync(`/proc/self/task/${process.pid}/children`);
  } catch (cause) {
    // A root without its rights, as in some containers, cannot give a folder to another user.
    if ((cause as NodeJS.ErrnoException).syscall === 'chown') return false;
    throw new JailError('NO_TEMPORARY_FOLDER', { path: tmpdir(), cause });
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** Permissions of a folder that a child shares with its parent. */
export const SHARED_MODE = 0o700;

/** The folders that a child shares with its parent, and its user. */
export type SharedMounts = Pick<Mounts, 'inbox' | 'outbox' | 'uid'>;

function createSharedFolders(folder: string, uid: number | undefined): SharedMounts {
  const [inbox, outbox] = [join(folder, 'in'), join(folder, 'out')];
  for (const path of [inbox, outbox]) {
    mkdirSync(path, { recursive: true, mode: SHARED_MODE });
    if (uid !== undefined) chownSync(path, uid, uid);
  }
  return { inbox, outbox, uid };
}
