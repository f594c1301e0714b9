import { execFileSync, spawnSync } from 'node:child_process';

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

/** The sentence of a start there, which depends on whether this machine has the program at all. */
export const WITHOUT_BUBBLEWRAP_SAID =
  spawnSync('sh', ['-c', 'command -v bwrap']).status === 0
    ? 'Decoders are not isolated, because bubblewrap does not work here: allow user namespaces, and start Burnish as an ordinary user (docs/deployment.md).'
    : 'Decoders are not isolated: install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap), and start Burnish again.';
