import { identifyThisProcess, type ProcessIdentity } from './process-identity.ts';
import { thisHost } from './this-host.ts';

/** Who made a file; only on the same host can it be asked whether that process runs. */
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
