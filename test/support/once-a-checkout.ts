import { join } from 'node:path';
import { withLock } from '../../scripts/setup-lock.mjs';
import { repositoryRoot } from './repository.ts';

/**
 * Makes something that stays in .cache/, such as a download or a build, while no other process of this checkout makes it.
 * Modules call it when they load, since that has no time limit; a first download outlasts a hook. So a test file waits for
 * the parts that it imports, and for no others.
 * @param name of a lock file in .cache/
 */
export async function onceACheckout<T>(name: string, make: () => Promise<T>): Promise<T> {
  return await withLock(join(repositoryRoot, '.cache', `${name}.lock`), make);
}
