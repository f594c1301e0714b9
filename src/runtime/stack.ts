import { assertOpenFiles } from './open-files.ts';
import { openInstanceDatabase } from './open-instance-database.ts';
import type { Stack, StackOptions } from './start-parts.ts';

export type { DefaultAccount, Stack, StackOptions } from './start-parts.ts';

/**
 * Starts the parts of Burnish in this process.
 * @throws StartupError with one sentence
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  assertOpenFiles();
  // The database opens in a thread of its own while this one loads the code of the other parts.
  const opening = openInstanceDatabase(options.config, options.log);
  // The parts report a failure.
  opening.catch(() => undefined);
  const { startParts } = await import('./start-parts.ts');
  return startParts(options, opening);
}
