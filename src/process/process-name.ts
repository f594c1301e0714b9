import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { identifyThisProcess, type ProcessIdentity } from './process-identity.ts';

/**
 * Where a process number means what it means here: the machine, and on Linux the namespace of its process numbers, since
 * containers may share a machine's name and a folder. 16 hexadecimal digits.
 */
export const thisHost = createHash('sha256').update(`${hostname()} ${pidNamespace()}`).digest('hex').slice(0, 16);

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** The process that made a file; only its own host can check whether it runs. */
export interface NamedProcess extends ProcessIdentity {
  /** As `thisHost` */
  host: string;
}

/** A name for what belongs to this process: `<host>-<pid>-<started>`. A dash and more may follow. */
export function nameOfThisProcess(): string {
  const { pid, started } = identifyThisProcess();
  return `${thisHost}-${pid}-${started}`;
}

/** @returns undefined for a name of another form */
export function processOfName(name: string): NamedProcess | undefined {
  const [, host, pid, started] = /^([0-9a-f]{16})-([1-9]\d*)-([\w.]+)(?:-|$)/.exec(name) ?? [];
  return host && pid && started ? { host, pid: Number(pid), started } : undefined;
}
