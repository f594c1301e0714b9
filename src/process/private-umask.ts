/**
 * Imported first by every program of Burnish: only its own user can read the files that it writes. Child
 * processes and threads inherit the umask.
 */
const PRIVATE_UMASK = 0o077;

/** The original umask of the process: results for the person at the command line use it. */
export const callersUmask = process.umask(PRIVATE_UMASK);
