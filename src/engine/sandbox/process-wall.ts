import { findProgram, type Wall } from './wall.ts';

/**
 * No more than a process of its own, for machines where the kernel gives nothing else. Where `setpriv` is, the child ends with its
 * parent and gains no rights.
 */
export function processWall(): Wall {
  const setpriv = process.platform === 'linux' ? findProgram('setpriv') : undefined;
  return {
    name: 'process',
    layers: setpriv === undefined ? [] : ['no new privileges'],
    isolates: false,
    endsWithParent: setpriv !== undefined,
    around: (command) =>
      setpriv === undefined ? command : [setpriv, '--pdeathsig', 'KILL', '--no-new-privs', '--', ...command],
  };
}
