import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { once } from 'node:events';
import { identifyProcess, type ProcessIdentity } from '../process/process-identity.ts';

/** What a program needs to find its way on a machine, and no setting or secret of ours. */
const KEPT = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'LC_ALL'];

/**
 * The environment of the embedded server and of the shell that guards it: it holds no secret, and the server does not ask its
 * vendor for news of its version.
 * @param from where the few values that stay come from
 */
export function serverEnvironment(from: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const kept = Object.fromEntries(KEPT.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]));
  return { ...kept, TEMPORAL_VERSION_CHECK_DISABLED: '1' };
}

export interface ServerProcess {
  identity: ProcessIdentity;
  /** Settles when the process has ended, for whatever reason. */
  ended: Promise<void>;
}

/**
 * Ends the server when our end of its standard input closes, which the system does even for a process that dies by SIGKILL.
 * `$1` is the server. It has ten seconds, then it is made to end.
 */
const GUARD =
  'read -r _; kill -TERM "$1" || exit 0; for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1; kill -0 "$1" || exit 0; done; kill -KILL "$1"';

/**
 * Starts a server that lives as long as this process and no longer. It gets a process group of its own, because Ctrl-C in a
 * terminal goes to the whole group, and the workers still need the server while they shut down.
 *
 * @param logFile what it prints goes there: a file can be written to, and never blocks, even after we have died
 * @throws Error when the program cannot be started
 */
export async function startServerProcess(binary: string, args: string[], logFile: string): Promise<ServerProcess> {
  const log = openSync(logFile, 'w', 0o600);
  let server: ChildProcess;
  try {
    server = spawn(binary, args, { detached: true, stdio: ['ignore', log, log], env: serverEnvironment() });
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
  // The server's number may be given to another process once it has ended, so the guard has to go at that moment.
  const guarded = ended.then(() => void guard.kill('SIGKILL'));
  guard.unref();
  return { identity: identifyProcess(pid) ?? { pid, started: 'ended' }, ended: guarded };
}
