import { afterAll, beforeAll } from '@jest/globals';

/**
 * Gives a file the umask of a usual shell. Children of root have another user, who reads what a test installs. Modules of the command
 * line make the umask of a process private, and files share processes.
 */
export function useUsualUmask(): void {
  let given: number;
  beforeAll(() => {
    given = process.umask(0o022);
  });
  afterAll(() => {
    process.umask(given);
  });
}
