import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { chownSync, closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartupError } from '../../domain/startup-error.ts';
import { bubblewrapWall } from './bubblewrap.ts';
import { childProgram } from './child-program.ts';
import { readableFor, type View } from './view.ts';
import { findProgram, type Command, type Wall } from './wall.ts';
import { NO_MODELS } from '../neural/model-set.ts';

/**
 * Only a separate process, for machines whose kernel offers nothing else. With `setpriv` the child ends with its
 * parent and gains no rights.
 */
export function processWall(): Wall {
  const setpriv = process.platform === 'linux' ? findProgram('setpriv') : undefined;
  return {
    name: 'process',
    layers: setpriv === undefined ? [] : ['no new privileges'],
    isolates: false,
    endsWithParent: setpriv !== undefined,
    around: (command) =>
      setpriv === undefined ? command : [setpriv, '--pdeathsig', 'KILL', '--no-new-privs', '--', ...command],
  };
}

/**
 * Node.js' own permission model: JavaScript in the child reads the view, writes to its outbox, and starts no program.
 * It does not bind native code. Threads are not bound by it either, so a child that needs one for itself is not held by it.
 * @returns the flags, or undefined where this Node.js has no such model that lets addons load
 */
function permissionFlags({ readable, inbox, outbox }: View): string[] | undefined {
  const has = (flag: string): boolean => process.allowedNodeEnvironmentFlags.has(flag);
  const model = ['--permission', '--experimental-permission'].find(has);
  if (model === undefined || !has('--allow-addons')) return undefined;
  const reads = [...readable, inbox, outbox].map((path) => `--allow-fs-read=${path}`);
  return [model, '--allow-addons', '--no-warnings', ...reads, `--allow-fs-write=${outbox}`];
}

const PERMISSIONS = 'Node.js permissions';

/**
 * Checks the paths of a view before any child starts. Node.js takes an asterisk in a permitted path for a pattern, and ends.
 * @throws StartupError
 */
export function refusePatterns({ layers }: Pick<Jail, 'layers'>, paths: readonly string[]): void {
  const pattern = layers.includes(PERMISSIONS) ? paths.find((path) => path.includes('*')) : undefined;
  if (pattern !== undefined)
    throw new StartupError(`The path ${pattern} has an asterisk, which decoders cannot use. Rename the folder.`);
}

/** `required`: isolation by the kernel or no start. `auto`: the strongest there is. `off`: a process and no more. */
export type SandboxMode = 'required' | 'auto' | 'off';

/** The isolation of the engine's children on this machine. */
export interface Jail {
  name: Wall['name'];
  layers: readonly string[];
  isolates: boolean;
  /** A sentence for people about the missing part of a stronger jail; null with the strongest */
  missing: string | null;
  owner: number | undefined;
  watchesParent: boolean;
  /** Starts Node.js inside, with a stream on descriptor 3. @param folder only for this child, outside its view */
  start(run: JailedRun): ChildProcess;
}

export interface JailedRun {
  nodeArguments: readonly string[];
  env: Record<string, string>;
  view: View;
  folder: string;
  memoryLimitBytes: number;
}

/** Bytes of one file that a child may write; a result is at most a few times as large as the largest input. */
const MAX_FILE_BYTES = 8 * 1024 ** 3;
const MAX_OPEN_FILES = 1024;
/** A machine that needs longer to start an empty child, milliseconds, is not one to wait for. */
const TRIAL_MS = 10_000;

const TURNED_OFF = 'Decoders are not isolated: set BURNISH_SANDBOX=auto, or process only files that you trust.';
const REFUSED =
  'Decoders are not isolated, because bubblewrap does not work here: allow user namespaces, and start Burnish as an ordinary user (docs/deployment.md).';

const found = new Map<SandboxMode, Jail>();

/**
 * The strongest jail that works on this machine. A process tests it once with a small program, which takes some
 * 100 milliseconds.
 * @throws StartupError when `required` and the kernel offers no isolation
 */
export function findJail(mode: SandboxMode = 'auto'): Jail {
  const known = found.get(mode);
  if (known) return known;
  const strongest = mode === 'off' ? TURNED_OFF : bubblewrapWall();
  const wall = typeof strongest === 'string' || works(strongest) ? strongest : REFUSED;
  if (mode === 'required' && typeof wall === 'string')
    throw new StartupError(`BURNISH_SANDBOX is \`required\`. ${wall}`);
  const jail =
    typeof wall === 'string' ? { ...createJail(processWall(), mode !== 'off'), missing: wall } : createJail(wall);
  found.set(mode, jail);
  return jail;
}

/** @param withPermissions whether Node.js' permission model applies too */
export function createJail(wall: Wall, withPermissions = true): Jail {
  // A child that watches its parent, or strips types, does so in a thread, to which the model does not apply.
  const permitted = withPermissions && wall.endsWithParent && !childProgram.stripsTypes;
  const permissions = permitted && permissionFlags({ readable: [], inbox: '/', outbox: '/' }) !== undefined;
  return {
    name: wall.name,
    layers: [...wall.layers, ...(permissions ? [PERMISSIONS] : []), 'limits'],
    isolates: wall.isolates,
    missing: null,
    owner: wall.owner,
    watchesParent: !wall.endsWithParent,
    start({ nodeArguments, env, view, folder, memoryLimitBytes }) {
      const flags = permissions ? (permissionFlags(view) ?? []) : [];
      const node: Command = [process.execPath, ...flags, ...nodeArguments];
      const command = limited(wall.around(node, view), memoryLimitBytes);
      return withFilter(wall, folder, (filter) =>
        spawnCommand(command, { env, cwd: '/', stdio: ['ignore', 'ignore', 'pipe', 'pipe', filter] }),
      );
    },
  };
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

/** Hands a wall's filter over as an open file, whose name is gone by the time anybody could look for it. */
function withFilter<T>({ filter }: Wall, folder: string, use: (file: number | 'ignore') => T): T {
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
 * Whether a program can read the code of the engine inside a jail, and its processes can be counted from outside.
 * @throws StartupError for a temporary folder that is missing or full, which says nothing about the jail
 */
export function works(wall: Wall): boolean {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(tmpdir(), 'burnish-trial-'));
    const boxes = boxesIn(folder, wall.owner);
    const view = { readable: readableFor(NO_MODELS, fileURLToPath(import.meta.url)), ...boxes };
    const paths = [...view.readable, boxes.inbox, boxes.outbox];
    const [program, ...args] = wall.around([process.execPath, '-e', TRIAL, ...paths], view);
    const { status } = withFilter(wall, folder, (filter) =>
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
    const { code = 'unknown error', syscall } = cause as NodeJS.ErrnoException;
    // A root without its rights, as in some containers, cannot give a folder to another user.
    if (syscall === 'chown') return false;
    const remedy = 'Set TMPDIR to a folder that exists, is writable and has space.';
    throw new StartupError(`The temporary folder ${tmpdir()} cannot be used (${code}). ${remedy}`, { cause });
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** Permissions of a folder that a child shares with its parent. */
export const BOX_MODE = 0o700;

export function boxesIn(folder: string, owner?: number): Pick<View, 'inbox' | 'outbox'> {
  const boxes = { inbox: join(folder, 'in'), outbox: join(folder, 'out') };
  for (const path of Object.values(boxes)) {
    mkdirSync(path, { recursive: true, mode: BOX_MODE });
    if (owner !== undefined) chownSync(path, owner, owner);
  }
  return boxes;
}
