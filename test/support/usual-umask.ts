import { afterAll, beforeAll } from '@jest/globals';

/**
 * Sets umask 022 for the tests of a file. Decoders of root run as another user, and read the packages that a test installs.
 * `src/process/private-umask.ts` changes the umask of a process, which test files share.
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
