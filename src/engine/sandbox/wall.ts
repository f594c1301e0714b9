import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { View } from './view.ts';

export type Command = readonly [program: string, ...args: string[]];

/** The isolation of a child by the kernel. */
export interface Wall {
  name: 'bubblewrap' | 'process';
  /** What it is made of, in words for people */
  layers: readonly string[];
  /** Whether files, network and processes of the machine are out of reach even for native code */
  isolates: boolean;
  /** Whether the child ends with its parent by itself, so that it needs no watching thread */
  endsWithParent: boolean;
  /** User and group id of the child, where it is not that of the parent */
  owner?: number;
  /** Bytes that the command reads from file descriptor 4 */
  filter?: Buffer;
  around(command: Command, view: View): Command;
}

/** A sentence about the reason for which a machine has no wall, and about its remedy. */
export type Missing = string;

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
