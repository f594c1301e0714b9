import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';

/** Runs the program until this shell's standard input ends, which the end of the starting process causes. */
const GUARD = `folder=$1; shift
"$@" </dev/null & program=$!
read -r _; kill -INT $program; wait $program; rm -rf "$folder"`;

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
  const guard = spawn('sh', ['-c', GUARD, 'sh', folder, program, ...args], {
    ...options,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  return guard;
}
