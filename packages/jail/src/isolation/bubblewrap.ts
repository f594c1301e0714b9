import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { seccompProgram } from './seccomp.ts';
import { findProgram, type Command, type Isolation, type MissingPart } from './isolation.ts';
import type { Mounts } from './mounts.ts';

const NAMESPACES = ['pid', 'net', 'ipc', 'uts'].map((name) => `--unshare-${name}`);

/** Devices that cannot hold data. A shared mapping of /dev/zero would be memory that no process is charged for. */
const DEVICES = ['/dev/null', '/dev/random', '/dev/urandom'];

/** Native libraries read here which instructions the processor has. Nothing else of /proc is visible. */
const PROCESSOR = '/proc/cpuinfo';

/** User and group of the children of a parent that is root. No distribution gives this id to an account or to a service. */
const UNPRIVILEGED_ID = 64_321;

/**
 * Separate namespaces and a root that contains only the mounts, made by bubblewrap, the tool behind Flatpak. It drops all
 * capabilities, sets no-new-privileges, and installs the system call filter. Under root no user namespace is needed, and the child
 * gets an unprivileged id instead: an id of 0 in the root namespace owns the settings of the kernel.
 * @returns the missing part, where there is none
 */
export function bubblewrapIsolation(): Isolation | MissingPart {
  if (process.platform !== 'linux') return 'linux';
  const program = findProgram('bwrap');
  const isRoot = isRootOfMachine();
  const setpriv = isRoot ? findProgram('setpriv') : undefined;
  const filter = seccompProgram();
  if (filter === undefined) return 'architecture';
  if (program === undefined) return 'bubblewrap';
  if (isRoot && setpriv === undefined) return 'setpriv';
  return {
    name: 'bubblewrap',
    layers: ['namespaces', 'a root of its own', 'no capabilities', 'seccomp'],
    isolates: true,
    endsWithParent: true,
    filter,
    ...(isRoot && { uid: UNPRIVILEGED_ID }),
    wrap: (command, mounts) =>
      setpriv === undefined
        ? [program, '--unshare-user', ...argumentsFor(mounts), '--', ...command]
        : [program, ...argumentsFor(mounts, setpriv), '--', ...asUnprivileged(setpriv, command)],
  };
}

/** Whether this process has the id of root outside of its user namespace too (user_namespaces(7)). */
function isRootOfMachine(): boolean {
  return process.getuid?.() === 0 && /^\s*0\s+0\s/m.test(readFileSync('/proc/self/uid_map', 'latin1'));
}

/** @param setpriv with it, the command may change its user once */
function argumentsFor({ readOnly, inbox, outbox }: Mounts, setpriv?: string): string[] {
  const shown = [...readOnly, inbox, ...(setpriv === undefined ? [] : [setpriv])];
  const capabilities = setpriv === undefined ? [] : ['SETUID', 'SETGID', 'SETPCAP'];
  return [
    ...NAMESPACES,
    ...['--unshare-cgroup-try', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...capabilities.flatMap((name) => ['--cap-add', `CAP_${name}`]),
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

function asUnprivileged(setpriv: string, command: Command): Command {
  const id = String(UNPRIVILEGED_ID);
  const rights = ['--clear-groups', '--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'];
  return [setpriv, '--reuid', id, '--regid', id, ...rights, '--', ...command];
}

function foldersAbove(paths: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of paths) for (let at = dirname(path); at !== '/'; at = dirname(at)) folders.add(at);
  return [...folders].sort((a, b) => a.length - b.length);
}
