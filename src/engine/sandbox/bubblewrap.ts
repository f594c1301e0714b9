import { seccompProgram } from './seccomp.ts';
import type { View } from './view.ts';
import { findProgram, type Wall } from './wall.ts';

const NAMESPACES = ['user', 'pid', 'net', 'ipc', 'uts'].map((name) => `--unshare-${name}`);

/**
 * Separate namespaces and a root that contains only the view, made by bubblewrap, the tool behind Flatpak. It drops all
 * capabilities, sets no-new-privileges, and installs the system call filter.
 */
export function bubblewrapWall(): Wall | undefined {
  const program = findProgram('bwrap');
  if (process.platform !== 'linux' || program === undefined) return undefined;
  const filter = seccompProgram();
  return {
    name: 'bubblewrap',
    layers: ['namespaces', 'a root of its own', 'no capabilities', ...(filter ? ['seccomp'] : [])],
    isolates: true,
    endsWithParent: true,
    ...(filter && { filter }),
    around: (command, view) => [program, ...argumentsFor(view, filter !== undefined), '--', ...command],
  };
}

function argumentsFor({ readable, inbox, outbox }: View, filtered: boolean): string[] {
  const shown = [...readable, inbox].flatMap((path) => ['--ro-bind', path, path]);
  return [
    ...NAMESPACES,
    ...['--unshare-cgroup-try', '--cap-drop', 'ALL', '--die-with-parent', '--new-session'],
    ...['--proc', '/proc', '--dev', '/dev', ...shown, '--bind', outbox, outbox],
    // The root of the mounts is a file system in memory, which must stay read-only so that a child cannot fill it.
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...(filtered ? ['--seccomp', '4'] : []),
  ];
}
