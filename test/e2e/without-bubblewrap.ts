import { execFileSync } from 'node:child_process';

/** Runs a command where bubblewrap does not work. */
export const WITHOUT_BUBBLEWRAP = [
  ...['unshare', '--map-root-user', '--mount', '--', 'sh', '-c'],
  'at=$(command -v bwrap) && mount --bind "$(which false)" "$at"; exec "$@"',
  'sh',
];

/** Whether this machine has the mount namespaces for it. */
export function canRunWithoutBubblewrap(): boolean {
  try {
    const [program = '', ...args] = [...WITHOUT_BUBBLEWRAP, 'sh', '-c', '! bwrap --version'];
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
