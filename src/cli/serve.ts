import { CommanderError, type Command } from 'commander';
import { destination } from 'pino';
import { createLogger } from '../api/http/logger.ts';
import { readConfig, refuseExampleSecrets } from '../runtime/config.ts';
import type { StackOptions } from '../runtime/stack.ts';
import { UsageError } from './command-error.ts';
import { describeError } from './describe-error.ts';
import { printable } from './printable.ts';
import { runUntilStopped } from './run-until-stopped.ts';

export const report = (sentence: string): void => void process.stderr.write(`${printable(sentence)}\n`);

/**
 * Reads the settings and opens the log.
 * @throws StartupError for wrong settings
 */
export function prepare(quietLevel?: string) {
  const config = readConfig(process.env);
  refuseExampleSecrets(process.env);
  const log = createLogger({ level: quietLevel ?? config.logLevel, destination: destination(2) });
  return { config, log, environment: process.env, report };
}

/** Runs parts of Burnish until a signal stops them, and sets the exit code. */
export async function serve(parts: Pick<StackOptions, 'gateway' | 'workers'>): Promise<void> {
  process.exitCode = await runUntilStopped(async (signal) => {
    const { config, ...options } = prepare();
    // Read after the settings, so that a wrong one is reported at once.
    const { startStack } = await import('../runtime/stack.ts');
    const stack = await startStack({ ...options, ...parts, config, signal });
    const { firstSignInLink, printStartupMessage } = await import('./startup-message.ts');
    printStartupMessage(stack, config, parts, parts.gateway ? await firstSignInLink(stack, config) : undefined);
    return stack;
  }, report);
}

/**
 * Runs the command of this process. The exit code is 2 for a mistyped command and 1 for a failure. A reader of the output may end
 * early, as `head` does: the work continues without output.
 */
export async function runProgram(program: Command): Promise<void> {
  // The reader of the output or of the log may end first, which stops no work.
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error) => {
      if (!isClosedPipe(error)) throw error;
    });
  try {
    await program.parseAsync();
  } catch (error) {
    if (isClosedPipe(error)) return;
    if (error instanceof CommanderError) {
      // Commander has printed the help or the mistake.
      process.exitCode = error.exitCode === 0 ? 0 : 2;
    } else {
      report(describeError(error));
      process.exitCode = error instanceof UsageError ? 2 : 1;
    }
  }
}

const isClosedPipe = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EPIPE';
