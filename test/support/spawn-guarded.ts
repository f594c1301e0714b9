import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';

/** Runs the program until this shell's standard input ends, which the end of the starting process causes. */
const GUARD = `folder=$1; shift
"$@" </dev/null & program=$!
read -r _; kill -INT $program; wait $program; /bin/rm -rf "$folder"`;

/**
 * The words before a command whose program ends with the guard's standard input. They name the shell by its place, because the
 * program's user may be unable to enter the folders of PATH.
 * @param folder its data, which goes with it
 */
export const guard = (folder: string): readonly string[] => ['/bin/sh', '-c', GUARD, 'sh', folder];

/**
 * Starts a program that ends together with this process, even by `kill -9`. It does not keep this process alive.
 * @param folder its data, which goes with it
 * @returns the shell that guards it
 */
export function spawnGuarded(
  folder: string,
  program: string,
  args: readonly string[],
  options: SpawnOptions = {},
): ChildProcess {
  const [shell, ...words] = [...guard(folder), program, ...args];
  const child = spawn(shell!, words, { ...options, stdio: ['pipe', 'ignore', 'ignore'] });
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return child;
}
