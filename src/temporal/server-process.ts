import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { identifyProcess, type ProcessIdentity } from '../process/process-identity.ts';

/** Variables that a program needs on a machine; none is a setting or secret of Burnish. */
const KEPT = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'LC_ALL', 'GOMEMLIMIT'];

/**
 * Memory of Go's runtime from which the server collects garbage more often than at twice its live data. Its live data is 60 MB with 500
 * open uploads. The pages of its program (95 MB) and the cache of SQLite (32 MB) come on top.
 */
const MEMORY_LIMIT = '192MiB';

/**
 * The environment of the embedded server and of its guard shell. It contains no secret, and disables the server's
 * version check at its vendor. The server asks for the name and the folder of its user, and ends if a container runs it
 * under a number that has neither. `GOMEMLIMIT` of this process wins over the limit of memory.
 * @param from source of the kept values
 */
export function serverEnvironment(from: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const kept = Object.fromEntries(KEPT.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]));
  return { HOME: tmpdir(), GOMEMLIMIT: MEMORY_LIMIT, ...kept, USER: 'burnish', TEMPORAL_VERSION_CHECK_DISABLED: '1' };
}

export interface ServerProcess {
  identity: ProcessIdentity;
  ended: Promise<void>;
}

/**
 * Ends the server when this process's end of the pipe to the guard's standard input closes. The system closes it even
 * after SIGKILL. `$1` is the server. It gets SIGKILL after ten seconds.
 */
const GUARD =
  'read -r _; kill -TERM "$1" || exit 0; for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1; kill -0 "$1" || exit 0; done; kill -KILL "$1"';

/**
 * Starts a server that ends with this process. It has a process group of its own, because Ctrl-C in a terminal goes
 * to the whole group, and the workers still need the server during their shutdown.
 *
 * @param binary a path, or a name to look up in PATH
 * @param logFile receives the output after its present content: unlike a pipe, a file never blocks, even after this process has died. Its
 * folder is the working folder of the server
 * @throws Error when the program or its guard cannot be started
 */
export async function startServerProcess(binary: string, args: string[], logFile: string): Promise<ServerProcess> {
  const log = openSync(logFile, 'a', 0o600);
  let server: ChildProcess;
  try {
    const program = binary.includes('/') ? resolve(binary) : binary;
    const cwd = dirname(logFile);
    server = spawn(program, args, { cwd, detached: true, stdio: ['ignore', log, log], env: serverEnvironment() });
  } finally {
    closeSync(log);
  }
  const ended = once(server, 'exit').then(() => undefined);
  ended.catch(() => undefined);
  await once(server, 'spawn');
  const pid = server.pid as number;
  const guard = spawn('/bin/sh', ['-c', GUARD, 'temporal-guard', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: serverEnvironment(),
  });
  // Without threads or files the machine starts the one and not the other.
  await once(guard, 'spawn').catch(async (error: unknown) => {
    server.kill('SIGKILL');
    await ended;
    throw error;
  });
  // The server's process id may be reused after its exit, so the guard must end at that moment.
  const guarded = ended.then(() => void guard.kill('SIGKILL'));
  guard.unref();
  return { identity: identifyProcess(pid) ?? { pid, started: 'ended' }, ended: guarded };
}
