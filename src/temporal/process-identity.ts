import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';

/** A process, told apart from a later one that was given the same number. */
export interface ProcessIdentity {
  pid: number;
  /** When it started, in whatever form this system tells it; only ever compared. */
  started: string;
}

/** @returns undefined when there is no such process, or only its zombie */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const started = process.platform === 'linux' ? startedByProc(pid) : startedByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

export function isRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.started === identity.started;
}

/** Field 22 of /proc/PID/stat (proc_pid_stat(5)), in clock ticks since boot. The name in field 2 may hold spaces and brackets. */
function startedByProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function startedByPs(pid: number): string | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return line === '' || line.startsWith('Z') ? undefined : line.slice(line.indexOf(' ')).trim();
  } catch {
    return undefined;
  }
}
