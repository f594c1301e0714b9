import * as machine from '@burnish/jail';
import { NO_MODELS } from '@burnish/engine/host';
import { childProgram } from './child-program.ts';
import { toStartupError } from './failures.ts';
import { readableFor } from './readable.ts';

export type Jail = machine.Jail;

const found = new Map<machine.SandboxPolicy, Jail>();

/**
 * The strongest jail for the engine's children that works on this machine. A process tests it once.
 * @throws StartupError when `required` and the kernel offers no isolation; for a temporary folder that cannot be used
 */
export function findJail(policy: machine.SandboxPolicy = 'auto'): Jail {
  const known = found.get(policy);
  if (known) return known;
  try {
    const jail = machine.findJail(policy, { permissions: !childProgram.hasThreads, readable: readableFor(NO_MODELS) });
    found.set(policy, jail);
    return jail;
  } catch (error) {
    throw toStartupError(error);
  }
}
