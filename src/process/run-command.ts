import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export interface CommandOptions {
  env: NodeJS.ProcessEnv;
  /** Milliseconds until it is ended with SIGKILL. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Runs a program without a shell and returns its standard output (at most 1 MB).
 *
 * @throws Error when it cannot be started, exceeds its time or exits with another code than 0; the message ends with its standard error
 */
export async function runCommand(program: string, args: readonly string[], options: CommandOptions): Promise<string> {
  const { env, timeoutMs, signal } = options;
  const limits = { env, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: 1_000_000 } as const;
  const { stdout } = await execute(program, args, { ...limits, ...(signal && { signal }) });
  return stdout;
}
