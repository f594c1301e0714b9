import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface ProcessIdentity {
  pid: number;
  /** `<boot>.<start>`, only ever compared. Letters, digits, `_` and dots, so that it can be part of a file name. */
  started: string;
}

/** The boot of this machine, so that start times of different boots differ. */
const BOOT = bootId();
/** Replaces a start time that the system hides, as it may for processes of other users. */
const UNKNOWN_START = `${BOOT}.untold`;
/** Zombie and dying processes: ended, and not yet awaited by their parent. */
const ENDED = /^[ZX]/;

/** @returns undefined when there is no such process, or only its zombie */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const facts = process.platform === 'linux' ? readProc(pid) : askPs(pid);
  if (facts === undefined) return exists(pid) ? { pid, started: UNKNOWN_START } : undefined;
  return ENDED.test(facts.state) ? undefined : { pid, started: `${BOOT}.${facts.start}` };
}

export function identifyThisProcess(): ProcessIdentity {
  return identifyProcess(process.pid) ?? { pid: process.pid, started: UNKNOWN_START };
}

/** Whether the same process still runs. Without a start time from the system, any process with its number counts. */
export function isRunning({ pid, started }: ProcessIdentity): boolean {
  const now = identifyProcess(pid)?.started;
  return now !== undefined && (now === started || (now === UNKNOWN_START && started.startsWith(`${BOOT}.`)));
}

interface ProcessFacts {
  state: string;
  start: string;
}

/**
 * Fields 3 and 22 of /proc/PID/stat (proc_pid_stat(5)): the state, and the start in clock ticks since boot. The name in
 * field 2 may contain blanks and brackets.
 */
function readProc(pid: number): ProcessFacts | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, start] = [fields[3 - 3], fields[22 - 3]];
    return state && start ? { state, start } : undefined;
  } catch {
    return undefined;
  }
}

/** One option a column: BSD treats a comma after `=` as a part of the heading. Language and zone would change the date. */
function askPs(pid: number): ProcessFacts | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    });
    const [state, ...date] = line.trim().split(/\W+/);
    return state && date.length > 0 ? { state, start: date.join('.') } : undefined;
  } catch {
    return undefined;
  }
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().replaceAll('-', '');
  } catch {
    return 'any';
  }
}
