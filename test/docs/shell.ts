import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { until } from '../support/until.ts';

/** Milliseconds for one command, and for the first line of one that lasts. */
const PATIENCE_MS = 180_000;

/** A curl that fails where the server refuses, so that a test notices it. */
const CURL = `#!/bin/bash
PATH=$PATH_WITHOUT_WRAPPERS
headers=$(mktemp)
curl --dump-header "$headers" "$@"
code=$?
status=$(grep -a '^HTTP/' "$headers" | tail -n 1 | cut -d ' ' -f 2)
rm -f "$headers"
if [ $code -eq 0 ] && [ "\${status:-0}" -ge 400 ]; then echo "The answer is HTTP $status." >&2; code=22; fi
exit $code
`;

/** Loads the variables of the commands before, and keeps those of this one. */
const around = (command: string): string => `set -a -e -o pipefail
[ ! -e "$VARIABLES" ] || . "$VARIABLES"
${command}
set +a
export -p >"$VARIABLES"`;

export interface Shell {
  /** All that was printed so far */
  said(): string;
  /** Runs a command to its end. @returns its output. @throws Error with its output if it fails */
  run(command: string): Promise<string>;
  /** Starts a command that lasts, and waits until it prints a text. @throws Error with its output if it ends before */
  start(command: string, says: RegExp): Promise<Lasting>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Lasting {
  /** Presses Ctrl-C, and waits for the end of all its processes. @throws Error if it then fails */
  stop(): Promise<void>;
}

/**
 * A terminal in a folder, whose variables last from one command to the next.
 * @param env its variables
 * @param programs further programs, as scripts by their names
 */
export async function openShell(
  folder: string,
  env: NodeJS.ProcessEnv,
  programs: Record<string, string>,
): Promise<Shell> {
  const wrappers = join(folder, '.programs');
  await mkdir(wrappers);
  for (const [name, script] of Object.entries({ curl: CURL, ...programs })) {
    await writeFile(join(wrappers, name), script);
    await chmod(join(wrappers, name), 0o755);
  }
  const variables = {
    ...env,
    PATH: `${wrappers}${delimiter}${env['PATH']}`,
    PATH_WITHOUT_WRAPPERS: env['PATH'],
    VARIABLES: join(wrappers, 'variables'),
  };
  let said = '';
  const running: Lasting[] = [];

  const run = async (command: string): Promise<string> => {
    const options = { cwd: folder, env: variables, timeout: PATIENCE_MS, maxBuffer: 100_000_000 };
    const output = await new Promise<string>((resolve, reject) => {
      execFile('bash', ['-c', around(command)], options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout + stderr);
        else reject(new Error(`${command}\nends with ${error.code ?? error.signal}:\n${stdout}${stderr}`));
      });
    });
    said += output;
    return output;
  };

  const start = async (command: string, says: RegExp): Promise<Lasting> => {
    // A group of its own gets Ctrl-C as in a terminal.
    const child = spawn('bash', ['-c', around(command)], {
      cwd: folder,
      env: variables,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = once(child, 'close') as Promise<[number | null]>;
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        said += text;
      });
    const lasting = { stop: () => stopGroup(child, closed) };
    running.unshift(lasting);
    await until(
      () => {
        if (says.test(output)) return true;
        if (child.exitCode === null && child.signalCode === null) return undefined;
        throw new Error(`${command}\nends by itself:\n${output}`);
      },
      undefined,
      { withinMs: PATIENCE_MS },
    );
    return lasting;
  };

  return {
    said: () => said,
    run,
    start,
    async [Symbol.asyncDispose]() {
      for (const each of running) await each.stop();
    },
  };
}

async function stopGroup(child: ChildProcess, closed: Promise<[number | null]>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGINT');
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), 60_000);
  const [code] = await closed;
  clearTimeout(timer);
  // npm ends by the signal itself, and a shell as 130.
  if (![0, 130, null].includes(code)) throw new Error(`${child.spawnargs.at(-1)}\nends with ${code} after Ctrl-C.`);
}
