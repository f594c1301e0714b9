import type { Command } from 'commander';
import type { AllOperatorCommands } from '../../api/operator/all-operator-commands.ts';

/** What a command says: to programs as JSON, and to people in lines. */
export interface Answer {
  json: unknown;
  lines: string[];
}

/** Connects to an instance for a piece of work, and prints the lines that it returns. */
export type Run = (work: (commands: AllOperatorCommands) => Promise<string[]>) => Promise<void>;

/**
 * Completes a command with its work and with `--json`, which prints one line of JSON in place of words.
 * @param work gets the arguments of the command, and then its options
 */
export function answer<Given extends unknown[]>(
  command: Command,
  run: Run,
  work: (commands: AllOperatorCommands, ...given: Given) => Promise<Answer>,
): void {
  command.option('--json', 'print one line of JSON').action((...given: unknown[]) =>
    run(async (commands) => {
      const [{ json: _, ...options }] = given.slice(-2) as [{ json?: true }, Command];
      const { json, lines } = await work(commands, ...([...given.slice(0, -2), options] as Given));
      // A parent command with the same option consumes it at any position.
      return command.optsWithGlobals<{ json?: true }>().json === true ? [JSON.stringify(json)] : lines;
    }),
  );
}
