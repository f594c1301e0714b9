import { readFileSync } from 'node:fs';
import { formatNumber } from '@burnish/contract';
import { StartupError } from '../domain/startup-error.ts';

/** Open files of an instance under load, with reserve: the embedded database alone has 500. */
const NEEDED = 1_024;

/**
 * Refuses a start that would run out of open files, now or under load.
 * @throws StartupError
 */
export function assertOpenFiles(): void {
  const limit = readLimit();
  if (limit >= NEEDED) return;
  const need = `This process may open ${formatNumber(limit)} files, and Burnish needs ${formatNumber(NEEDED)}.`;
  throw new StartupError(`${need} Raise the limit, such as by \`ulimit -n 4096\` or \`LimitNOFILE\`.`);
}

/** Open files that connections to the gateway leave to the database, to storage and to decoders. */
const RESERVED = 1_000;
/** Connections that a gateway accepts in any case. */
const FEWEST_CONNECTIONS = 200;

/** Connections that a gateway may have at once, at most `most`: further ones would lack open files elsewhere. */
export function boundConnections(most: number): number {
  return Math.min(most, Math.max(FEWEST_CONNECTIONS, readLimit() - RESERVED));
}

/** The limit of this process by proc(5). Other systems tell it only in a report of the whole process, which takes long. */
function readLimit(): number {
  try {
    const [, soft = ''] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === '' ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}
