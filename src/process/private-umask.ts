/** Only the user of a program may read the files that it writes. Child processes and threads inherit the umask. */
const PRIVATE_UMASK = 0o077;

let original: number | undefined;

/** Called first by the entry of every program of Burnish, before it writes anything. */
export function setPrivateUmask(): void {
  original ??= process.umask(PRIVATE_UMASK);
}

/** The umask that the program was started with: results for the person at the command line use it. */
export const callersUmask = (): number => original ?? process.umask();
