/**
 * Imported first by every program of Burnish: whatever it writes is for its own user, and for nobody else on the machine. Child
 * processes and threads inherit it.
 */
const PRIVATE_UMASK = 0o077;

/** The mask that the program was started with: files saved for the person at the command line keep to that one. */
export const callersUmask = process.umask(PRIVATE_UMASK);
