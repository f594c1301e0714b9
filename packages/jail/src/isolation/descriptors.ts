import type { IOType, StdioOptions } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

/** One descriptor of a program to start, by its position: a pipe, nothing, or an open file. */
export type Descriptor = IOType | number;

/** The flag of a descriptor that ends with its process's program (open(2)), as procfs prints it: octal. */
const CLOSE_ON_EXEC = 0o2000000;

let inherited: readonly number[] | undefined;

/**
 * Descriptors above the standard ones that each program started by this process would inherit: those that its own starter has left
 * open, since Node.js marks all that it opens. Nobody adds one later, so they are read once. Empty without procfs.
 */
function inheritedDescriptors(): readonly number[] {
  inherited ??= listDescriptors().filter((each) => each > 2 && staysOpen(each));
  return inherited;
}

function listDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number);
  } catch {
    return [];
  }
}

function staysOpen(descriptor: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // The list itself was one.
    return false;
  }
}

/**
 * Starts a program with the given descriptors only. Node.js cannot close another one in it, so an empty device takes its place.
 * @param stdio `ignore` above the standard ones: no descriptor
 */
export function withoutInherited<T>(stdio: readonly Descriptor[], start: (all: StdioOptions) => T): T {
  const unwanted = inheritedDescriptors().filter((each) => (stdio[each] ?? 'ignore') === 'ignore');
  if (unwanted.length === 0) return start([...stdio]);
  const nothing = openSync('/dev/null', 'r+');
  try {
    const all: Descriptor[] = [...stdio];
    for (let each = all.length; each <= Math.max(...unwanted); each += 1) all.push('ignore');
    for (const each of unwanted) all[each] = nothing;
    return start(all);
  } finally {
    closeSync(nothing);
  }
}
