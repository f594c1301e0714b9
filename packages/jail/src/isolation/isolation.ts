import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Mounts } from './mounts.ts';

export type Command = readonly [program: string, ...args: string[]];

/** How the kernel separates a child from the machine. */
export interface Isolation {
  name: 'bubblewrap' | 'process';
  /** What it is made of, in words for people */
  layers: readonly string[];
  /** Whether files, network and processes of the machine are out of reach even for native code */
  isolates: boolean;
  /** Whether the child ends with its parent by itself, so that it needs no watching thread */
  endsWithParent: boolean;
  /** The user and group id of the next child, where it is not that of the parent */
  nextUid?: () => number;
  /** Bytes that the command reads from file descriptor 4 */
  filter?: Buffer;
  /** The command that runs another one isolated */
  wrap(command: Command, mounts: Mounts): Command;
}

/** What a machine lacks for the isolation by bubblewrap. */
export type MissingPart = 'linux' | 'architecture' | 'bubblewrap' | 'setpriv' | 'user-namespaces' | 'policy';

/** The path of a program of the system; undefined if it is not installed. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/bin', '/usr/sbin', '/sbin'];
  return folders
    .filter(Boolean)
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
