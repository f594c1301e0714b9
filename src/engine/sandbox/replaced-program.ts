import { readFileSync } from 'node:fs';
import { Failure } from '../../domain/failures.ts';
import { childProgram } from './child-program.ts';

const atStart = readProgram();

/**
 * Refuses a child whose program an update or a removal of the package has changed since the start of this process. It could miss
 * a part, or give another result than that of the version on the record.
 * @throws Failure UNAVAILABLE, so that the work waits for a restart or for another worker
 */
export function refuseReplacedProgram(): void {
  if (readProgram() === atStart) return;
  const detail = 'An update changed the files of Burnish. Restart it.';
  throw new Failure('UNAVAILABLE', { detail, machinery: 'worker', cause: new Error(detail) });
}

/** The list of the tasks names each bundle by its content. Sources may change while a developer works. */
function readProgram(): string | undefined {
  const { entry, tasks, stripsTypes } = childProgram;
  if (stripsTypes) return undefined;
  try {
    return [entry, tasks].map((url) => readFileSync(url, 'latin1')).join('');
  } catch {
    return undefined;
  }
}
