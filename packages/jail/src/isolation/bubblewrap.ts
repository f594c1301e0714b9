import { readFileSync } from 'node:fs';
import { release } from 'node:os';
import { dirname } from 'node:path';
import { MAX_THREADS } from '../limits.ts';
import { seccompProgram } from './seccomp.ts';
import { findProgram, type Isolation, type MissingPart } from './isolation.ts';
import type { Mounts } from './mounts.ts';

const NAMESPACES = ['pid', 'net', 'ipc', 'uts'].map((name) => `--unshare-${name}`);

/** Devices that cannot hold data. A shared mapping of /dev/zero would be memory that no process is charged for. */
const DEVICES = ['/dev/null', '/dev/random', '/dev/urandom'];

/** Native libraries read here which instructions the processor has. Nothing else of /proc is visible. */
const PROCESSOR = '/proc/cpuinfo';

/**
 * Users and groups of the children of a parent that is root, in turn, since the kernel counts the threads of a user. No distribution
 * gives these ids to an account or to a service.
 */
const [FIRST_ID, IDS] = [64_321, 128];

/** Threads that the kernel allows: some more than the watch does, which then names the reason. */
const THREAD_LIMIT = MAX_THREADS + 32;

/**
 * Separate namespaces and a root that contains only the mounts, made by bubblewrap, the tool behind Flatpak. It drops all
 * capabilities, sets no-new-privileges, and installs the system call filter. Under root no user namespace is needed, and the child
 * gets an unprivileged id instead: an id of 0 in the root namespace owns the settings of the kernel. The limit of threads is set
 * inside, where the namespace or the id has a count of its own, and no right is left that exceeds it.
 * @returns the missing part, where there is none
 */
export function bubblewrapIsolation(): Isolation | MissingPart {
  if (process.platform !== 'linux') return 'linux';
  const program = findProgram('bwrap');
  const isRoot = isRootOfMachine();
  const setpriv = isRoot ? findProgram('setpriv') : undefined;
  const prlimit = isRoot || countsInNamespace(release()) ? findProgram('prlimit') : undefined;
  const filter = seccompProgram();
  if (filter === undefined) return 'architecture';
  if (program === undefined) return 'bubblewrap';
  if (isRoot && setpriv === undefined) return 'setpriv';
  const programs = [setpriv, prlimit].filter((path) => path !== undefined);
  const nproc = prlimit === undefined ? [] : [prlimit, `--nproc=${THREAD_LIMIT}`, '--'];
  let given = Math.floor(Math.random() * IDS);
  return {
    name: 'bubblewrap',
    layers: [
      ...['namespaces', 'a root of its own', 'no capabilities', 'seccomp'],
      ...(prlimit === undefined ? [] : ['a limit of threads']),
    ],
    isolates: true,
    endsWithParent: true,
    filter,
    ...(isRoot && { nextUid: () => FIRST_ID + ((given += 1) % IDS) }),
    wrap: (command, mounts) => [
      program,
      ...['--cap-drop', 'ALL'],
      ...(setpriv === undefined ? ['--unshare-user'] : CAPABILITIES_OF_SETPRIV),
      ...argumentsFor(mounts, programs),
      '--',
      ...(setpriv === undefined ? [] : asUnprivileged(setpriv, mounts.uid!)),
      ...nproc,
      ...command,
    ],
  };
}

/**
 * Whether the kernel counts the threads of a user in each user namespace apart. Before 5.14 it counts those of the whole machine, which
 * say nothing about a child.
 */
export function countsInNamespace(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  return major > 5 || (major === 5 && minor >= 14);
}

/** What setpriv needs to change the user once. */
const CAPABILITIES_OF_SETPRIV = ['SETUID', 'SETGID', 'SETPCAP'].flatMap((name) => ['--cap-add', `CAP_${name}`]);

/** Whether this process has the id of root outside of its user namespace too (user_namespaces(7)). */
function isRootOfMachine(): boolean {
  return process.getuid?.() === 0 && /^\s*0\s+0\s/m.test(readFileSync('/proc/self/uid_map', 'latin1'));
}

/** @param programs what starts the command inside */
function argumentsFor({ readOnly, inbox, outbox }: Mounts, programs: readonly string[]): string[] {
  const shown = [...readOnly, inbox, ...programs];
  return [
    ...NAMESPACES,
    ...['--unshare-cgroup-try', '--die-with-parent', '--new-session'],
    // A mount would make them for its own user only.
    ...foldersAbove([...shown, ...DEVICES, PROCESSOR, outbox]).flatMap((path) => ['--dir', path]),
    ...['--ro-bind-try', PROCESSOR, PROCESSOR],
    ...DEVICES.flatMap((path) => ['--dev-bind', path, path]),
    ...shown.flatMap((path) => ['--ro-bind', path, path]),
    ...['--bind', outbox, outbox],
    // The root of the mounts is a file system in memory, which must stay read-only so that a child cannot fill it.
    ...['--remount-ro', '/', '--seccomp', '4'],
  ];
}

function asUnprivileged(setpriv: string, uid: number): string[] {
  const id = String(uid);
  const rights = ['--clear-groups', '--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'];
  return [setpriv, '--reuid', id, '--regid', id, ...rights, '--'];
}

function foldersAbove(paths: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of paths) for (let at = dirname(path); at !== '/'; at = dirname(at)) folders.add(at);
  return [...folders].sort((a, b) => a.length - b.length);
}
